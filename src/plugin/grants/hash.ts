import { createHash } from "node:crypto";
import type { GrantRoot, Grants } from "../../effect/index.js";
import { methodsOf } from "./covers.js";

/** SHA-256 over what is granted, hex. The order in which a manifest names it and names given twice do not count. */
export const grantsHash = (grants: Grants): string => createHash("sha256").update(canonical(grants)).digest("hex");

/** A list, not an object: every field has its place, and a field that is added changes every hash. */
const canonical = (grants: Grants): string =>
  JSON.stringify([
    "grants-2",
    sorted(grants.fsRead.map(rootWord)),
    sorted(grants.fsWrite.map(rootWord)),
    sorted(grants.search.map(rootWord)),
    sorted(grants.process),
    sorted(grants.processEnv),
    sorted(grants.net.map((grant) => JSON.stringify([grant.origin, sorted(methodsOf(grant)), grant.private]))),
    grants.evaluate,
    grants.vcs,
    sorted(grants.state.map(({ scope, maxBytes }) => JSON.stringify([scope, maxBytes]))),
    sorted(grants.ui),
    sorted(grants.secrets),
    sorted(grants.mcp),
    grants.agent,
  ]);

const rootWord = (root: GrantRoot): string => (typeof root === "string" ? root : `path:${root.path}`);

const sorted = (words: readonly string[]): readonly string[] => [...new Set(words)].sort();
