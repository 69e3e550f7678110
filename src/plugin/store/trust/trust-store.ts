import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { LoadPackage } from "../approval.js";
import { own, type RecordFileDeps, without } from "../record/index.js";
import type { ProjectBehaviour, TrustState, TrustStore } from "../types.js";
import { type BehaviourFiles, readBehaviour } from "./behaviour.js";
import { untrustable } from "./diagnostics.js";
import { describeItems } from "./items.js";
import { findProjectRoot } from "./project-root.js";
import { createTrustRecord, readTrustRecord } from "./trust-record.js";

export interface TrustStoreDeps extends RecordFileDeps {
  /** Of the record of trusted projects, `trust.json`. */
  readonly dataDir: string;
  readonly loadPackage: LoadPackage;
}

/**
 * Which projects a person trusts, and for what: the hash over everything with a say in them. A record that cannot be read trusts
 * nothing. Runs nothing of a project.
 */
export function createTrustStore(deps: TrustStoreDeps): TrustStore {
  const record = createTrustRecord(deps.dataDir, deps);
  return {
    state: async (cwd) => await stateOf(deps, cwd),
    trust: async (behaviour) => {
      const { root, hash, items, refused } = behaviour;
      if (refused !== undefined) return err(untrustable(root, refused));
      return await record.change(async ({ value, write }) => {
        const entry = { hash, items, trustedAt: deps.clock.now() };
        await write({ ...value, projects: { ...value.projects, [root]: entry } });
        return ok(undefined);
      });
    },
    revoke: async (root) => {
      const real = (await findProjectRoot(root)) ?? root;
      return await record.change(async ({ value, write }): Promise<Result<boolean, Diagnostic>> => {
        if (own(value.projects, real) === undefined) return ok(false);
        await write({ ...value, projects: without(value.projects, real) });
        return ok(true);
      });
    },
  };
}

async function stateOf(deps: TrustStoreDeps, cwd: string): Promise<{ readonly state: TrustState; readonly behaviour?: ProjectBehaviour }> {
  const root = await findProjectRoot(cwd);
  if (root === undefined) return { state: "nothing-to-trust" };
  const found = await readBehaviour(root);
  if (found.type === "nothing") return { state: "nothing-to-trust" };
  const record = await readTrustRecord(deps.dataDir);
  const trusted = record.ok ? own(record.value.projects, root) : undefined;
  if (found.type === "files" && trusted?.hash === found.hash) {
    // The same files were described when they were trusted; that saves compiling them on the way to a prompt.
    return { state: "trusted", behaviour: { root, hash: found.hash, items: trusted.items } };
  }
  return { state: trusted === undefined ? "untrusted" : "changed", behaviour: await describe(deps, root, found) };
}

async function describe(
  deps: TrustStoreDeps,
  root: string,
  found: Exclude<BehaviourFiles, { readonly type: "nothing" }>,
): Promise<ProjectBehaviour> {
  if (found.type === "refused") {
    return { root, hash: "", items: [{ path: found.path, what: found.reason }], refused: `${found.path}: ${found.reason}` };
  }
  return { root, hash: found.hash, items: await describeItems(root, found.files, deps.loadPackage) };
}
