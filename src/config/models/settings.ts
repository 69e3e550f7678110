import type {
  AliasSetting,
  ConnectionSetting,
  CredentialSource,
  Diagnostic,
  DiagnosticSource,
  GroupSetting,
  ModelOverride,
  ModelSettings,
} from "../../schema/index.js";
import { badNode, connectionsOfProject, type FilePlace, unknownNode } from "../diagnostics.js";
import type { KdlNode, KdlValue } from "../file/node.js";
import type { ConfigFile } from "../types.js";
import { readModelFacts } from "./facts.js";

/** The nodes of one file, and everything wrong with them. */
interface FileModels extends ModelSettings {
  readonly diagnostics: readonly Diagnostic[];
}

interface Scope {
  readonly path: string;
  readonly diagnostics: Diagnostic[];
}

/** What `models` holds beside its settings. */
const MODEL_NODES = ["alias", "group", "model"] as const;

/** Whether a node is no setting but one of the groups that are read here; `key` is its path joined by dots. */
export const isModelNode = (key: string): boolean => key === "connections" || MODEL_NODES.some((name) => key === `models.${name}`);

/** The groups `models` and `connections` of all files, weakest first: of two with one name the later counts. Pure. */
export function readModelSettings(files: readonly ConfigFile[]): {
  readonly models: ModelSettings;
  readonly diagnostics: readonly Diagnostic[];
} {
  const read = files.map(readFile);
  const byName = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] => [
    ...new Map(all.map((one) => [one.name, one])).values(),
  ];
  const aliases = byName(read.flatMap((one) => one.aliases));
  const groups = byName(read.flatMap((one) => one.groups));
  const models: ModelSettings = {
    // A name is one or the other: what the stronger file says it is.
    aliases: aliases.filter(({ name }) => !read.some((one, at) => isGroupLater(read, one, { name, at }))),
    groups: groups.filter(({ name }) => !read.some((one, at) => isAliasLater(read, one, { name, at }))),
    connections: byName(read.flatMap((one) => one.connections)),
    overrides: [...new Map(read.flatMap((one) => one.overrides).map((one) => [`${one.ref.provider}/${one.ref.model}`, one])).values()],
  };
  return { models, diagnostics: read.flatMap((one) => one.diagnostics) };
}

interface Named {
  readonly name: string;
  readonly at: number;
}

const lastWith = (read: readonly FileModels[], name: string, field: "aliases" | "groups"): number =>
  read.findLastIndex((one) => one[field].some((other) => other.name === name));

const isGroupLater = (read: readonly FileModels[], one: FileModels, { name, at }: Named): boolean =>
  one.groups.some((group) => group.name === name) && at > lastWith(read, name, "aliases");

const isAliasLater = (read: readonly FileModels[], one: FileModels, { name, at }: Named): boolean =>
  one.aliases.some((alias) => alias.name === name) && at > lastWith(read, name, "groups");

function readFile({ path, layer, nodes }: ConfigFile): FileModels {
  const scope: Scope = { path, diagnostics: [] };
  const inModels = childrenOf(nodes, "models");
  const connections = nodes.filter(({ name }) => name === "connections");
  const [first] = connections;
  // A cloned project could otherwise send conversations and keys where it likes.
  const isTheirs = layer === "project" && first !== undefined;
  if (isTheirs) scope.diagnostics.push(connectionsOfProject(placeOf(scope, first)));
  const found = {
    aliases: named(scope, inModels, "alias").flatMap((node) => readAlias(scope, node)),
    groups: named(scope, inModels, "group").flatMap((node) => readGroup(scope, node)),
    overrides: inModels.filter(({ name }) => name === "model").flatMap((node) => readOverride(scope, node)),
    connections: isTheirs ? [] : readConnections(scope, connections),
  };
  const shared = found.aliases.find(({ name }) => found.groups.some((group) => group.name === name));
  if (shared !== undefined)
    report(
      scope,
      inModels.find((node) => node.name === "group" && firstText(node) === shared.name),
      "the group",
      "named otherwise than an alias",
    );
  return { ...found, diagnostics: scope.diagnostics };
}

const childrenOf = (nodes: readonly KdlNode[], name: string): readonly KdlNode[] =>
  nodes.filter((node) => node.name === name).flatMap((node) => node.children);

