import { err, ok, type Result } from "../../../base/index.js";
import { findProjectRoot } from "../../../config/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { own, type RecordFileDeps, without } from "../record/index.js";
import type { ProjectBehaviour, TrustState, TrustStore } from "../types.js";
import { type BehaviourFiles, readBehaviour } from "./behaviour.js";
import { bringsOf } from "./brings.js";
import { untrustable } from "./diagnostics.js";
import type { ItemDeps } from "./items.js";
import { createTrustRecord, readTrustRecord } from "./trust-record.js";
import type { TrustedProject } from "./trusted-project.js";

export interface TrustStoreDeps extends RecordFileDeps, ItemDeps {
  /** Of the record of trusted projects, `trust.json`. */
  readonly dataDir: string;
}

/**
 * Which projects a person trusts, and for what: the hash over everything with a say in them. A record that cannot be read trusts
 * nothing. Runs nothing of a project.
 */
export function createTrustStore(deps: TrustStoreDeps): TrustStore {
  const record = createTrustRecord(deps.dataDir, deps);
  return {
    look: async (cwd) => {
      const { root, state, found } = await look(deps, cwd);
      const facts = found.type === "files" ? { hash: found.hash, brings: bringsOf(found.files) } : {};
      return { state, ...(root === undefined ? {} : { root }), ...facts };
    },
    state: async (cwd) => {
      const { root, state, found, trusted } = await look(deps, cwd);
      if (root === undefined || found.type === "nothing") return { state };
      // The same files were described when they were trusted.
      if (state === "trusted" && trusted !== undefined) return { state, behaviour: { root, hash: trusted.hash, items: trusted.items } };
      return { state, behaviour: await describe(deps, root, found) };
    },
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

interface Look {
  readonly root?: string;
  readonly state: TrustState;
  readonly found: BehaviourFiles;
  /** What is on record for it, the same or not. */
  readonly trusted?: TrustedProject;
}

async function look({ dataDir }: TrustStoreDeps, cwd: string): Promise<Look> {
  const root = await findProjectRoot(cwd);
  if (root === undefined) return { state: "nothing-to-trust", found: { type: "nothing" } };
  const found = await readBehaviour(root);
  if (found.type === "nothing") return { root, state: "nothing-to-trust", found };
  const record = await readTrustRecord(dataDir);
  const trusted = record.ok ? own(record.value.projects, root) : undefined;
  if (trusted === undefined) return { root, state: "untrusted", found };
  return { root, state: found.type === "files" && trusted.hash === found.hash ? "trusted" : "changed", found, trusted };
}

async function describe(
  deps: TrustStoreDeps,
  root: string,
  found: Exclude<BehaviourFiles, { readonly type: "nothing" }>,
): Promise<ProjectBehaviour> {
  if (found.type === "refused") {
    return { root, hash: "", items: [{ path: found.path, what: found.reason }], refused: `${found.path}: ${found.reason}` };
  }
  const { describeItems } = await import("./items.js");
  return { root, hash: found.hash, items: await describeItems(root, found.files, deps) };
}
