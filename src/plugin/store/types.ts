import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { ActivePlugin, CompiledPlugin, GrantLine, PluginOrigin } from "../types.js";

/** What is known of an installed plugin besides its files. Kept outside of any folder a plugin may write. */
export interface InstalledPlugin {
  readonly id: string;
  readonly version: string;
  readonly source: PluginSource;
  /** SHA-256 of the package tree as approved, hex. Another one is not used until a person approves it again. */
  readonly treeHash: string;
  /** SHA-256 of the grants as approved, hex. */
  readonly grantsHash: string;
  /** Subresource integrity of the archive it came from (`sha512-…`), for archives. */
  readonly integrity?: string;
  /** ms since the epoch. */
  readonly approvedAt: number;
  readonly enabled: boolean;
}

export type PluginSource =
  | { readonly type: "folder"; readonly path: string }
  | { readonly type: "archive"; readonly path: string }
  | { readonly type: "npm"; readonly name: string; readonly version: string; readonly registry: string };

/** Why a plugin that is there is not used. */
export type InactiveReason =
  "disabled" | "not-approved" | "changed" | "grants-widened" | "project-untrusted" | "overridden" | "broken" | "sdk-mismatch";

/** A plugin as lists and details show it. */
export interface PluginRecord {
  readonly id: string;
  readonly origin: PluginOrigin;
  readonly compiled?: CompiledPlugin;
  readonly dir?: string;
  readonly source?: PluginSource;
  readonly integrity?: string;
  /** Absent: it is used. */
  readonly inactive?: InactiveReason;
  readonly problems: readonly Diagnostic[];
}

/** Everything found, and of it what may be used. Finding runs no plugin code. */
export interface Discovery {
  readonly records: readonly PluginRecord[];
  readonly active: readonly ActivePlugin[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What a person has to agree to. */
export interface Approval {
  readonly id: string;
  readonly version: string;
  readonly description: string;
  readonly grants: readonly GrantLine[];
  /** Of an update: what it may do now and could not before. */
  readonly added: readonly GrantLine[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly handlers: readonly string[];
  readonly replaces?: { readonly version: string };
}

/** A package that was fetched, unpacked, checked and compiled in a temporary folder of the store, and is not installed yet. */
export interface InstallPlan {
  readonly approval: Approval;
  readonly source: PluginSource;
  readonly integrity?: string;
  readonly warnings: readonly Diagnostic[];
  /** Moves it into place and records the approval, whole or not at all. */
  install(): Promise<Result<InstalledPlugin, Diagnostic>>;
  /** Removes what was unpacked. Safe to call again, also after install. */
  discard(): Promise<void>;
}

export interface PluginStore {
  /** `spec`: a folder, a `.tgz` file, or a package of the registry as `npm:name[@version]`. Runs nothing of it. */
  plan(spec: string, options: { readonly cwd: string; readonly signal: AbortSignal }): Promise<Result<InstallPlan, readonly Diagnostic[]>>;
  remove(id: string): Promise<Result<{ readonly removed: string }, Diagnostic>>;
  setEnabled(id: string, enabled: boolean): Promise<Result<void, Diagnostic>>;
  /** What approving the plugin as it is now would allow. */
  approval(id: string): Promise<Result<Approval, readonly Diagnostic[]>>;
  approve(id: string): Promise<Result<InstalledPlugin, readonly Diagnostic[]>>;
}

/** What a project would do by itself once it is trusted: each file that has a say, with what it would do. */
export interface ProjectBehaviour {
  /** Real path of the project. */
  readonly root: string;
  /** SHA-256 over all of it, hex; another one asks again. */
  readonly hash: string;
  readonly items: readonly { readonly path: string; readonly what: string }[];
  /** Why it cannot be trusted as it is, as a sentence; `hash` is then empty. Absent: it can. */
  readonly refused?: string;
}

export type TrustState = "trusted" | "untrusted" | "changed" | "nothing-to-trust";

export interface TrustLook {
  readonly state: TrustState;
  readonly root?: string;
  /** As in {@link ProjectBehaviour}. Absent where nothing is on record to compare it with. */
  readonly hash?: string;
  /** What the project brings, a few words for each kind: `settings`, `1 plugin (acme.lint)`. Absent where it cannot be told. */
  readonly brings?: readonly string[];
}

export interface TrustStore {
  /**
   * The answer alone, on the way to a prompt. Of a project on record every file with a say is read and none parsed; of any other it is only
   * seen that there is one.
   */
  look(cwd: string): Promise<TrustLook>;
  /** Undefined behaviour: the project has nothing that needs trust. */
  state(cwd: string): Promise<{ readonly state: TrustState; readonly behaviour?: ProjectBehaviour }>;
  trust(behaviour: ProjectBehaviour): Promise<Result<void, Diagnostic>>;
  revoke(root: string): Promise<Result<boolean, Diagnostic>>;
}
