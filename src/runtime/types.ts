import type { CallId, EffectId, EntryId, JsonObject, JsonValue, Result, SessionId, SubmissionId } from "../base/index.js";
import type {
  AccessMode,
  ContextEditEntry,
  Diagnostic,
  Entry,
  EntryType,
  ImagePart,
  Message,
  ModelRef,
  MutationState,
  OwnerInfo,
  Position,
  Question,
  QuestionAnswer,
  QueuedInput,
  RequestEntry,
  RunLimits,
  RunReason,
  RunStatus,
  Sampling,
  SessionSummary,
  SmithEvent,
  Spend,
  StatusItem,
  ThinkingLevel,
  ToolDefinition,
  Usage,
} from "../schema/index.js";
import type { ModelAdmin } from "./model-admin/types.js";
import type { KeyContribution, ThemeContribution } from "../plugin/index.js";
import type {
  CostReport,
  Finding,
  GrepMatch,
  GrepOptions,
  ListOptions,
  MessageCost,
  NewSession,
  RepairReport,
  VerifyReport,
} from "../session/index.js";

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
  /** A new, independently writable session from a branch of another one; the source is only read. Open it with `open`. */
  fork(source: SessionId, at?: EntryId): Promise<Result<NewSession, Diagnostic>>;
  readonly tools: readonly ToolDefinition[];
  /**
   * Resolves when the tools of configured servers are among them, as far as a run waits for that: at once where there are none, or when
   * `signal` aborts. A server that cannot be reached is told beside this.
   */
  toolsReady(signal: AbortSignal): Promise<void>;
  /** Those of them that `RuntimeSession.callTool` takes where only `chosen` may be used; left out: those of the settings. */
  callable(chosen?: readonly string[]): readonly ToolDefinition[];
  /** Why these cannot be chosen: not all of them are there. */
  refusedTools(chosen: readonly string[]): Diagnostic | undefined;
  /** What a command that is made of a collected file would send the model; it sends nothing, and no effect of it is let through. */
  prompt(name: string, args: string, signal: AbortSignal): Promise<Result<string, Diagnostic>>;
  /** What plugins bring to a frontend, as of the current generation; the reference changes with it. */
  contributions(): Contributions;
  /** Told after the contributions changed. Returns the unsubscribe function. */
  observeContributions(listener: () => void): () => void;
  /** What a selection can name, as of the current generation. */
  models(): ModelView;
  /** Reads every plugin, resource and approval again and uses what is found from the next request on. Empty: nothing changed. */
  reload(): Promise<Result<readonly string[], readonly Diagnostic[]>>;
  close(): Promise<void>;
  /** Ends every running command at once and synchronously: what a process does last when it cannot wait for `close`. */
  killNow(): void;
}

/** What is known of models while sessions are open. Reads only: no server is asked for it. */
export interface ModelView extends Pick<ModelAdmin, "entries" | "connections" | "route" | "names"> {
  /** Always answers: of a model nobody knows, with no facts. */
  find(ref: ModelRef): ReturnType<ModelAdmin["entries"]>[number];
}

export interface Contributions {
  readonly generation: number;
  readonly commands: readonly CommandInfo[];
  readonly themes: readonly ThemeContribution[];
  readonly keys: readonly KeyContribution[];
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
  /** Collected files, without their text. */
  readonly resources: readonly ResourceInfo[];
  readonly plugins: readonly { readonly id: string; readonly version: string; readonly origin: string }[];
}

/** A command as menus and help show it. */
export interface CommandInfo {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly plugin: string;
  readonly description: string;
  readonly usage?: string;
  /** Kind of the collected file it is made of. */
  readonly resource?: string;
}

export interface ResourceInfo {
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly from: string;
}

/** How a call that no model made ended. */
export interface ToolCallEnd {
  readonly text: string;
  readonly isError: boolean;
  readonly omittedBytes: number;
  readonly mutation: MutationState;
  readonly summary?: string;
  readonly data?: JsonValue;
  readonly images?: readonly ImagePart[];
}

