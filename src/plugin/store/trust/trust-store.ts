import { err, ok, type Result } from "../../../base/index.js";
import { findProjectRoot } from "../../../config/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { own, type RecordFileDeps, without } from "../record/index.js";
import type { ProjectBehaviour, TrustLook, TrustState, TrustStore } from "../types.js";
import { type BehaviourFiles, glanceAt, hasBehaviour, readBehaviour } from "./behaviour.js";
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
      const { root, trusted } = await standing(deps, cwd);
      if (root === undefined) return { state: "nothing-to-trust" };
      if (trusted === "nothing") return { root, state: "nothing-to-trust" };
      if (trusted === undefined) return { root, state: "untrusted", ...briefly(await glanceAt(root)) };
      const { state, found } = await compare(root, trusted);
      return { root, state, ...(found.type === "files" ? { hash: found.hash, ...briefly(found.files.map(({ name }) => name)) } : {}) };
    },
    state: async (cwd) => {
      const { root, trusted } = await standing(deps, cwd);
      if (root === undefined || trusted === "nothing") return { state: "nothing-to-trust" };
      const { state, found } = await compare(root, trusted);
      if (found.type === "nothing") return { state };
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

interface Standing {
  /** Undefined: `cwd` is no folder. */
  readonly root?: string;
  /** What is on record for it, the same or not; `nothing`: there is nothing to trust. */
  readonly trusted?: TrustedProject | "nothing";
}

/** Reads no file of the project: what is not on record need not be compared. */
async function standing({ dataDir }: TrustStoreDeps, cwd: string): Promise<Standing> {
  const root = await findProjectRoot(cwd);
  if (root === undefined) return {};
  if (!(await hasBehaviour(root))) return { root, trusted: "nothing" };
  const record = await readTrustRecord(dataDir);
  const trusted = record.ok ? own(record.value.projects, root) : undefined;
  return { root, ...(trusted === undefined ? {} : { trusted }) };
}

async function compare(
  root: string,
  trusted: TrustedProject | undefined,
): Promise<{ readonly state: TrustState; readonly found: BehaviourFiles }> {
  const found = await readBehaviour(root);
  if (found.type === "nothing") return { state: "nothing-to-trust", found };
  if (trusted === undefined) return { state: "untrusted", found };
  return { state: found.type === "files" && trusted.hash === found.hash ? "trusted" : "changed", found };
}

const briefly = (names: readonly string[] | undefined): Pick<TrustLook, "brings"> =>
  names === undefined ? {} : { brings: bringsOf(names) };

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
