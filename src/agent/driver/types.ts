import type {
  CallId,
  Clock,
  EffectId,
  EntryId,
  IdSource,
  InvocationId,
  RequestId,
  Result,
  SubmissionId,
  WorkId,
} from "../../base/index.js";
import type { ProviderEvent } from "../../provider/index.js";
import type {
  AccessMode,
  AttemptFacts,
  AttributedAction,
  Boundary,
  Diagnostic,
  Entry,
  LifecycleEvent,
  LifecycleEventType,
  Message,
  ModelRef,
  MutationState,
  Position,
  RunLimits,
  StateFields,
  ThinkingLevel,
  ToolCallEntry,
  ToolDefinition,
} from "../../schema/index.js";
import type { SessionStorageError } from "../../session/index.js";
import type { Approval, Dispatcher } from "../../tool/index.js";
import type { Available, ContextEditRequest, EffectFacts, EffectWord, QueuedItem } from "../facts.js";
import type { RoundFacts, Sha256 } from "../request/index.js";
import type { AgentInput, AgentState, StopCause, TurnEnd } from "../state.js";

/** Everything the driver may do to the world, passed in by the composition. */
export interface DriverPorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly cwd: string;
  readonly limits: () => RunLimits;
  readonly mode: () => AccessMode;
  /**
   * Queues one change at once; resolves with its place when it is durable. `leaf` null selects none. Throws SessionStorageError
   * at once, with nothing queued, when a bound of the session refuses the change; rejects with one when storage failed.
   */
  readonly commit: (entries: readonly Entry[], leaf: EntryId | null | undefined) => Promise<Position>;
  /** State of the branch that ends at an entry, as `loadState` gives it. */
  readonly load: (leaf: EntryId) => Promise<Result<AgentState, Diagnostic>>;
  readonly sha256: Sha256;
  /** Prompt, tools and model of the next request; a diagnostic ends the turn. */
  readonly facts: (signal: AbortSignal) => Promise<Result<RoundFacts, Diagnostic>>;
  /** Resolves when whoever observes can take more; bounds what a slow reader makes us keep. */
  readonly ready: () => Promise<void>;
  readonly respond: (round: RoundCall) => AsyncIterable<RoundEvent>;
  readonly dispatcher: () => Dispatcher;
  /** Asks a person. The call has the arguments it would run with. */
  readonly approve: (call: ToolCallEntry, tool: ToolDefinition, asked: AskedApproval) => Promise<Approval>;
  readonly diagnose: (event: Extract<ProviderEvent, { type: "failed" }>) => AttemptEnd;
  readonly emit: (event: DriverEvent) => void;
  readonly lifecycle: LifecyclePort;
}

/** `why` a policy wants it asked; `rule`: what an answer for longer than this call would allow, which that policy then remembers. */
export interface AskedApproval {
  readonly signal: AbortSignal;
  readonly why?: string;
  readonly rule?: string;
}

/** Handlers of what happens in a session, whoever they are. */
export interface LifecyclePort {
  /** Asked before an event is even made: where nobody listens nothing is paid. */
  listens(event: LifecycleEventType, tool?: string): boolean;
  /** Runs them in order; gives what is to be carried out. Never rejects for what a handler does. `check` says no to one batch as a whole. */
  run(event: LifecycleEvent, options: LifecycleOptions): Promise<Boundary>;
  /** Carries out what is no entry of the session: model, thinking, tools and prompt of the next request, status, notices. */
  adopt(actions: readonly AttributedAction[]): void;
  /** What handlers are told of this run. Left out: not trusted, nobody can be asked. `generation` is that of the handlers. */
  about?(): { readonly trusted: boolean; readonly interactive: boolean; readonly generation: number };
  /** How a plugin declares a piece of its state. Left out, or undefined: version 1, and a fork begins without it. */
  declared?(plugin: string, key: string): Pick<StateFields, "version" | "fork"> | undefined;
  /** Whether an invocation is on record already, for its effects. Left out: none is, and each is recorded with what it wanted. */
  isRecorded?(invocation: InvocationId): boolean;
}

export interface LifecycleOptions {
  readonly work?: WorkId;
  readonly signal: AbortSignal;
  readonly check: (batch: readonly AttributedAction[], earlier: readonly AttributedAction[]) => Diagnostic | undefined;
  /** Only this plugin is told. */
  readonly only?: string;
}

export interface RoundCall {
  readonly facts: RoundFacts;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
}

/**
 * One response with its attempts. `attempt` comes before every one but the first, and it is sent when the next event is asked for: it
 * is on record by then. `retry` and `failover` tell that the attempt before is over, with its end in words.
 */
export type RoundEvent =
  | Exclude<ProviderEvent, { readonly type: "attempt" | "retry" | "failover" }>
  | (Extract<ProviderEvent, { readonly type: "retry" | "failover" }> & { readonly ended: AttemptEnd })
  | { readonly type: "attempt"; readonly number: number; readonly facts: AttemptFacts };

