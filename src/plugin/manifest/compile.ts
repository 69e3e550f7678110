import { err, ok, type Result } from "../../base/index.js";
import { type KdlNode, parseKdl } from "../../config/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { isSupportedSdk, SDK_VERSION } from "../generation/index.js";
import type { CompiledPlugin } from "../types.js";
import {
  compileCommand,
  compileHandler,
  compileKey,
  compileOptions,
  compilePrompt,
  compileProvider,
  compileResource,
  compileState,
  compileTheme,
  compileTool,
  compileToolSet,
  stateGrants,
} from "./contribution/index.js";
import { checkReferences } from "./references.js";
import { entryMissing, manifestTooDeep, manifestTooLong, missingInManifest, newerSdk, reservedId } from "./diagnostics.js";
import { isInside, readDescription } from "./file-text.js";
import { compileGrants } from "./grants.js";
import { PLUGIN_ID } from "./names.js";
import {
  type ManifestScope,
  nameOf,
  onlyOne,
  placeOf,
  type ReadFile,
  readChildren,
  readName,
  readProperties,
  rejectDuplicates,
  rejectProperty,
  requireValue,
} from "./node-reader.js";

/** A manifest as data, before the guest module is built. */
export interface CompiledManifest extends Omit<CompiledPlugin, "hash" | "entry"> {
  /** Source of the guest module, relative to the manifest. Empty: it has no code, and nothing it declares needs any. */
  readonly source: string;
  /** Texts the manifest took from other files, by name. */
  readonly files: ReadonlyMap<string, string>;
}

export interface ManifestOptions {
  /** For messages. */
  readonly path?: string;
  /** Comes with the program: the id may begin with `smith.`. */
  readonly bundled?: boolean;
}

const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(-[0-9A-Za-z.-]{1,64})?$/u;
/** UTF-16 units; also what bounds how many of anything a plugin contributes. */
const MAX_MANIFEST_UNITS = 256 * 1024;
/** Of blocks inside of blocks: arguments that are objects of objects. */
const MAX_DEPTH = 16;

/**
 * Compiles the text of a manifest. Every problem comes back, each with its line and column. Loads the KDL parser, so it has no
 * place on the way to the first prompt: the product reads compiled manifests from its index.
 */
export async function compileManifest(
  text: string,
  readFile: ReadFile,
  { path = "manifest.kdl", bundled = false }: ManifestOptions = {},
): Promise<Result<CompiledManifest, readonly Diagnostic[]>> {
  if (text.length > MAX_MANIFEST_UNITS) return err([manifestTooLong(path, MAX_MANIFEST_UNITS)]);
  const parsed = await parseKdl(path, text);
  if (!parsed.ok) return parsed;
  const scope: ManifestScope = { path, readFile, problems: [], files: new Map() };
  const deep = tooDeep(parsed.value, MAX_DEPTH);
  if (deep !== undefined) return err([manifestTooDeep(placeOf(scope, deep))]);
  const root: KdlNode = { name: "a manifest", line: 1, column: 1, entries: [], children: parsed.value };
  const node = onlyOne(scope, readChildren(scope, root, ["plugin"]).plugin);
  if (node === undefined) {
    if (scope.problems.length === 0) scope.problems.push(missingInManifest(placeOf(scope, root), root.name, "plugin"));
    return err(scope.problems);
  }
  const newer = sdkProblem(scope, node);
  if (newer !== undefined) return err([newer]);
  const compiled = await compilePlugin(scope, node, bundled);
  return scope.problems.length === 0 ? ok(compiled) : err(inOrder(scope.problems));
}

/** Of a newer contract: nothing else can be said of the manifest, since its words may be those of that contract. */
function sdkProblem(scope: ManifestScope, node: KdlNode): Diagnostic | undefined {
  const entry = node.entries.find(({ name }) => name === "sdk");
  const isNewer = typeof entry?.value === "number" && Number.isSafeInteger(entry.value) && entry.value > SDK_VERSION;
  return isNewer ? newerSdk(placeOf(scope, entry), Number(entry.value), SDK_VERSION) : undefined;
}

