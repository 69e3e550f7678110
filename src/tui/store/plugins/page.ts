import type { Diagnostic } from "../../../schema/index.js";
import type { PageLine, PluginApproval, PluginRow, ProjectBehaviour, ProjectState } from "../../plugins/index.js";

/** What the administration is asked for. */
export type AdminDeed =
  | { readonly type: "list" }
  /** Whether the project waits for trust, without a page for it. */
  | { readonly type: "look-at-project" }
  | { readonly type: "set-enabled"; readonly id: string; readonly enabled: boolean }
  /** What approving it would allow. */
  | { readonly type: "ask-approval"; readonly id: string }
  | { readonly type: "approve"; readonly id: string }
  | { readonly type: "remove"; readonly id: string }
  /** What trusting the project would allow. */
  | { readonly type: "ask-trust" }
  | { readonly type: "trust"; readonly behaviour: ProjectBehaviour }
  | { readonly type: "reload" };

/** What comes of it. */
export type AdminNews =
  | { readonly type: "listed"; readonly rows: readonly PluginRow[]; readonly problems: readonly Diagnostic[] }
  | { readonly type: "project"; readonly project: ProjectState }
  | { readonly type: "approval-known"; readonly approval: PluginApproval }
  | { readonly type: "trust-known"; readonly project: ProjectState }
  /** It was done; `text` says what. */
  | { readonly type: "done"; readonly text: string; readonly isTrust?: true }
  | { readonly type: "failed"; readonly diagnostic: Diagnostic };

/** The list of plugins, or one of them. */
export interface PluginsPage {
  readonly type: "plugins";
  /** Undefined until they are known. */
  readonly rows: readonly PluginRow[] | undefined;
  /** Id of the row that keys are for. */
  readonly chosen: string | undefined;
  readonly isOpen: boolean;
  /** What is being done. */
  readonly busy: string | undefined;
  readonly message: { readonly tone: "info" | "warning" | "error"; readonly text: string } | undefined;
}

/** Something that is done only when a person agrees to all that is shown. */
export interface SurePage {
  readonly type: "sure";
  readonly title: string;
  readonly lines: readonly PageLine[];
  /** What `y` does, in words; undefined: it cannot be done. */
  readonly yes: string | undefined;
  readonly deed: AdminDeed;
  /** Where it leads back to. */
  readonly from: PluginsPage | undefined;
  /** Of the monotonic clock, as of an approval. */
  readonly shownAt: number | undefined;
}

export type Page = PluginsPage | SurePage;
