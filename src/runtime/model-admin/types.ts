import type { Result } from "../../base/index.js";
import type { ConnectionState, FactRow, ModelEntry, RefreshReport, Route } from "../../provider/index.js";
import type { Diagnostic, ModelRef, ThinkingLevel } from "../../schema/index.js";

/** A place where a key can be, for a person's eyes: never its value. */
export interface AuthPlace {
  /** A variable's name, `auth:NAME` of the auth file, `command:CONNECTION`. */
  readonly name: string;
  readonly isSet: boolean;
  /** Its first and last characters, where it is long enough and known. */
  readonly masked?: string;
  /** What keeps it from being sent, in words that do not show it. */
  readonly fault?: string;
  readonly kind?: "key" | "oauth";
  /** ms since the epoch. */
  readonly expiresAt?: number;
  /** It is renewed by itself when it has run out. */
  readonly isRenewable?: boolean;
}

/** A provider, or a connection a person configured: what a key is for. */
export interface AuthAccount {
  /** What login, logout and check take; no two have the same. */
  readonly name: string;
  readonly title: string;
  readonly provider: string;
  readonly needsKey: boolean;
  /** In the order in which they are looked at: the first that is set is used. */
  readonly places: readonly AuthPlace[];
  /** How a person logs in: by a key they have, or by a code they agree to in a browser. */
  readonly login: "key" | "device";
}

export interface AuthOverview {
  /** In the order in which they are shown. */
  readonly accounts: readonly AuthAccount[];
  /** Names in the auth file, also of what is not there any more. */
  readonly stored: readonly string[];
  /** Absolute path of the auth file, there or not. */
  readonly file: string;
  /** Of the auth file and of plugins whose providers are missing here. */
  readonly problems: readonly Diagnostic[];
}

/** What a person has to do for a login that a browser agrees to. */
export interface DevicePrompt {
  readonly url: string;
  /** The same with the code in it. */
  readonly completeUrl?: string;
  readonly userCode: string;
  readonly expiresAt: number;
  /** Resolves when it is stored, was denied, ran out, or was stopped. */
  finish(): Promise<Result<void, Diagnostic>>;
}

/** `problem` says which places were looked at and how to mend it; no value is in it. */
export type AuthCheck =
  | { readonly state: "ready"; readonly place?: string; readonly models?: number }
  | { readonly state: "not-set" | "refused" | "unreachable"; readonly place?: string; readonly problem: Diagnostic };

/** Looking after keys, without a session. What the command line needs of the runtime for it. */
export interface AuthAdmin {
  overview(): Promise<AuthOverview>;
  /** Puts a key in the auth file, in place of what is there under that name. Trims it; one that no header can carry is refused. */
  storeKey(name: string, key: string): Promise<Result<void, Diagnostic>>;
  /** For an account whose `login` is `device`. */
  startDeviceLogin(name: string, signal: AbortSignal): Promise<Result<DevicePrompt, Diagnostic>>;
  /** Takes an entry out of the auth file; false: there was none. */
  remove(name: string): Promise<Result<boolean, Diagnostic>>;
  /** Makes its key ready and sends one cheap request with it: the list of models. */
  check(name: string, signal: AbortSignal): Promise<AuthCheck>;
}

/** Everything that is known of models, without a session. */
export interface ModelAdmin {
  /** By provider in the order of preference, newest first within one. */
  entries(): readonly ModelEntry[];
  /** Always answers: of a model nobody knows, with no facts. `connection` prefers what that very server said. */
  find(ref: ModelRef, connection?: string): ModelEntry;
  /** Whether the words are in a name as they may be in a selection. */
  isMatch(words: string, name: string): boolean;
  /** What is known of a model, fact by fact, with who says so and who says otherwise. */
  describe(entry: ModelEntry): readonly FactRow[];
  connections(): readonly ConnectionState[];
  /** What a selection means now; absent: what is used when nothing is chosen. Asks nobody. */
  route(selection: string | undefined, thinking?: ThinkingLevel): Result<Route, Diagnostic>;
  /** Looks for servers of this machine when nothing else is set up, as a run does. What was found counts for `route` then. */
  lookAround(): Promise<void>;
  /** When servers were last asked, ms since the epoch; absent: never. */
  readonly refreshedAt: number | undefined;
  /** Aliases and groups of configuration, with their meaning. */
  readonly names: readonly { readonly type: "alias" | "group"; readonly name: string; readonly members: readonly string[] }[];
  /**
   * Asks every connection that is set up for its models, and servers of this machine where those are looked for (or only those named, where
   * any are), and keeps what they say. `stale`: another process asked later; `aborted`: nothing was kept.
   */
  refresh(options: {
    readonly only: readonly string[];
    readonly signal: AbortSignal;
    readonly onReport: (report: RefreshReport) => void;
  }): Promise<Result<"published" | "stale" | "aborted", Diagnostic>>;
  readonly auth: AuthAdmin;
  close(): Promise<void>;
}
