import { err, ok, type Result } from "../../base/index.js";
import { type KdlNode, parseKdl } from "../../config/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { SDK_VERSION } from "../generation.js";
import type { CompiledPlugin } from "../types.js";
import { compileDescription, compilePrompt, compileProvider, compileTool } from "./contributions.js";
import { missingInManifest } from "./diagnostics.js";
import { compileGrants } from "./grants.js";
import {
  type ManifestScope,
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
  /** Source of the guest module, relative to the manifest. */
  readonly source: string;
  /** Texts the manifest took from other files, by name. */
  readonly files: ReadonlyMap<string, string>;
}

const PLUGIN_ID = {
  pattern: /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/u,
  expected: "lower case words with dots between them, such as acme.lint",
};
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/u;

/**
 * Compiles the text of a manifest. Every problem comes back, each with its line and column. Loads the KDL parser, so it has no
 * place on the way to the first prompt: the product reads compiled manifests from its index.
 */
export async function compileManifest(
  text: string,
  readFile: ReadFile,
  path = "manifest.kdl",
): Promise<Result<CompiledManifest, readonly Diagnostic[]>> {
  const parsed = await parseKdl(path, text);
  if (!parsed.ok) return parsed;
  const scope: ManifestScope = { path, readFile, problems: [], files: new Map() };
  const root: KdlNode = { name: "a manifest", line: 1, column: 1, entries: [], children: parsed.value };
  const node = onlyOne(scope, readChildren(scope, root, ["plugin"]).plugin);
  if (node === undefined) {
    if (scope.problems.length === 0) scope.problems.push(missingInManifest(placeOf(scope, root), root.name, "plugin"));
    return err(scope.problems);
  }
  const compiled = await compilePlugin(scope, node);
  return scope.problems.length === 0 ? ok(compiled) : err(inOrder(scope.problems));
}

async function compilePlugin(scope: ManifestScope, node: KdlNode): Promise<CompiledManifest> {
  const id = readName(scope, node, PLUGIN_ID);
  const { version, sdk, entry } = readProperties(scope, node, { version: "text", sdk: "integer", entry: "text" });
  const found = readChildren(scope, node, ["description", "grants", "tool", "provider", "prompt"]);
  for (const nodes of [found.tool, found.provider, found.prompt]) rejectDuplicates(scope, nodes);
  if (version !== undefined && !VERSION.test(version)) rejectProperty(scope, node, "version", "a version such as 0.1.0");
  if (requireValue(scope, node, { name: "sdk", value: sdk, fallback: SDK_VERSION }) !== SDK_VERSION) {
    rejectProperty(scope, node, "sdk", `${SDK_VERSION}, the SDK this program speaks`);
  }
  const source = requireValue(scope, node, { name: "entry", value: entry, fallback: "" });
  if (source.startsWith("/") || source.split("/").includes("..")) rejectProperty(scope, node, "entry", "a file in the plugin's folder");
  return {
    id,
    version: requireValue(scope, node, { name: "version", value: version, fallback: "" }),
    description: await compileDescription(scope, node, found.description),
    source,
    grants: compileGrants(scope, onlyOne(scope, found.grants)),
    tools: await Promise.all(found.tool.map((tool) => compileTool(scope, id, tool))),
    providers: found.provider.map((provider) => compileProvider(scope, id, provider)),
    prompts: await Promise.all(found.prompt.map((prompt) => compilePrompt(scope, prompt))),
    files: scope.files,
  };
}

/** As they stand in the file, whatever order they were found in. */
const inOrder = (problems: readonly Diagnostic[]): readonly Diagnostic[] =>
  problems.toSorted((left, right) => position(left) - position(right));

const position = ({ source }: Diagnostic): number => (source?.type === "file" ? (source.line ?? 0) * 100_000 + (source.column ?? 0) : 0);
