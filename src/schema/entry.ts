import type {
  CallId,
  EffectId,
  EntryId,
  InvocationId,
  JsonObject,
  JsonValue,
  RequestId,
  SessionId,
  SubmissionId,
  WorkId,
} from "../base/index.js";
import type { AttributedAction, ContextTransform, RefusedBatch } from "./action.js";
import type { Diagnostic } from "./diagnostic.js";
import type { LifecycleEventType } from "./lifecycle.js";
import type { ImagePart, StopReason, ThinkingPart } from "./message.js";
import type { ModelFacts, ModelRef, ThinkingLevel, Usage } from "./model/index.js";
import type { Sampling } from "./provider.js";
import type { ToolDefinition, ToolDetails, MutationState } from "./tool.js";
import type { RunReason, RunStatus } from "./run.js";

/**
 * One record of a session file, decoded. Entries marked H form the branch tree: the `parent` of an H entry is the H
 * entry before it on its branch, so a branch is one linear chain from its leaf to the root. Other entries keep `parent`
 * undefined, or name the entry that caused them.
 */
interface Base<Type extends string> {
  readonly type: Type;
  readonly id: EntryId;
  readonly parent?: EntryId;
  /** ms since the epoch, never going back inside one session. */
  readonly time: number;
  /**
   * Came with a fork or an import; the next `origin` entry names where from. History like any other, but its work, queue,
   * keys and effects belong to that session: never continued, delivered, matched or reconciled here.
   */
  readonly inherited?: true;
}

export type InputSource = "prompt" | "steer" | "follow-up" | "notice";

/** H. Model-visible input. */
export interface UserMessageEntry extends Base<"user-message"> {
  readonly submission?: SubmissionId;
  readonly work?: WorkId;
  readonly source: InputSource;
  /** Id of the plugin that said it, of a notice and of input a plugin enqueued. */
  readonly plugin?: string;
  readonly text: string;
  readonly images?: readonly ImagePart[];
}

/** H. One response of the model, also a partial one (`stop` is then `aborted` or `failed`). */
export interface AssistantEntry extends Base<"assistant"> {
  readonly work: WorkId;
  readonly request: RequestId;
  readonly stop: StopReason;
  readonly text: string;
  readonly thinking: readonly ThinkingPart[];
  readonly usage?: Usage;
  /** US dollars, by the prices that were known when it came. Absent: not known. */
  readonly cost?: number;
  readonly dispatch: ModelRef;
  readonly error?: Diagnostic;
}

/** H. Follows its assistant entry; `ordinal` is its place in the batch. */
export interface ToolCallEntry extends Base<"tool-call"> {
  readonly work: WorkId;
  readonly call: CallId;
  readonly ordinal: number;
  readonly name: string;
  readonly providerId: string;
  readonly argsText: string;
  readonly args?: JsonObject;
  /** Opaque; replayed to the provider that made it. */
  readonly signature?: string;
}

/** H. Exactly one for each tool call, in call order. */
export interface ToolResultEntry extends Base<"tool-result"> {
  readonly work: WorkId;
  readonly call: CallId;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  readonly mutation: MutationState;
  /** Bytes of the result that were cut before it was stored, 0 when whole. */
  readonly omittedBytes: number;
  /** How long the tool ran, without the wait for an approval. Absent when it never ran or its end was not seen. */
  readonly durationMs?: number;
  readonly summary?: string;
  readonly details?: ToolDetails;
  readonly images?: readonly ImagePart[];
}

/** H. The prompt and tools that requests from here on are made with; full text, written only when it changes. */
export interface PromptEntry extends Base<"prompt"> {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly generation: number;
}

/** H. Name and origin of the session; the newest one on the branch counts. */
export interface SessionInfoEntry extends Base<"session-info"> {
  readonly name?: string;
  readonly cwd?: string;
  readonly version?: string;
}

/** H. Context before `firstKept` is replaced by `summary` in every later request. */
export interface CompactionEntry extends Base<"compaction"> {
  readonly firstKept: EntryId;
  readonly summary: string;
  readonly tokensBefore: number;
  /** Who made the summary, and what that took. */
  readonly dispatch?: ModelRef;
  readonly usage?: Usage;
  readonly cost?: number;
}

/** H. Omits, replaces or restores what the model sees of `target`; raw history is untouched, the newest edit of a target wins. */
export interface ContextEditEntry extends Base<"context-edit"> {
  readonly target: EntryId;
  readonly operation: "omit" | "replace" | "restore";
  readonly text?: string;
}