/** What a command did: how many of its actions were carried out, and the input it enqueued, if any. */
export interface CommandOutcome {
  readonly carriedOut: number;
  readonly receipt?: Receipt;
}

export interface OpenOptions {
  readonly mode?: AccessMode;
  readonly limits?: Partial<RunLimits>;
  /** How answers are drawn; over the settings. */
  readonly sampling?: Sampling;
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
  readonly cost?: number;
  readonly unpriced?: number;
  readonly error?: Diagnostic;
}

/**
 * Durable proof of admission. `settled` resolves at the terminal receipt; it never rejects. Where this process cannot see it come,
 * because storage failed or the session was closed, it resolves with that error; what the file says of the submission stays open.
 */
export interface Receipt {
  readonly submission: SubmissionId;
  readonly queued: boolean;
  readonly settled: Promise<RunEnd>;
}

/** What the file says of a submission, at any time after its admission, also in a later process. */
export type SubmissionStatus =
  | { readonly state: "queued" | "running" }
  /** Its process ended before it did; `resumeWork` or the next input goes on. */
  | { readonly state: "interrupted" }
  | { readonly state: "settled"; readonly end: RunEnd };

/** What the model shall see of an earlier message from the next request on. */
export interface ContextEdit {
  readonly target: EntryId;
  readonly operation: ContextEditEntry["operation"];
  /** Of a replacement. */
  readonly text?: string;
}

/** A coherent view: the newest page of history as of `position`. `changes({ from: position })` goes on without gap or repeat. */
export interface Attachment {
  readonly position: Position;
  readonly events: readonly SmithEvent[];
  /** Where an earlier page ends. */
  readonly next?: EntryId;
}

/** Durable events of one committed change. */
export interface ChangeBatch {
  readonly position: Position;
  readonly events: readonly SmithEvent[];
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
  /** Tokens the model's window holds, where that is known. */
  readonly contextLimit?: number;
  /** What the session has cost by the prices known when its answers came; `unpriced` answers are not in it. */
  readonly cost?: number;
  readonly unpriced?: number;
  readonly pendingApproval?: PendingApproval;
  readonly question?: { readonly id: EffectId; readonly plugin: string; readonly question: Question };
  readonly statusItems: readonly StatusItem[];
  /** The level the model is asked for; absent: nothing is said to it about that. */
  readonly thinking?: ThinkingLevel;
  /** The alias or group that was chosen, where one was. It stays when another of its models answers. */
  readonly selection?: string;
}

export interface PendingApproval {
  readonly id: CallId;
  readonly name: string;
  readonly argsSummary: string;
  readonly why?: string;
  /** What an answer for the session or the project would allow; absent where only this call can be. */
  readonly rule?: string;
}

