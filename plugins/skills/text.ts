import { isHostError, type JsonObject, type JsonValue, parseJson, type PluginContext } from "smith-agent/plugin";

/** A skill as the model gets it, or what is wrong with it in words. */
export type Found = { readonly ok: true; readonly skill: Skill } | { readonly ok: false; readonly problem: string };

export interface Skill {
  readonly name: string;
  readonly kind: Kind;
  /** Folder it is in, as file tools show it. */
  readonly folder: string;
  readonly text: string;
}

type Kind = "skill" | "skill-manifest";
type Reading = Pick<PluginContext, "resource">;

/** Bytes of the context of a `skill.json`, as UTF-8. Framework seed, 12.4. */
const MAX_CONTEXT_BYTES = 16 * 1024;
/** Names that make a prefix of tools' names without a doubt: of other signs each would become `_` as well. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/u;

/** Looks for a skill in both forms. Only that there is none is told as such; any other failure of the host is let through. */
export async function findSkill(name: string, context: Reading): Promise<Found> {
  const plain = await readOrNothing({ kind: "skill", name }, context);
  if (plain !== undefined) return { ok: true, skill: { name, kind: "skill", folder: folderOf(plain.path), text: plain.text } };
  const manifest = await readOrNothing({ kind: "skill-manifest", name }, context);
  if (manifest === undefined) return { ok: false, problem: `There is no skill "${name}".` };
  const composed = await compose(name, manifest, context);
  return "problem" in composed
    ? { ok: false, problem: `${manifest.path} cannot be used: ${composed.problem}` }
    : { ok: true, skill: { name, kind: "skill-manifest", folder: folderOf(manifest.path), text: composed.text } };
}

/** Text of a file beside a skill. */
export const readBeside = async ({ kind, name }: Pick<Skill, "kind" | "name">, path: string, { resource }: Reading): Promise<string> =>
  (await resource.read({ kind, name, path })).text;

type Input = Parameters<PluginContext["resource"]["read"]>[0];

async function readOrNothing(input: Input, { resource }: Reading): Promise<{ readonly path: string; readonly text: string } | undefined> {
  try {
    return await resource.read(input);
  } catch (error) {
    if (isHostError(error) && error.code === "resource.unknown") return undefined;
    throw error;
  }
}

type Composed = { readonly text: string } | { readonly problem: string };

interface Manifest {
  readonly promptFile: string;
  readonly contextFile?: string;
  readonly namesServers: boolean;
}

async function compose(name: string, { text }: { readonly text: string }, context: Reading): Promise<Composed> {
  const manifest = readManifest(text);
  if ("problem" in manifest) return manifest;
  const { promptFile, contextFile, namesServers } = manifest;
  const beside = { kind: "skill-manifest", name } as const;
  const prompt = (await readBeside(beside, promptFile, context)).trim();
  const data = contextFile === undefined ? NO_DATA : contextData(contextFile, await readBeside(beside, contextFile, context));
  if ("problem" in data) return data;
  const parts = [
    prompt === "" ? "" : `# Skill: ${name}\n\n${prompt}`,
    data.text === "null" ? "" : `# Skill Context: ${name}\n\n${data.text}`,
    namesServers ? "[This skill names MCP servers. They are not connected: their tools cannot be called.]" : "",
  ];
  return { text: parts.filter((part) => part !== "").join("\n\n") };
}

const NO_DATA: Composed = { text: "null" };

function readManifest(text: string): Manifest | { readonly problem: string } {
  const value = parseJson(text);
  const fields: JsonObject = isObject(value) ? value : {};
  const { name, system_prompt_file: promptFile, context_file: contextFile, mcp_servers: servers } = fields;
  if (typeof name !== "string" || !NAME.test(name)) return { problem: "it has no `name` of letters, digits, `_` and `-`." };
  if (typeof promptFile !== "string" || promptFile === "") return { problem: "it has no `system_prompt_file`, the path of its prompt." };
  if (contextFile !== undefined && typeof contextFile !== "string") return { problem: "`context_file` is not a path." };
  return { promptFile, ...(contextFile === undefined ? {} : { contextFile }), namesServers: Array.isArray(servers) && servers.length > 0 };
}

function contextData(file: string, text: string): Composed {
  const value = parseJson(text);
  if (value === undefined) return { problem: `${file} is not JSON.` };
  const compact = JSON.stringify(value);
  const bytes = utf8Length(compact);
  return bytes > MAX_CONTEXT_BYTES
    ? { problem: `${file} has ${bytes} bytes of data; ${MAX_CONTEXT_BYTES} are the most, and it is not cut.` }
    : { text: compact };
}

/** JSON text holds no lone surrogates, so that it can always be encoded. */
const utf8Length = (json: string): number => encodeURIComponent(json).replace(/%[0-9A-F]{2}/gu, "x").length;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".");
