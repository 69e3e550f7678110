import type { Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";

/** A key as a person pasted it. */
export interface KeyEntry {
  readonly type: "key";
  readonly key: string;
}

/** What a device login brought, and all that is needed to renew it: nothing of it is looked up elsewhere, so it goes nowhere else. */
export interface OauthEntry {
  readonly type: "oauth";
  readonly access: string;
  /** Absent: it cannot be renewed. */
  readonly refresh?: string;
  /** ms since the epoch; absent: the server did not say. */
  readonly expiresAt?: number;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export type AuthEntry = KeyEntry | OauthEntry;

/** By name: a provider's id, or a connection's. */
export type AuthEntries = ReadonlyMap<string, AuthEntry>;

/** The auth file as it was at one moment. */
export interface AuthSnapshot {
  readonly entries: AuthEntries;
  /** What a person should know of a file that can be used. */
  readonly warnings: readonly Diagnostic[];
}

export const NO_AUTH: AuthSnapshot = { entries: new Map(), warnings: [] };

/** How a command for a key is run: by the user's shell, in the user's environment, with nothing on its standard input. */
export interface CommandRun {
  readonly command: string;
  readonly timeoutMs: number;
  /** UTF-8 bytes of each stream that are of use; what comes after may be dropped. */
  readonly maxBytes: number;
}

/** How it ended. After an abort or the time limit nothing it started is left running. */
export type CommandEnd =
  | { readonly type: "exit"; readonly status: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly type: "timeout" }
  | { readonly type: "aborted" }
  /** It could not be started; `reason` is the system's word. */
  | { readonly type: "unstarted"; readonly reason: string };

export type RunCommand = (run: CommandRun, signal: AbortSignal) => Promise<CommandEnd>;

export interface TokenAnswer {
  readonly status: number;
  /** At most 1 MiB. */
  readonly body: string;
}

/**
 * Posts a form (`application/x-www-form-urlencoded`, `Accept: application/json`), following no redirect. Any status is an answer.
 * Resolves soon after `signal` aborts.
 */
export type PostForm = (
  url: string,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Result<TokenAnswer, Diagnostic>>;

/** How a person signs in to a provider without a key, as its manifest says. */
export interface OauthData {
  readonly clientId: string;
  readonly tokenUrl: string;
  readonly deviceUrl: string;
  readonly scopes: readonly string[];
}
