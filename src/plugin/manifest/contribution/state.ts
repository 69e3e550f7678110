import type { KdlNode } from "../../../config/index.js";
import type { StateGrant } from "../../../effect/index.js";
import type { StateScope } from "../../../schema/index.js";
import type { StateContribution } from "../../types.js";
import { WORD } from "../names.js";
import { type ManifestScope, readChildren, readChoice, readCount, readName, readProperties, requireValue } from "../node-reader.js";

const MAX_KIB = { usual: 64, min: 1, max: 1_024 };
const SCOPES: readonly [StateScope, ...StateScope[]] = ["session", "branch", "project", "user"];

/** `state "rules" scope="project" version=1 max-kib=64 fork="copy"` */
export function compileState(scope: ManifestScope, plugin: string, node: KdlNode): StateContribution {
  const key = readName(scope, node, WORD);
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, { scope: "text", version: "integer", "max-kib": "integer", fork: "text" });
  const value = requireValue(scope, node, { name: "scope", value: properties.scope, fallback: SCOPES[0] });
  return {
    key,
    plugin,
    scope: readChoice(scope, node, { name: "scope", value }, SCOPES),
    version: readCount(scope, node, { name: "version", value: properties.version }, { usual: 1, min: 1, max: 1_000_000 }),
    maxBytes: readCount(scope, node, { name: "max-kib", value: properties["max-kib"] }, MAX_KIB) * 1_024,
    fork: readChoice(scope, node, { name: "fork", value: properties.fork }, ["copy", "fresh"]),
  };
}

/** Declaring state is asking for it: of each scope as much as its states may hold together. */
export const stateGrants = (states: readonly StateContribution[]): readonly StateGrant[] =>
  SCOPES.flatMap((scope) => {
    const maxBytes = states.filter((state) => state.scope === scope).reduce((sum, state) => sum + state.maxBytes, 0);
    return maxBytes === 0 ? [] : [{ scope, maxBytes }];
  });
