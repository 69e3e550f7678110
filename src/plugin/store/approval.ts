import type { Result } from "../../base/index.js";
import type { Grants } from "../../effect/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { addedGrants, describeBrought, describeReach, grantsHash } from "../grants/index.js";
import type { CompiledPlugin, GrantLine, ModuleLocation } from "../types.js";
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
  mcp: [],
  agent: false,
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
    grants: describeReach(compiled, others),
    added: before === undefined ? [] : addedSince(before, compiled, others),
    tools: compiled.tools.map(({ name }) => name),
    commands: compiled.commands.map(({ name }) => name),
    handlers: compiled.handlers.map(({ event }) => event),
    ...(before === undefined ? {} : { replaces: { version: before.version } }),
  };
}

/** What it may do now and could not when it was approved, as lines. */
export function addedSince(before: StoredPlugin, compiled: CompiledPlugin, others: readonly CompiledPlugin[] = []): readonly GrantLine[] {
  const { brought = [], grants = NOTHING } = before;
  const isNew = ({ facility, words }: GrantLine): boolean => !brought.some((had) => had.facility === facility && had.words === words);
  return [...describeBrought(compiled, others).filter(isNew), ...addedGrants(grants, compiled.grants)];
}

export interface ApprovedFrom {
  readonly source: PluginSource;
  readonly integrity?: string;
  /** ms since the epoch. */
  readonly approvedAt: number;
  /** All plugins there were then: a name that was taken with a person's consent is nothing new later. */
  readonly others: readonly CompiledPlugin[];
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
  brought: describeBrought(compiled, from.others).map(({ facility, words }) => ({ facility, words })),
});
