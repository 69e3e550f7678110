import type { CallId, EntryId, InvocationId, JsonObject, JsonValue, SubmissionId } from "../base/index.js";
import type { Diagnostic } from "./diagnostic.js";
import type { LifecycleEventType } from "./lifecycle.js";
import type { TextRole } from "./ui.js";

/** A change of what one request shows of the branch, and of nothing else: history stays, the next request is as before. */
export type ContextTransform =
  /**
   * Leaves a message out of the request. What belongs together goes together: a tool's result takes its call along, an answer its calls
   * and their results.
   */
  | { readonly operation: "omit"; readonly target: EntryId }
  /** Shows a message with another text. */
  | { readonly operation: "replace"; readonly target: EntryId; readonly text: string }
  /** A message of the user's side at the end of the request. */
  | { readonly operation: "append"; readonly text: string };

/** How long and for whom a value is kept. */
export type StateScope = "session" | "branch" | "project" | "user";

/** What a handler or command may want. Each is data; the host checks, merges and carries it out. */
export type Action =
  /** A message for the model, on record as said by the plugin. */
  | { readonly type: "add-message"; readonly text: string }
  /** Changes what this one request shows. */
  | { readonly type: "transform-context"; readonly transforms: readonly ContextTransform[] }
  /** Changes what every later request shows of a message; history stays. */
  | { readonly type: "edit-context"; readonly target: EntryId; readonly operation: "omit" | "replace" | "restore"; readonly text?: string }
  /** Lets a call run without asking, where no other handler is stricter. */
  | { readonly type: "allow-tool"; readonly call: CallId }
  /** Asks a person. `rule` is what an answer for the session or the project would allow, in words the plugin understands again. */
  | { readonly type: "ask-tool"; readonly call: CallId; readonly why?: string; readonly rule?: string }
  /** Refuses a call; the model is told why. */
  | { readonly type: "deny-tool"; readonly call: CallId; readonly why: string }
  /** Other arguments for a call, checked like the model's own. */
  | { readonly type: "rewrite-tool"; readonly call: CallId; readonly args: JsonObject }
  /** Another text for a tool's result. */
  | { readonly type: "replace-result"; readonly call: CallId; readonly text: string; readonly isError?: boolean }
  /** After the text of the result, set off by an empty line. */
  /** More text at the end of a tool's result. */
  | { readonly type: "append-result"; readonly call: CallId; readonly text: string }
  /** Another model for the requests that follow. */
  | { readonly type: "set-model"; readonly model: string }
  /** How much the model thinks in the requests that follow. */
  | { readonly type: "set-thinking"; readonly level: string }
  /** Tools by name that the model is offered from the next request on, or not any more. Only tools of the generation, only for the run. */
  | { readonly type: "set-tools"; readonly enable?: readonly string[]; readonly disable?: readonly string[] }
  /** A section of the system prompt of this plugin, for the run; an empty text takes it away. */
  | { readonly type: "set-prompt"; readonly section: string; readonly text: string; readonly order?: number }
  /** Input as if it had been typed. Begins a turn when none runs. */
  | { readonly type: "enqueue"; readonly text: string; readonly delivery?: "steer" | "follow-up" }
  /** Takes waiting input back. */
  | { readonly type: "withdraw"; readonly submission: SubmissionId }
  /** Which of the waiting input is delivered now; the rest waits on. */
  | { readonly type: "deliver"; readonly submissions: readonly SubmissionId[] }
  /** Context before `firstKept` is replaced by `summary` in every later request. */
  | { readonly type: "compact"; readonly firstKept: EntryId; readonly summary: string }
  /** Says no to a proposed compaction. */
  | { readonly type: "keep-context"; readonly why: string }
  /** Stores a declared value; null forgets it. */
  | { readonly type: "set-state"; readonly scope: StateScope; readonly key: string; readonly value: JsonValue | null }
  /** Value of a configuration option of this plugin, for the run. */
  | { readonly type: "set-config"; readonly option: string; readonly value: JsonValue }
  /** Says something to the person; kept in the session. */
  | { readonly type: "notify"; readonly text: string; readonly role?: TextRole }
  /** An item of the status line; an empty text takes it away. */
  | { readonly type: "set-status"; readonly key: string; readonly text: string; readonly role?: TextRole }
  /** Ends the turn before the next request; `why` is told. */
  | { readonly type: "stop-turn"; readonly why: string };

/** Name of an action. */
export type ActionType = Action["type"];

/** Bounds of what one handler or command may return: actions, UTF-16 units of their JSON. */
export const BATCH_LIMITS = { actions: 64, units: 256 * 1024 } as const;

const ANYTIME = ["set-state", "set-config", "notify", "set-status"] as const satisfies readonly ActionType[];
/** At a safe point: no request runs and no tool batch is open. */
const SAFE_POINT = [
  ...ANYTIME,
  "add-message",
  "edit-context",
  "set-model",
  "set-thinking",
  "set-tools",
  "set-prompt",
  "enqueue",
  "withdraw",
  "compact",
] as const satisfies readonly ActionType[];

/**
 * Which actions may answer which event. What is published later than the event itself (`round-settled` waits for the tool batch) is
 * published at the next safe point.
 */
export const ACTIONS_OF_EVENT: { readonly [Event in LifecycleEventType | "command"]: readonly ActionType[] } = {
  "session-opened": SAFE_POINT,
  "input-admitted": SAFE_POINT,
  "turn-started": SAFE_POINT,
  "request-prepared": [...SAFE_POINT, "transform-context", "stop-turn"],
  "round-settled": [...SAFE_POINT, "stop-turn"],
  "tool-proposed": [...ANYTIME, "allow-tool", "ask-tool", "deny-tool", "rewrite-tool"],
  "permission-answered": ANYTIME,
  "tool-settled": [...SAFE_POINT, "replace-result", "append-result", "stop-turn"],
  "queue-due": [...ANYTIME, "deliver", "withdraw"],
  "turn-ended": SAFE_POINT,
  "compaction-proposed": [...ANYTIME, "keep-context"],
  "compaction-settled": SAFE_POINT,
  "model-changed": [...ANYTIME, "set-thinking", "set-tools", "set-prompt"],
  idle: SAFE_POINT,
  closing: ["set-state", "notify"],
  command: SAFE_POINT,
};

/** An action with who wanted it. */
export interface AttributedAction {
  readonly plugin: string;
  readonly invocation: InvocationId;
  readonly action: Action;
}

/** A batch that was refused as a whole, and why. */
export interface RefusedBatch {
  readonly plugin: string;
  readonly invocation: InvocationId;
  readonly error: Diagnostic;
}

/** What came of all handlers of one event: what is carried out, in order, and what is not. */
export interface Boundary {
  readonly accepted: readonly AttributedAction[];
  readonly refused: readonly RefusedBatch[];
}