const placeOf = ({ path }: Scope, { line, column }: KdlNode | KdlValue): FilePlace => ({ path, line, column });

const sourceOf = (scope: Scope, node: KdlNode): DiagnosticSource => ({ type: "file", ...placeOf(scope, node) });

function report(scope: Scope, at: KdlNode | KdlValue | undefined, subject: string, expected: string): readonly [] {
  scope.diagnostics.push(badNode(at === undefined ? { path: scope.path } : placeOf(scope, at), subject, expected));
  return [];
}

const textsOf = (node: KdlNode): readonly string[] =>
  node.entries.flatMap(({ name, value }) => (name === undefined && typeof value === "string" ? [value] : []));

const firstText = (node: KdlNode): string | undefined => textsOf(node)[0];

/** A name that stands alone on a command line and before a slash. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;
const NAME_EXPECTED = "letters, digits, dots, _ and -, at most 64";

/** Nodes of a kind whose first argument is their name, each name once in a file. */
function named(scope: Scope, nodes: readonly KdlNode[], kind: string): readonly KdlNode[] {
  const seen = new Set<string>();
  return nodes.filter((node) => {
    if (node.name !== kind) return false;
    const name = firstText(node);
    if (name === undefined || !NAME.test(name)) return report(scope, node, `the name of ${kind}`, NAME_EXPECTED).length > 0;
    if (seen.has(name)) return report(scope, node, `${kind} ${name}`, "there once").length > 0;
    seen.add(name);
    return true;
  });
}

/** Whether a node has texts as arguments and nothing else. */
function isPlain(scope: Scope, node: KdlNode, expected: string): boolean {
  const odd =
    node.entries.find(({ name, value }) => name !== undefined || typeof value !== "string" || value.trim() === "") ?? node.children[0];
  if (odd === undefined) return true;
  report(scope, odd, node.name, expected);
  return false;
}

/** `alias "fast" "anthropic/claude-haiku-4-5"` */
function readAlias(scope: Scope, node: KdlNode): readonly AliasSetting[] {
  const [name, to, extra] = textsOf(node);
  const expected = "a name and the selection it stands for";
  if (!isPlain(scope, node, expected)) return [];
  if (name === undefined || to === undefined || extra !== undefined) return report(scope, node, "alias", expected);
  return [{ name, to, source: sourceOf(scope, node) }];
}

/** `group "main" "work/opus" "openai/gpt-5"` */
function readGroup(scope: Scope, node: KdlNode): readonly GroupSetting[] {
  const [name, ...members] = textsOf(node);
  const expected = "a name and the selections that take over from each other, in order";
  if (!isPlain(scope, node, expected)) return [];
  if (name === undefined || members.length === 0) return report(scope, node, "group", expected);
  return [{ name, members, source: sourceOf(scope, node) }];
}

/** `model "llama-cpp/qwen3" title="Qwen" { context 32768 }` */
function readOverride(scope: Scope, node: KdlNode): readonly ModelOverride[] {
  const [id, extra] = textsOf(node);
  const slash = id?.indexOf("/") ?? -1;
  if (id === undefined || extra !== undefined || slash < 1 || slash === id.length - 1)
    return report(scope, node, "the name of model", "provider/model");
  const title = propertiesOf(scope, node, ["title"])?.["title"];
  const { facts, also, problems } = readModelFacts(node);
  for (const { at, subject, expected } of problems) report(scope, at, subject, expected);
  if (also.length > 0) return report(scope, node, `also of ${id}`, "in a catalog; an alias gives a model another name");
  if (problems.length > 0) return [];
  return [
    {
      ref: { provider: id.slice(0, slash), model: id.slice(slash + 1) },
      ...(title === undefined ? {} : { title }),
      facts,
      source: sourceOf(scope, node),
    },
  ];
}

