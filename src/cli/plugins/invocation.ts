import type { PluginKind } from "../../runtime/index.js";
import type { CommonFlags } from "../given-flags.js";

interface Common {
  readonly common: CommonFlags;
  readonly json: boolean;
}

interface Asking extends Common {
  /** Agrees to what would be asked. */
  readonly yes: boolean;
}

export interface ListPlugins extends Common {
  readonly type: "plugins list";
}

export interface InfoInvocation extends Common {
  readonly type: "plugins info";
  readonly id: string;
}

export interface InstallInvocation extends Asking {
  readonly type: "plugins install";
  readonly specs: readonly string[];
}

export interface RemoveInvocation extends Asking {
  readonly type: "plugins remove";
  readonly id: string;
}

export interface SwitchInvocation extends Common {
  readonly type: "plugins enable" | "plugins disable";
  readonly id: string;
}

export interface TrustInvocation extends Asking {
  readonly type: "plugins trust";
  readonly what: { readonly type: "plugin"; readonly id: string } | { readonly type: "project" } | { readonly type: "revoke" };
}

export interface CheckInvocation extends Common {
  readonly type: "plugins check";
  readonly dir: string;
}

export interface NewInvocation extends Common {
  readonly type: "plugins new";
  readonly dir: string;
  readonly kind: PluginKind;
  /** Absent: made from the folder's name. */
  readonly id: string | undefined;
}

export type PluginsInvocation =
  | ListPlugins
  | InfoInvocation
  | InstallInvocation
  | RemoveInvocation
  | SwitchInvocation
  | TrustInvocation
  | CheckInvocation
  | NewInvocation;
