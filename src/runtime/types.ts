import type { CallId, EntryId, Result, SessionId, SubmissionId } from "../base/index.js";
import type {
  AccessMode,
  Diagnostic,
  Entry,
  ModelRef,
  OwnerInfo,
  QueuedInput,
  RunLimits,
  RunReason,
  RunStatus,
  SessionSummary,
  SmithEvent,
  ToolDefinition,
  Usage,
} from "../schema/index.js";

/** The one facade. Frontends and the embedding API see this and nothing below it. */
export interface Runtime {
  readonly cwd: string;
  readonly version: string;
  create(options?: OpenOptions & { readonly name?: string; readonly temporary?: boolean }): Promise<Result<RuntimeSession, Diagnostic>>;
  /** Writer access, or read access with `owner` set when another process writes it. `want: "write"` refuses that with `session.busy` (exit 4). */
  open(id: SessionId, options?: OpenOptions & { readonly want?: "write" | "any" }): Promise<Result<RuntimeSession, Diagnostic>>;
  /** Newest session whose recorded cwd is this runtime's. */
  newest(): Promise<Result<SessionId, Diagnostic>>;
  resolve(name: string): Promise<Result<SessionId, Diagnostic>>;
  readonly tools: readonly ToolDefinition[];
  close(): Promise<void>;
  /** Ends every running command at once and synchronously: what a process does last when it cannot wait for `close`. */
  killNow(): void;
}

export interface OpenOptions {
  readonly mode?: AccessMode;
  readonly limits?: Partial<RunLimits>;
  /** Only these tools; empty for none; absent for all. */
  readonly tools?: readonly string[];
  /** A frontend that can answer questions. Without it `ask` means `deny`. */
  readonly interactive?: boolean;
  /** What the person has to know before anything else; told at the end of the first page of the backlog. */
  readonly notices?: readonly Diagnostic[];
  /** Awaited before each round: bounds what a reader that falls behind makes us keep. */
  readonly ready?: () => Promise<void>;
}

export interface RunEnd {
  readonly status: RunStatus;
  readonly reason: RunReason;
  readonly reply: string;
  readonly usage?: Usage;
  readonly error?: Diagnostic;
}

/** Durable proof of admission. `settled` resolves at the terminal receipt; it never rejects. */
export interface Receipt {
  readonly submission: SubmissionId;
  readonly queued: boolean;
  readonly settled: Promise<RunEnd>;
}

/** What the status line and a reconnecting client need, as one stable value. The reference changes only when a field does. */
export interface SessionStatus {
  readonly running: boolean;
  readonly access: "read" | "write";
  readonly owner?: OwnerInfo;
  readonly mode: AccessMode;
  readonly model: ModelRef;
  /** `offline`, `OPENAI_BASE_URL` … what made this model the one. */
  readonly modelSource: string;
  readonly name?: string;
  readonly queue: readonly QueuedInput[];
  readonly usage?: Usage;
  readonly contextTokens?: number;
  readonly contextLimit?: number;
  readonly pendingApproval?: { readonly id: CallId; readonly name: string; readonly argsSummary: string };
}

export interface RuntimeSession {
  readonly id: SessionId;
  readonly path: string;
  status(): SessionStatus;
  /** Resolves after the admission is durable, not when the work is done. While a run goes on, `delivery` decides where the input waits (default steer). */
  submit(input: {
    readonly text: string;
    readonly key?: string;
    readonly delivery?: "steer" | "follow-up";
  }): Promise<Result<Receipt, Diagnostic>>;
  /** Takes a queued input back before its delivery; `false` when it was already delivered. */
  withdraw(submission: SubmissionId): Promise<boolean>;
  /** Every event from now on, in order. Returns the unsubscribe function; cancelling is not aborting. A listener that throws is reported and keeps its place. */
  observe(listener: (event: SmithEvent) => void): () => void;
  /** Durable history as events, oldest first: the last `limit` entries before `before` (default: the leaf). */
  backlog(options: {
    readonly limit: number;
    readonly before?: EntryId;
  }): Promise<{ readonly events: readonly SmithEvent[]; readonly next?: EntryId }>;
  /** Aborts the running turn. Resolves when it has settled; queued input is withdrawn and returned, so nothing is half-sent. */
  abort(): Promise<readonly QueuedInput[]>;
  answer(call: CallId, verdict: "once" | "session" | "deny"): void;
  setMode(mode: AccessMode): void;
  rename(name: string): Promise<Result<void, Diagnostic>>;
  /** Seals admission, stops work, releases ownership. Temporary stores are removed when `clean`. */
  close(options?: { readonly clean?: boolean }): Promise<void>;
}

/** Read-only inspection, usable without plugins, providers or credentials. */
export interface Inspection {
  list(options?: { readonly signal?: AbortSignal }): AsyncIterable<SessionSummary>;
  resolve(name: string): Promise<Result<SessionId, Diagnostic>>;
  entries(id: SessionId, options?: { readonly signal?: AbortSignal }): AsyncIterable<Result<Entry, Diagnostic>>;
  /** Matches line by line, session by session (newest first); damage is reported and the rest still searched. */
  grep(
    pattern: RegExp,
    options?: { readonly sessions?: readonly SessionId[]; readonly signal?: AbortSignal },
  ): AsyncIterable<Result<GrepMatch, Diagnostic>>;
}

/** One matching line of recorded content. */
export interface GrepMatch {
  readonly session: SessionId;
  readonly entry: EntryId;
  readonly type: Entry["type"];
  readonly time: number;
  /** Which part of the entry: text, args, output, thinking … */
  readonly part: string;
  readonly line: number;
  readonly text: string;
}