async function compilePlugin(scope: ManifestScope, node: KdlNode, bundled: boolean): Promise<CompiledManifest> {
  const head = compileHead(scope, node, bundled);
  const { id } = head;
  const found = readChildren(scope, node, [
    ...(["description", "grants", "tool", "command", "provider", "prompt", "resource"] as const),
    ...(["theme", "key", "config", "handler", "state", "tool-set"] as const),
  ]);
  const { tool, command, provider, prompt, resource, theme, handler, state } = found;
  const toolSets = found["tool-set"];
  checkEntry(scope, node, [...tool, ...toolSets, ...command, ...provider, ...handler]);
  for (const nodes of [toolSets, tool, command, provider, prompt, resource, theme, handler, state]) rejectDuplicates(scope, nodes);
  const states = state.map((child) => compileState(scope, id, child));
  const compiled: CompiledManifest = {
    ...head,
    description: await readDescription(scope, node, found.description),
    grants: compileGrants(scope, onlyOne(scope, found.grants), stateGrants(states)),
    tools: await Promise.all(tool.map((child) => compileTool(scope, id, child))),
    toolSets: toolSets.map((child) => compileToolSet(scope, id, child)),
    commands: command.map((child) => compileCommand(scope, id, child)),
    providers: await Promise.all(provider.map((child) => compileProvider(scope, id, child))),
    prompts: await Promise.all(prompt.map((child) => compilePrompt(scope, id, child))),
    resources: resource.map((child) => compileResource(scope, id, child)),
    themes: await Promise.all(theme.map((child) => compileTheme(scope, id, child))),
    keys: found.key.map((child) => compileKey(scope, id, child)),
    options: compileOptions(scope, id, found.config),
    handlers: handler.map((child) => compileHandler(scope, { plugin: id, states }, child)),
    states,
    files: scope.files,
  };
  checkReferences(scope, compiled, found);
  return compiled;
}

/** What is run is a function of the entry module. All else is data, and a plugin of nothing else needs no module. */
function checkEntry(scope: ManifestScope, node: KdlNode, run: readonly KdlNode[]): void {
  const [first] = run.toSorted((left, right) => left.line - right.line || left.column - right.column);
  if (first === undefined || node.entries.some(({ name }) => name === "entry")) return;
  scope.problems.push(entryMissing(placeOf(scope, first), nameOf(first)));
}

function compileHead(scope: ManifestScope, node: KdlNode, bundled: boolean): Pick<CompiledManifest, "id" | "version" | "sdk" | "source"> {
  const id = readName(scope, node, PLUGIN_ID);
  const { version, sdk, entry } = readProperties(scope, node, { version: "text", sdk: "integer", entry: "text" });
  const named = node.entries.find(({ name }) => name === undefined) ?? node;
  if (!bundled && id.startsWith("smith.")) scope.problems.push(reservedId(placeOf(scope, named), id));
  if (version !== undefined && !VERSION.test(version)) rejectProperty(scope, node, "version", "a version such as 0.1.0");
  const major = requireValue(scope, node, { name: "sdk", value: sdk, fallback: SDK_VERSION });
  if (!isSupportedSdk(major)) rejectProperty(scope, node, "sdk", `${SDK_VERSION}, the SDK of this smith`);
  const source = entry ?? "";
  if (entry !== undefined && !isInside(entry)) rejectProperty(scope, node, "entry", "a file in the plugin's folder");
  return { id, version: requireValue(scope, node, { name: "version", value: version, fallback: "" }), sdk: major, source };
}

/** The first node that lies deeper than `levels`. */
function tooDeep(nodes: readonly KdlNode[], levels: number): KdlNode | undefined {
  if (levels === 0) return nodes[0];
  for (const { children } of nodes) {
    const deep = tooDeep(children, levels - 1);
    if (deep !== undefined) return deep;
  }
  return undefined;
}

/** As they stand in the file, whatever order they were found in. */
const inOrder = (problems: readonly Diagnostic[]): readonly Diagnostic[] =>
  problems.toSorted((left, right) => position(left) - position(right));

const position = ({ source }: Diagnostic): number => (source?.type === "file" ? (source.line ?? 0) * 100_000 + (source.column ?? 0) : 0);