export interface RuntimeSession {
  readonly id: SessionId;
  readonly path: string;
  status(): SessionStatus;
  /** Resolves after the admission is durable, not when the work is done. While a run goes on, `delivery` decides where the input waits (default steer). */
  submit(input: {
    readonly text: string;
    readonly images?: readonly ImagePart[];
    readonly key?: string;
    readonly delivery?: "steer" | "follow-up";
    /** Entry the input continues. Must be the selected leaf; part of what a `key` stands for. */
    readonly destination?: EntryId;
  }): Promise<Result<Receipt, Diagnostic>>;
  /** Status of an own submission, also one of an earlier process. Asking changes nothing. */
  receipt(submission: SubmissionId): Promise<Result<SubmissionStatus, Diagnostic>>;
  /**
   * Goes on with the turn an earlier process left open: its open calls end with what is known of them, nothing is run again, the
   * next request follows. Refused with a diagnostic, and recorded as blocked, when a tool or provider it needs is gone.
   */
  resumeWork(): Promise<Result<Receipt, Diagnostic>>;
  /** Selects another leaf; undefined: before the first entry. Only while nothing runs. */
  navigate(to: EntryId | undefined): Promise<Result<void, Diagnostic>>;
  /** All of the edits or none. Only while nothing runs. */
  editContext(edits: readonly ContextEdit[]): Promise<Result<void, Diagnostic>>;
  /** A person's word on an effect whose outcome is unknown: recorded, told to the model, never a re-run. `effect` may be a unique suffix. */
  reconcile(
    effect: string,
    word: { readonly outcome: "applied" | "not-applied"; readonly note?: string },
  ): Promise<Result<EffectId, Diagnostic>>;
  /** Effects of this session whose outcome nobody knows, oldest first. */
  unknownEffects(): Promise<readonly UnknownEffect[]>;
  /**
   * Runs a command of a plugin, by name or alias. Its batch is carried out as a whole or refused as a whole. Between requests while a
   * turn runs.
   */
  runCommand(name: string, args: string): Promise<Result<CommandOutcome, Diagnostic>>;
  /**
   * Runs one tool without a model: checked, allowed, recorded and bounded as a model's call is. Unknown names and bad arguments are
   * results that are errors.
   */
  callTool(
    name: string,
    args: JsonObject,
    use: { readonly signal: AbortSignal; readonly onProgress?: (text: string) => void },
  ): Promise<Result<ToolCallEnd, Diagnostic>>;
  /** Model of the next request on. The session keeps the choice: it comes back with it, unless that run says otherwise. */
  setModel(selection: string): Promise<Result<ModelRef, Diagnostic>>;
  /** Level of the next request on; undefined: the model's own. Gives what the model will be asked for, which may be another level. */
  setThinking(level: ThinkingLevel | undefined): Promise<Result<ThinkingLevel | undefined, Diagnostic>>;
  /** Answers a question of a plugin. False: it waits for no answer. */
  answerQuestion(id: EffectId, answer: QuestionAnswer): boolean;
  /** Takes a queued input back before its delivery; `false` when it was already delivered. */
  withdraw(submission: SubmissionId): Promise<boolean>;
  /** Every event from now on, in order. Returns the unsubscribe function; cancelling is not aborting. A listener that throws is reported and keeps its place. */
  observe(listener: (event: SmithEvent) => void): () => void;
  /** Durable history as events, oldest first: the last `limit` entries before `before` (default: the leaf). */
  backlog(options: {
    readonly limit: number;
    readonly before?: EntryId;
  }): Promise<{ readonly events: readonly SmithEvent[]; readonly next?: EntryId }>;
  /** The newest page and the place in the committed order it was read at. */
  attach(options: { readonly limit: number }): Promise<Result<Attachment, Diagnostic>>;
  /** Committed changes after a position, then live until `signal` aborts. Read from the file as they are taken: a slow reader loses and holds up nothing. */
  changes(options: { readonly from: Position; readonly signal: AbortSignal }): AsyncIterable<Result<ChangeBatch, Diagnostic>>;
  /**
   * Aborts the running turn; the wish is recorded before anything is stopped. Resolves when it has settled; queued input is withdrawn
   * and returned, so nothing is half-sent. Refused on a session another process writes.
   */
  abort(): Promise<Result<readonly QueuedInput[], Diagnostic>>;
  /** `project` and `session` allow what the rule of the question says. `why` of a denial is told to the model. */
  answer(call: CallId, verdict: "once" | "session" | "project" | "deny", why?: string): void;
  setMode(mode: AccessMode): void;
  rename(name: string): Promise<Result<void, Diagnostic>>;
  /** Seals admission, stops work, releases ownership. Temporary stores are removed when `clean`. */
  close(options?: { readonly clean?: boolean }): Promise<void>;
}

/** An effect that began and whose outcome is not known. */
export interface UnknownEffect {
  readonly effect: EffectId;
  readonly operation: string;
  readonly plugin: string;
  readonly input: JsonValue;
  /** What it was, for a person. */
  readonly summary: string;
  readonly startedAt: number;
  /** Whether its end was recorded, as unknown. Without one it may still run where another process writes the session. */
  readonly ended: boolean;
}

/** What a provider attempt was sent, rebuilt from the file alone. Holds what was recorded: redactions stay, no credential is in it. */
export interface EffectiveRequest {
  /** Its place among the requests of the session, from 1. */
  readonly number: number;
  readonly request: RequestEntry;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  /** Whether the rebuilt messages have the digest that was recorded when they were sent; `unrecorded` for requests without one. */
  readonly verified: "yes" | "no" | "unrecorded";
  /** A repair of the session lost part of the messages: these are what is left of them. */
  readonly lost?: true;
}