/** What every piece of scoped state declares with every change, so that it reads without the code that wrote it. */
export interface StateFields {
  /** `core`, or the id of a plugin. */
  readonly owner: string;
  readonly key: string;
  /** Of the owner's value format. */
  readonly version: number;
  /** Whether a fork begins with the value as of its fork point or without one. */
  readonly fork: "copy" | "fresh";
  readonly operation: "put" | "delete";
  /** Absent when deleted. */
  readonly value?: JsonValue;
}

/** H. State of a branch: what counts is the newest change on the way back from a leaf. Always copied by a fork of its branch. */
export interface BranchStateEntry extends Base<"branch-state">, StateFields {}

/** State of the session: what counts is the newest change. With `work` it ends when that work settles. */
export interface StateEntry extends Base<"state">, StateFields {
  readonly work?: WorkId;
}

/** The selected leaf was moved to an entry that was there before; absent `to`: before the first entry. */
export interface LeafEntry extends Base<"leaf"> {
  readonly from?: EntryId;
  readonly to?: EntryId;
}

/** Written once after the inherited entries: all of them since the origin entry before it came from here. */
export interface OriginEntry extends Base<"origin"> {
  readonly how: "fork" | "import";
  readonly session: SessionId;
  /** Committed order of the source up to which entries were taken. */
  readonly epoch: number;
  readonly seq: number;
  /** Leaf of the source that was forked. */
  readonly entry?: EntryId;
}

/** Admission of input, with the first state of its work. */
export interface SubmissionEntry extends Base<"submission"> {
  readonly submission: SubmissionId;
  readonly work: WorkId;
  /** Leaf the input is meant for at admission. */
  readonly destination?: EntryId;
  readonly delivery: "turn" | "steer" | "follow-up";
  readonly text: string;
  readonly images?: readonly ImagePart[];
  /** Id of the plugin that enqueued it. */
  readonly plugin?: string;
  /** Caller's deduplication key, unique within the session. */
  readonly key?: string;
}

export interface QueueEntry extends Base<"queue"> {
  readonly submission: SubmissionId;
  readonly operation: "enqueue" | "deliver" | "withdraw";
}

export interface WorkEntry extends Base<"work"> {
  readonly work: WorkId;
  readonly parentWork?: WorkId;
  readonly state: "created" | "running" | "waiting" | "blocked" | "cancel-requested" | "settled";
  readonly checkpoint?: JsonValue;
}

export interface ReceiptEntry extends Base<"receipt"> {
  readonly submission: SubmissionId;
  readonly work: WorkId;
  readonly status: RunStatus;
  readonly reason: RunReason;
  readonly error?: Diagnostic;
}

/** Durable before the effect may start. */
export interface EffectIntentEntry extends Base<"effect-intent"> {
  readonly effect: EffectId;
  readonly work?: WorkId;
  /** The tool call, request, handler or command that asked for it. */
  readonly cause: CallId | RequestId | InvocationId;
  readonly operation: string;
  readonly plugin: string;
  readonly generation: number;
  readonly input: JsonValue;
}

/** The observed end of an effect. An intent without one reads as `unknown`. */
export interface EffectDoneEntry extends Base<"effect-done"> {
  readonly effect: EffectId;
  readonly work?: WorkId;
  readonly outcome: MutationState;
  readonly error?: Diagnostic;
  readonly output: JsonValue;
}

/** A plugin's handler or command ran and did something: recorded before its first effect, else with what it wanted. */
export interface InvocationEntry extends Base<"invocation"> {
  readonly invocation: InvocationId;
  readonly work?: WorkId;
  readonly plugin: string;
  readonly generation: number;
  readonly trigger:
    | { readonly type: "event"; readonly event: LifecycleEventType }
    | { readonly type: "command"; readonly name: string; readonly args: string }
    /** A tool that no model called; `args` is JSON. */
    | { readonly type: "tool"; readonly name: string; readonly args: string };
}

/** What handlers of one event, or a command, wanted and what came of it, so that a replay needs none of them. */
export interface ActionsEntry extends Base<"actions"> {
  readonly work?: WorkId;
  readonly trigger: LifecycleEventType | "command";
  readonly generation: number;
  readonly accepted: readonly AttributedAction[];
  readonly refused: readonly RefusedBatch[];
}

