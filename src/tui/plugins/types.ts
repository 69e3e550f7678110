import type { PluginAdmin, Runtime } from "../../runtime/index.js";
import type { StyleName } from "../theme/index.js";

/** What plugins bring to the interface, in the words of the runtime's contract. */
export type Contributions = ReturnType<Runtime["contributions"]>;
export type CommandInfo = Contributions["commands"][number];
export type KeyInfo = Contributions["keys"][number];
export type ThemeInfo = Contributions["themes"][number];

export type PluginDiscovery = Awaited<ReturnType<PluginAdmin["discover"]>>;
export type PluginRecord = PluginDiscovery["records"][number];
type Approved = Extract<Awaited<ReturnType<PluginAdmin["approval"]>>, { readonly ok: true }>;
export type PluginApproval = Approved["value"];
export type GrantLine = PluginApproval["grants"][number];
export type ProjectState = Awaited<ReturnType<PluginAdmin["trust"]["state"]>>;
export type ProjectBehaviour = NonNullable<ProjectState["behaviour"]>;

/** Looking after plugins from the interface. Loaded when it is first needed. */
export interface AdminPort {
  readonly admin: PluginAdmin;
  /** What a plugin may do, in words for people. */
  readonly grantsOf: (compiled: NonNullable<PluginRecord["compiled"]>) => readonly GrantLine[];
}

/** The part of the runtime that stays when sessions change. */
export type PluginRuntime = Pick<Runtime, "contributions" | "observeContributions" | "reload">;

/** A line of a page: sanitized. */
export interface PageLine {
  readonly text: string;
  readonly style?: StyleName;
  /** Cells before it and before the rows it is wrapped to. */
  readonly indent?: number;
  /** Further cells before rows it goes on with. */
  readonly hang?: number;
}

/** What can be done about a plugin where it comes from and as it is. */
export type PluginDeed = "enable" | "disable" | "approve" | "remove" | "trust";

/** A plugin as the list and its details show it; every text is sanitized. */
export interface PluginRow {
  readonly id: string;
  readonly version: string;
  readonly origin: PluginRecord["origin"];
  readonly state: string;
  readonly isUsed: boolean;
  readonly isWrong: boolean;
  readonly brings: string;
  readonly details: readonly PageLine[];
  readonly deeds: readonly PluginDeed[];
}