export interface EntriesOptions {
  readonly signal?: AbortSignal;
  /** Only the branch that ends here, oldest first; absent: all entries in the order they were written. */
  readonly branch?: "selected" | EntryId;
  /** Waits for more until `signal` aborts. Not with `branch`. */
  readonly follow?: boolean;
  readonly types?: ReadonlySet<EntryType>;
}

/** What a session used. `damage`: what could not be read is not in it. */
export interface SessionCost extends CostReport {
  /** Each record that says so, in committed order. */
  readonly messages: readonly MessageCost[];
  readonly damage: readonly Diagnostic[];
}

/** Read-only inspection, usable without plugins, providers or credentials. Takes no lock, repairs nothing, runs nothing. */
export interface Inspection {
  list(options?: ListOptions): AsyncIterable<SessionSummary>;
  resolve(name: string): Promise<Result<SessionId, Diagnostic>>;
  /** The entry whose id this is or ends with; with `leaf` it must be one of the history, which alone can end a branch. */
  resolveEntry(id: SessionId, name: string, options?: { readonly leaf?: boolean }): Promise<Result<EntryId, Diagnostic>>;
  entries(id: SessionId, options?: EntriesOptions): AsyncIterable<Result<Entry, Diagnostic>>;
  /** Own effects whose outcome nobody knows, oldest first. */
  unknownEffects(id: SessionId): AsyncIterable<Result<UnknownEffect, Diagnostic>>;
  /** What the model would be sent of a branch now: compaction and context edits applied. */
  projected(id: SessionId, branch?: EntryId): Promise<Result<readonly Message[], Diagnostic>>;
  /** A request by its number from 1, or by its id or a unique suffix of it. */
  request(id: SessionId, which: number | string): Promise<Result<EffectiveRequest, Diagnostic>>;
  /** What a session used, by model, turn and branch. Reads all of it. */
  cost(id: SessionId, options?: { readonly signal?: AbortSignal }): Promise<Result<SessionCost, Diagnostic>>;
  /** What a session's own records used in all: mostly known without reading them. */
  spend(id: SessionId): Promise<Result<Spend, Diagnostic>>;
  verify(id: SessionId, options?: { readonly signal?: AbortSignal }): AsyncIterable<Result<Finding | VerifyReport, Diagnostic>>;
  /** Lines of a JSONL dump, each without its line end. */
  dump(id: SessionId, options?: { readonly signal?: AbortSignal }): AsyncIterable<Result<string, Diagnostic>>;
  /** Matches line by line, session by session (newest first); damage is reported and the rest still searched. */
  grep(pattern: RegExp, options?: GrepOptions): AsyncIterable<Result<GrepMatch, Diagnostic>>;
}

/** Changes to stored sessions without opening them for work. Each takes the session's lock for as long as it lasts; exit 4 when another holds it. */
export interface Maintenance {
  fork(
    source: SessionId,
    options?: { readonly at?: EntryId; readonly name?: string; readonly signal?: AbortSignal },
  ): Promise<Result<NewSession, Diagnostic>>;
  rename(id: SessionId, name: string): Promise<Result<void, Diagnostic>>;
  remove(id: SessionId): Promise<Result<void, Diagnostic>>;
  repair(id: SessionId, options?: { readonly signal?: AbortSignal }): Promise<Result<RepairReport, Diagnostic>>;
  /** `effect`: its id or a unique suffix of at least 4 hex digits. */
  reconcile(
    id: SessionId,
    effect: string,
    word: { readonly outcome: "applied" | "not-applied"; readonly note?: string },
  ): Promise<Result<{ readonly effect: EffectId; readonly operation: string }, Diagnostic>>;
  /** A session from a JSONL dump. `asNew` gives it a new id when its own is taken. */
  import(
    lines: AsyncIterable<string>,
    options: { readonly asNew: boolean; readonly signal?: AbortSignal },
  ): Promise<Result<NewSession, Diagnostic>>;
}
