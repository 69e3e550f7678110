import type { TrustState, TrustStore } from "../types.js";
import { findProjectRoot } from "../../../config/index.js";

/** What a run may use of its project. Asked once; everything that reads something of the project goes by the same answer. */
export interface ProjectTrust {
  /** Real path. */
  readonly root: string;
  readonly state: TrustState;
  /** What the project brings, a few words for each kind; empty where it cannot be told, or nobody is to be told. */
  readonly brings: readonly string[];
  /** Whether the project is still what the answer was given for: asked again after something of it was read. */
  isCurrent(): Promise<boolean>;
  /** The person decided by a flag: nothing needs to be said. */
  readonly isQuiet: boolean;
}

/**
 * The project of `cwd`. `given` is what a flag says for this run: true trusts whatever is there, false nothing; undefined goes by the
 * record. Undefined where `cwd` is no folder.
 */
export async function resolveProjectTrust(trust: TrustStore, cwd: string, given: boolean | undefined): Promise<ProjectTrust | undefined> {
  const root = await findProjectRoot(cwd);
  if (root === undefined) return undefined;
  if (given !== undefined)
    return { root, state: given ? "trusted" : "untrusted", brings: [], isCurrent: () => Promise.resolve(true), isQuiet: true };
  const { state, hash, brings = [] } = await trust.look(root);
  return {
    root,
    state,
    brings,
    isCurrent: async () => {
      const now = await trust.look(root);
      return now.state === state && now.hash === hash;
    },
    isQuiet: false,
  };
}
