import type { KdlNode } from "../../config/index.js";
import type { CompiledPlugin } from "../types.js";
import { duplicateInManifest } from "./diagnostics.js";
import { type ManifestScope, placeOf, unknownProblem } from "./node-reader.js";

type Found = { readonly [Name in "command" | "prompt" | "key"]: readonly KdlNode[] };

/** What one node says of another: kinds of resources that `each` names, names of commands and keys that are there already. */
export function checkReferences(
  scope: ManifestScope,
  compiled: Pick<CompiledPlugin, "commands" | "resources" | "keys">,
  found: Found,
): void {
  const kinds = compiled.resources.map(({ kind }) => kind);
  for (const node of [...found.command, ...found.prompt]) checkEach(scope, node, kinds);
  checkAliases(scope, compiled.commands, found.command);
  const seen = new Set<string>();
  for (const [index, { key }] of compiled.keys.entries()) {
    const node = found.key[index];
    if (seen.has(key) && node !== undefined) scope.problems.push(duplicateInManifest(placeOf(scope, node), `key ${JSON.stringify(key)}`));
    seen.add(key);
  }
}

function checkEach(scope: ManifestScope, node: KdlNode, kinds: readonly string[]): void {
  const entry = node.entries.find(({ name }) => name === "each");
  if (entry === undefined || typeof entry.value !== "string" || kinds.includes(entry.value)) return;
  scope.problems.push(unknownProblem(scope, entry, { word: entry.value, owner: "the plugin's resources", words: kinds }));
}

function checkAliases(scope: ManifestScope, commands: CompiledPlugin["commands"], nodes: readonly KdlNode[]): void {
  const seen = new Set(commands.map(({ name }) => name));
  for (const [index, { aliases }] of commands.entries()) {
    for (const alias of aliases) {
      const entry = nodes[index]?.entries.find(({ name }) => name === "aliases");
      if (seen.has(alias) && entry !== undefined)
        scope.problems.push(duplicateInManifest(placeOf(scope, entry), `the command ${JSON.stringify(alias)}`));
      seen.add(alias);
    }
  }
}
