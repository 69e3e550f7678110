import type { CallId, EntryId, JsonObject, SubmissionId, WorkId } from "../base/index.js";
import type { StopReason } from "./message.js";
import type { ModelRef, Usage } from "./model/index.js";
import type { AccessMode, RunReason, RunStatus } from "./run.js";
import type { MutationState } from "./tool.js";

/** A message as handlers see it: where it stands, what it is, how it begins. Targets of context edits and transforms are its entries. */
export interface ContextItem {
  readonly entry: EntryId;
  readonly role: "user" | "assistant" | "tool";
  /** UTF-16 units of the text the model sees. */
  readonly units: number;
  /** The first 200 UTF-16 units of it. */
  readonly head: string;
  /** Name of the tool, of a tool's result. */
  readonly tool?: string;
}

/** A text of a call that names a path which leads through a symbolic link. */
export interface ArgumentLink {
  /** As it stands in the arguments. */
  readonly path: string;
  /** Where it really leads, absolute, in the form file tools show names. */
  readonly real: string;
}

/** Input that waits for its delivery. */
export interface QueuedItemView {
  readonly submission: SubmissionId;
  readonly delivery: "steer" | "follow-up";
  readonly text: string;
}

/**
 * What happens in a session, told to the plugins that declared a handler for it, in their order. An event is a snapshot: changing it
 * changes nothing; what a handler wants it returns as actions. Specification, "Plugin event boundary".
 */
export type LifecycleEvent =
  /** Before the first request of this process in this session. */
  | {
      readonly type: "session-opened";
      readonly cwd: string;
      readonly trusted: boolean;
      readonly resumed: boolean;
      readonly mode: AccessMode;
    }
  /** Input became durable: it begins a turn or waits in the queue. */
  | {
      readonly type: "input-admitted";
      readonly submission: SubmissionId;
      readonly text: string;
      readonly delivery: "turn" | "steer" | "follow-up";
    }
  /** A turn begins with this input. */
  | { readonly type: "turn-started"; readonly work: WorkId; readonly submission: SubmissionId; readonly text: string }
  /** The next request is about to be made: the safe point before it. */
  | {
      readonly type: "request-prepared";
      readonly work: WorkId;
      /** From 1 within the turn. */
      readonly round: number;
      readonly model: ModelRef;
      readonly tools: readonly string[];
      readonly context: readonly ContextItem[];
      /** Estimate of the whole request, tokens; and the model's window where it is known. */
      readonly tokens: number;
      readonly contextLimit?: number;
    }
  /** A request was answered; its tool calls, if any, are about to be made. */
  | {
      readonly type: "round-settled";
      readonly work: WorkId;
      readonly round: number;
      readonly stop: StopReason;
      readonly text: string;
      readonly calls: readonly { readonly call: CallId; readonly name: string }[];
      readonly usage?: Usage;
    }
  /** A call with valid arguments, before anybody is asked and before any effect. */
  | {
      readonly type: "tool-proposed";
      readonly work: WorkId;
      readonly call: CallId;
      readonly tool: string;
      /** Id of the plugin that brings the tool. */
      readonly plugin: string;
      readonly readOnly: boolean;
      readonly args: JsonObject;
      /** Texts among the arguments that lead elsewhere when they are taken as paths. Absent: none does. */
      readonly links?: readonly ArgumentLink[];
      readonly cwd: string;
      readonly mode: AccessMode;
      /** Whether a person can be asked in this run. */
      readonly interactive: boolean;
    }
  /** A person answered what a handler wanted asked; told to the plugin that asked. */
  | {
      readonly type: "permission-answered";
      readonly call: CallId;
      readonly tool: string;
      readonly verdict: "once" | "session" | "project" | "deny";
      readonly rule: string;
    }
  /** A call ended, before its result is recorded. */
  | {
      readonly type: "tool-settled";
      readonly work: WorkId;
      readonly call: CallId;
      readonly tool: string;
      readonly args: JsonObject;
      readonly isError: boolean;
      readonly mutation: MutationState;
      readonly text: string;
      /**
       * Real paths, absolute, of the files that its writes and edits changed, or may have: the first 1,000. What a process it ran did is
       * not among them.
       */
      readonly touched: readonly string[];
    }
  /** Queued input can be delivered: `batch` between rounds, `stop` where the turn would end. Without an answer all of it is. */
  | { readonly type: "queue-due"; readonly work: WorkId; readonly point: "batch" | "stop"; readonly queue: readonly QueuedItemView[] }
  /** A turn is over, however it ended. */
  | {
      readonly type: "turn-ended";
      readonly work: WorkId;
      readonly status: RunStatus;
      readonly reason: RunReason;
      readonly reply: string;
      readonly rounds: number;
      readonly usage?: Usage;
    }
  /** A summary is about to take the place of older context; `by` is who wants it. */
  | { readonly type: "compaction-proposed"; readonly by: string; readonly firstKept: EntryId; readonly summary: string }
  /** A summary took the place of older context. */
  | { readonly type: "compaction-settled"; readonly by: string; readonly firstKept: EntryId; readonly tokensBefore: number }
  /** Another model answers from the next request on. */
  | { readonly type: "model-changed"; readonly from: ModelRef; readonly to: ModelRef; readonly by: string }
  /** No turn runs and nothing waits. */
  | { readonly type: "idle" }
  /** The session is about to be closed by this process. Its actions are those that need no turn: state and notices. */
  | { readonly type: "closing" };

/** Name of an event. */
export type LifecycleEventType = LifecycleEvent["type"];
