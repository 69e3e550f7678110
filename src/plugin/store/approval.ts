import type { Result } from "../../base/index.js";
import type { Grants } from "../../effect/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { addedGrants, describeReach, describeReplaced, grantsHash } from "../grants/index.js";
import type { CompiledPlugin, ModuleLocation } from "../types.js";
import type { StoredPlugin } from "./record/index.js";
import type { Approval, PluginSource } from "./types.js";

/** A package of a folder, compiled and ready to run. */
export interface PackageAtHand {
  readonly compiled: CompiledPlugin;
  readonly modules: ModuleLocation;
  /** SHA-256 over every file of it, hex. */
  readonly treeHash: string;
  /** Real path of the folder. */
  readonly dir: string;
}

/** Compiles the package of a folder without running any of it. Heavy at its first use: asked for only where there is a package. */
export type LoadPackage = (dir: string) => Promise<Result<PackageAtHand, readonly Diagnostic[]>>;

const NOTHING: Grants = {
  fsRead: [],
  fsWrite: [],
  search: [],
  process: [],
  processEnv: [],
  net: [],
  evaluate: false,
  vcs: false,
  state: [],
  ui: [],
  secrets: [],
};

/** What a person has to agree to, compared with what was approved before. `others` are all plugins there are. */
export function describeApproval(
  { compiled }: Pick<PackageAtHand, "compiled">,
  before: StoredPlugin | undefined,
  others: readonly CompiledPlugin[],
): Approval {
  return {
    id: compiled.id,
    version: compiled.version,
    description: compiled.description,
    grants: [...describeReplaced(compiled, others), ...describeReach(compiled)],
    added: before === undefined ? [] : addedGrants(approvedBefore(before), compiled.grants),
    tools: compiled.tools.map(({ name }) => name),
    commands: compiled.commands.map(({ name }) => name),
    handlers: compiled.handlers.map(({ event }) => event),
    ...(before === undefined ? {} : { replaces: { version: before.version } }),
  };
}

export const approvedBefore = (before: StoredPlugin): Grants => before.grants ?? NOTHING;

/** Whether it may do what it could not when it was approved. */
export const isWider = (before: StoredPlugin, compiled: CompiledPlugin): boolean =>
  grantsHash(compiled.grants) !== before.grantsHash && addedGrants(approvedBefore(before), compiled.grants).length > 0;

export interface ApprovedFrom {
  readonly source: PluginSource;
  readonly integrity?: string;
  /** ms since the epoch. */
  readonly approvedAt: number;
}

/** The entry of a package a person agreed to. */
export const approvedEntry = ({ compiled, treeHash }: PackageAtHand, from: ApprovedFrom): StoredPlugin => ({
  id: compiled.id,
  version: compiled.version,
  source: from.source,
  treeHash,
  grantsHash: grantsHash(compiled.grants),
  ...(from.integrity === undefined ? {} : { integrity: from.integrity }),
  approvedAt: from.approvedAt,
  enabled: true,
  grants: compiled.grants,
});