/** How an attempt that did not answer ended: its error in words, and what is known of the exchange. */
export interface AttemptEnd {
  readonly error: Diagnostic;
  readonly outcome: MutationState;
}

/** What the driver tells its owner, in order. `committed` comes after the entries are durable. */
export type DriverEvent =
  /** Comes before the `committed` of the same change. */
  | { readonly type: "turn-started"; readonly submission: SubmissionId; readonly work: WorkId; readonly position: Position }
  | { readonly type: "committed"; readonly entries: readonly Entry[]; readonly position: Position }
  | {
      readonly type: "response-started";
      readonly request: RequestId;
      readonly model: ModelRef;
      readonly contextLimit?: number;
      readonly thinking?: ThinkingLevel;
    }
  | { readonly type: "progress"; readonly event: Extract<ProviderEvent, { type: "text" | "thinking" | "retry" | "failover" }> }
  | { readonly type: "tool-progress"; readonly call: CallId; readonly text: string }
  | { readonly type: "queue-changed" }
  | { readonly type: "turn-ended"; readonly end: TurnEnd }
  /** Nothing can be recorded any more. What waits is not delivered by this process; the file may still hold it as waiting. */
  | { readonly type: "sealed"; readonly error: Diagnostic };

export interface Driver {
  state(): AgentState;
  /** Admits input: a turn begins, or the input waits in the queue. Resolves when the admission is durable. */
  submit(input: Omit<Extract<AgentInput, { type: "submitted" }>, "type">): Promise<{ readonly queued: boolean }>;
  withdraw(submission: SubmissionId): Promise<boolean>;
  rename(name: string): Promise<void>;
  /** Records the wish to stop, aborts what runs, and gives back what waited: none of it is delivered any more. */
  stop(cause: StopCause): Promise<readonly QueuedItem[]>;
  /** No turn is running, and the end of each is recorded. */
  isIdle(): boolean;
  /** Resolves when every turn that is unfinished now has its end recorded. A turn that begins later is not waited for. */
  idle(): Promise<void>;
  /** Selects another leaf; undefined: before the first entry. Refused while a turn runs or input waits. */
  navigate(to: EntryId | undefined): Promise<Result<void, Diagnostic>>;
  /** Records a batch of context edits, all or none. Refused while a turn runs. */
  editContext(edits: readonly ContextEditRequest[]): Promise<Result<void, Diagnostic>>;
  /**
   * Goes on with the turn an earlier process left open; resolves with its submission once that is durable. Refused when there is
   * none, and when something it needs is missing: that is recorded, and the turn stays open until the next input settles it.
   */
  resume(available: Available): Promise<Result<SubmissionId, Diagnostic>>;
  /** Ends what an earlier process left open, without new input: open calls get their results, its submissions their receipts. */
  endInterruption(): Promise<void>;
  /** Records a person's word on an effect whose outcome is unknown. Also while a turn runs. */
  reconcile(effect: EffectFacts, word: EffectWord): Promise<Result<EffectId, Diagnostic>>;
  /** Records a change of branch state on the selected branch. Rejects with the session's refusal when it exceeds a bound. */
  putState(fields: StateFields): Promise<Result<void, Diagnostic>>;
  /** Storage failed under somebody else's change: what runs ends as that, nothing more is admitted. */
  giveUp(error: SessionStorageError): void;
  /** Lets input that an earlier turn or process left waiting begin a turn now. */
  resumeQueue(): void;
  /**
   * Carries out what a command wants, all of it or nothing: at once when no turn runs, else at the next safe point. Resolves when it
   * is recorded, also as refused. Rejects when it could not be recorded.
   */
  runActions(actions: readonly AttributedAction[], trigger: "command", command?: RunCommand): Promise<Result<PublishedActions, Diagnostic>>;
  /** Tells handlers of something that happened outside the agent. What they want is carried out at the next safe point. */
  tell(event: Extract<LifecycleEvent, { readonly type: "model-changed" }>): void;
  /** Resolves when no handler runs beside the turns, and what they wanted is recorded or waits for a turn's safe point. Never rejects. */
  handled(): Promise<void>;
  /** Tells handlers that the session is about to be closed and records what they want. Takes {@link CLOSING_MS} at most; never rejects. */
  closing(): Promise<void>;
}

/** How long handlers have in all when a session is closed, ms. */
export const CLOSING_MS = 500;

/** The command that wanted something, as it is put on record with that. Left out: it is on record already. */
export interface RunCommand {
  readonly name: string;
  readonly args: string;
  readonly generation: number;
}

/** What came of the actions of a command. */
export interface PublishedActions {
  readonly carriedOut: number;
  /** Input that was enqueued, in order. */
  readonly submissions: readonly SubmissionId[];
}

/** Nothing to ask and nobody to answer: the approval every non-interactive `ask` gets. */
export const denyUnattended = (tool: ToolDefinition): Approval => ({
  allowed: false,
  why: `${tool.name} changes things, and nobody can be asked in this run. Use --mode auto to allow it.`,
});