/** Properties by name, all of them texts of known names; nothing once one is not. */
function propertiesOf<const N extends string>(
  scope: Scope,
  node: KdlNode,
  known: readonly N[],
): { readonly [K in N]?: string } | undefined {
  const values: { [K in N]?: string } = {};
  for (const entry of node.entries) {
    if (entry.name === undefined) continue;
    const name = known.find((word) => word === entry.name);
    if (name === undefined) return void report(scope, entry, `${entry.name} of ${node.name}`, `one of ${known.join(", ")}`);
    if (typeof entry.value !== "string" || entry.value.trim() === "")
      return void report(scope, entry, `${entry.name} of ${node.name}`, "a text that is not empty");
    values[name] = entry.value;
  }
  return values;
}

function readConnections(scope: Scope, groups: readonly KdlNode[]): readonly ConnectionSetting[] {
  const nodes = groups.flatMap((group) => group.children);
  for (const node of nodes)
    if (node.name !== "connection") scope.diagnostics.push(unknownNode(placeOf(scope, node), node.name, "connection"));
  return named(scope, nodes, "connection").flatMap((node) => readConnection(scope, node));
}

const PROPERTIES = ["provider", "base-url", "key-env", "key-command", "key-auth", "key", "profile", "default-model", "bucket"] as const;

/** `connection "work" provider="anthropic" key-env="WORK_KEY" base-url="https://…" { header "X-Title" "smith" }` */
function readConnection(scope: Scope, node: KdlNode): readonly ConnectionSetting[] {
  const given = propertiesOf(scope, node, PROPERTIES);
  const [name = "", extra] = textsOf(node);
  if (given === undefined) return [];
  if (extra !== undefined) return report(scope, node, `connection ${name}`, "named once, all else as properties");
  if (given.provider === undefined) return report(scope, node, `connection ${name}`, 'given a provider="…"');
  if (given.key !== undefined && given.key !== "none")
    return report(scope, node, `key of ${name}`, '"none"; keys have no place in this file: use key-env=, key-command= or smith auth login');
  const credential = readCredential(scope, node, { ...given, name });
  const headers = readHeaders(scope, node);
  if (credential === "wrong" || headers === undefined) return [];
  return [
    {
      name,
      provider: given.provider,
      ...optional("baseUrl", given["base-url"]),
      ...(credential === undefined ? {} : { credential }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...optional("profile", given.profile),
      ...optional("defaultModel", given["default-model"]),
      ...optional("bucket", given.bucket),
      source: sourceOf(scope, node),
    },
  ];
}

const optional = <const Name extends string>(name: Name, value: string | undefined): { readonly [N in Name]?: string } =>
  // A computed name widens to any string; it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: string };

interface GivenKeys {
  readonly name: string;
  readonly "key-env"?: string;
  readonly "key-command"?: string;
  readonly "key-auth"?: string;
  readonly key?: string;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/u;

function readCredential(scope: Scope, node: KdlNode, given: GivenKeys): CredentialSource | "wrong" | undefined {
  const { "key-env": env, "key-command": command, "key-auth": auth, key } = given;
  if ([env, command, auth, key].filter((one) => one !== undefined).length > 1) {
    report(scope, node, `connection ${given.name}`, "given one of key-env, key-command, key-auth and key");
    return "wrong";
  }
  if (command !== undefined) return { type: "command", command };
  if (auth !== undefined) return { type: "auth", name: auth };
  if (key !== undefined) return { type: "none" };
  if (env === undefined) return undefined;
  const names = env.split(",").map((one) => one.trim());
  if (names.every((one) => VARIABLE.test(one))) return { type: "env", names };
  report(scope, node, `key-env of ${given.name}`, "names of variables, several with commas");
  return "wrong";
}

/** RFC 9110, section 5.6.2. */
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/u;

function readHeaders(scope: Scope, node: KdlNode): { readonly [name: string]: string } | undefined {
  const headers: Record<string, string> = {};
  for (const child of node.children) {
    const [name, value] = textsOf(child);
    const expected = 'children header "Name" "value"';
    if (child.name !== "header" || name === undefined || value === undefined || child.entries.length !== 2 || !HEADER.test(name))
      return void report(scope, child, `${child.name} of connection`, expected);
    if (/[^\t\u0020-\u007e]/u.test(value) || value.includes("{secret:"))
      return void report(
        scope,
        child,
        `header ${name}`,
        "visible ASCII without a reference to a secret; keys belong to key-env= or key-command=",
      );
    headers[name] = value;
  }
  return headers;
}