/** A person's or frontend's word on an unknown effect; never a rewrite. */
export interface ReconciledEntry extends Base<"reconciled"> {
  readonly effect: EffectId;
  readonly outcome: "applied" | "not-applied";
  readonly note?: string;
}

/** How a selection came to mean one model on one server. Names only, never a value of a secret. */
export interface Routing {
  /** Connection that was taken. */
  readonly connection: string;
  /** What the selection went through: `alias fast`, `group main`. */
  readonly via?: readonly string[];
  /** Name of the secret that was sent. */
  readonly credential?: string;
  /** Why it is this one and not an earlier one of the group. */
  readonly because?: string;
}

/** What one provider attempt is sent to, and why there: fixed and recorded before it is sent. */
export interface AttemptFacts {
  readonly dispatch: ModelRef;
  /** Id of the plugin that contributes the provider. */
  readonly plugin: string;
  readonly thinking?: ThinkingLevel;
  readonly routing: Routing;
  readonly facts: ModelFacts;
  readonly sampling?: Sampling;
}

/**
 * What one provider attempt was made from. `parent` is the leaf; the messages are the branch from `first` (root when
 * absent) to the leaf, with the newest applicable edits; prompt and tools are those of `prompt`.
 */
export interface RequestEntry extends Base<"request"> {
  readonly request: RequestId;
  readonly work: WorkId;
  readonly first?: EntryId;
  readonly prompt: EntryId;
  readonly selection: string;
  readonly dispatch: ModelRef;
  /** From 1 within its round; each has a record and an effect of its own. */
  readonly attempt: number;
  readonly generation: number;
  /** The level the model was asked for, not the one that was wished. */
  readonly thinking?: string;
  readonly routing?: Routing;
  /** What was known of the dispatched model. */
  readonly facts?: ModelFacts;
  readonly sampling?: Sampling;
  readonly messageCount: number;
  /** What this one request shows differently from its branch. */
  readonly transforms?: readonly ContextTransform[];
  /** Hex digest of the messages in order: proves that what is rebuilt from the file is what was sent. */
  readonly digest?: string;
}

/**
 * H. Stands where damage took an entry of the branch: what it said is gone, its place is not, so the branch goes on above it.
 * Stored by a repair.
 */
export interface LostEntry extends Base<"lost"> {
  /** Kind number of the record that was there, 0 when not known. */
  readonly kind: number;
  /** Made by a reader of a damaged file that was not repaired; never stored. */
  readonly unrepaired?: true;
}

/** A record of a kind this version does not know: kept whole, shown as unknown, never interpreted. */
export interface UnknownEntry extends Base<"unknown"> {
  readonly kind: number;
  readonly flags: number;
  readonly raw?: RawRecord;
}

/** The fields of a record as stored, so that an unknown one can leave and come back unchanged. */
export interface RawRecord {
  readonly pairing?: string;
  readonly owner?: string;
  readonly sub: number;
  readonly aux: number;
  readonly payloads: readonly { readonly role: number; readonly encoding: number; readonly base64: string }[];
}

export type Entry =
  | UserMessageEntry
  | AssistantEntry
  | ToolCallEntry
  | ToolResultEntry
  | PromptEntry
  | SessionInfoEntry
  | CompactionEntry
  | ContextEditEntry
  | BranchStateEntry
  | StateEntry
  | LeafEntry
  | OriginEntry
  | SubmissionEntry
  | QueueEntry
  | WorkEntry
  | ReceiptEntry
  | EffectIntentEntry
  | EffectDoneEntry
  | InvocationEntry
  | ActionsEntry
  | ReconciledEntry
  | RequestEntry
  | LostEntry
  | UnknownEntry;

export type EntryType = Entry["type"];

/** Types of the entries that are nodes of the branch tree. */
const HISTORY_TYPES = [
  "user-message",
  "assistant",
  "tool-call",
  "tool-result",
  "prompt",
  "session-info",
  "compaction",
  "context-edit",
  "branch-state",
  "lost",
] as const satisfies readonly EntryType[];

export type HistoryEntry = Extract<Entry, { readonly type: (typeof HISTORY_TYPES)[number] }>;

const HISTORY: ReadonlySet<EntryType> = new Set(HISTORY_TYPES);

/** Whether an entry is a node of the branch tree. */
export const isHistoryEntry = (entry: Entry): entry is HistoryEntry => HISTORY.has(entry.type);
