import type { Clock, Result } from "../../base/index.js";
import type { CredentialSource, Diagnostic, McpEventState, McpServerSetting, McpServerView } from "../../schema/index.js";
import type { McpPort } from "../types.js";

/** What a process gives to its servers. Nothing of it is used before a server is configured. */
export interface McpHubDeps {
  readonly clock: Clock;
  /** Whole, credentials included: a server gets the basic variables and what its setting names. */
  readonly env: Readonly<Record<string, string>>;
  /** The workspace: where servers run. They are told of no roots: one that is takes them for its own folders, whatever its arguments say. */
  readonly cwd: string;
  /** Folder for what servers listed last; made when it is needed. */
  readonly cacheDir: string;
  readonly client: { readonly name: string; readonly version: string };
  /** Value of `{secret:NAME}` in a server's variables and headers. */
  readonly secret: (name: string) => string | undefined;
  /** Resolves a configured credential: from a variable, a file, a command. */
  readonly credential: (source: CredentialSource, signal: AbortSignal) => Promise<Result<string, Diagnostic>>;
  readonly tokens: McpTokenStore;
  /** Takes secrets out of what is told and kept of a server. */
  readonly conceal: (text: string) => string;
  /** Told of a token that came, so that it is hidden everywhere. */
  readonly onSecret: (name: string, value: string) => void;
  readonly randomBytes: (into: Uint8Array) => void;
}

/** Where sign-ins are kept, by server. Values never go anywhere else. */
export interface McpTokenStore {
  /** Undefined: there is none. A failure: what there is cannot be read. */
  load(server: string): Promise<Result<string | undefined, Diagnostic>>;
  /** Null forgets it. */
  save(server: string, value: string | null): Promise<Result<void, Diagnostic>>;
}

/** One thing that happened to a server, for people and for whoever shows states. */
export interface McpChange {
  readonly server: string;
  readonly state: McpEventState;
  readonly message: string;
}

/** All servers of a process: connects them beside everything else, keeps them, and ends them. */
export interface McpHub extends McpPort {
  /**
   * What is configured from now on: new servers begin to connect in the background, changed ones begin anew, others end. Returns at once;
   * what was listed last is read from the cache meanwhile.
   */
  configure(settings: readonly McpServerSetting[]): void;
  /** Told after `servers()` changed, with what happened where that is worth telling. Returns the unsubscribe function. */
  observe(listener: (change: McpChange | undefined) => void): () => void;
  /**
   * Resolves when every enabled server is connected, failed, or offers what was listed last; at the latest after the longest start time that
   * is waited for (10 s), or when `signal` aborts. A required one is waited for as long as its own setting says. The result is why a
   * required server cannot be used.
   */
  settled(signal: AbortSignal): Promise<Result<void, Diagnostic>>;
  /** What would be started or asked, in words, as far as that can be said without doing it. */
  look(setting: McpServerSetting): Promise<Result<string, Diagnostic>>;
  /** Connects one server afresh and says what it is and has; what is configured otherwise is not touched. */
  check(setting: McpServerSetting, signal: AbortSignal): Promise<Result<McpCheck, Diagnostic>>;
  /** Signs in with the server's authorization server: `onUrl` shows the address a person opens. */
  signIn(
    setting: McpServerSetting,
    use: { readonly signal: AbortSignal; readonly onUrl: (url: string) => void },
  ): Promise<Result<void, Diagnostic>>;
  /** Forgets a sign-in. Whether there was one. */
  signOut(setting: McpServerSetting): Promise<Result<boolean, Diagnostic>>;
  /** Ends all of them, with everything they started. */
  close(): Promise<void>;
  /** The same at once and synchronously, for a process about to end. */
  killNow(): void;
}

export interface McpCheck {
  readonly view: McpServerView;
  /** How long connecting and listing took, ms. */
  readonly tookMs: number;
  /** Last lines of what it wrote to stderr, at most 4 KiB. */
  readonly stderr: string;
  /** Lines on its stdout that were no messages, the first few. */
  readonly noise: readonly string[];
  /** Log messages it sent meanwhile, the last few, each with its level. */
  readonly log?: readonly string[];
}
