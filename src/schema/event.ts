import type { CallId, EffectId, EntryId, JsonObject, SessionId, SubmissionId } from "../base/index.js";
import type { Diagnostic } from "./diagnostic.js";
import type { InputSource } from "./entry.js";
import type { McpEventState } from "./sdk/index.js";
import type { ImagePart, StopReason } from "./message.js";
import type { ModelRef, TargetRef, Usage } from "./model/index.js";
import type { ProviderError } from "./provider.js";
import type { RunReason, RunStatus } from "./run.js";
import type { MutationState } from "./tool.js";
import type { Question, QuestionAnswer, RenderNode, StatusItem, TextRole } from "./ui.js";

/** A place in a session's committed order: `<session>/<epoch>/<seq>`. */
export interface Position {
  readonly session: SessionId;
  readonly epoch: number;
  readonly seq: number;
}

interface Stamp {
  readonly session: SessionId;
  /** ms since the epoch. */
  readonly time: number;
  /** Present on durable events only. */
  readonly position?: Position;
}

/**
 * The one vocabulary of `eval --json`, RPC notifications and frontends (product page section 10).
 * Durable: user, assistant, tool_end, run_end … carry a position. Progress (deltas, tool_progress, run_metrics) may coalesce.
 */
export type SmithEvent = Stamp &
  (
    | {
        readonly type: "run_start";
        readonly submission: SubmissionId;
        readonly model: ModelRef;
        readonly cwd: string;
        readonly name?: string;
      }
    /** `plugin`: who said it, where that was no person. */
    | { readonly type: "user"; readonly entry: EntryId; readonly text: string; readonly source: InputSource; readonly plugin?: string }
    | { readonly type: "assistant_start"; readonly request: string; readonly model: ModelRef }
    | { readonly type: "assistant_delta"; readonly text: string }
    | { readonly type: "thinking_delta"; readonly text: string }
    | { readonly type: "thinking_cleared" }
    | {
        readonly type: "assistant";
        readonly entry: EntryId;
        readonly text: string;
        readonly thinking?: string;
        readonly stop: StopReason;
        readonly usage?: Usage;
        readonly cost?: number;
        readonly model: ModelRef;
        readonly error?: Diagnostic;
      }
    | {
        readonly type: "tool_start";
        readonly id: CallId;
        readonly name: string;
        readonly args: JsonObject | null;
        readonly argsSummary: string;
      }
    | { readonly type: "tool_progress"; readonly id: CallId; readonly text: string }
    | {
        readonly type: "tool_end";
        readonly id: CallId;
        readonly name: string;
        readonly result: string;
        readonly isError: boolean;
        readonly resultSummary: string;
        readonly mutation: MutationState;
        readonly durationMs: number;
        readonly diff?: string;
        readonly view?: RenderNode;
        /** Kind and size of the images it brought; what they show is in the session. */
        readonly images?: readonly { readonly mediaType: ImagePart["mediaType"]; readonly bytes: number }[];
      }
    | {
        readonly type: "approval";
        readonly id: CallId;
        readonly name: string;
        readonly argsSummary: string;
        readonly args: JsonObject;
        /** Why a policy wants it asked. */
        readonly why?: string;
        /** What an answer for the session or the project would allow; absent where only this call can be. */
        readonly rule?: string;
      }
    | { readonly type: "approval_settled"; readonly id: CallId; readonly allowed: boolean }
    /** The same model is asked again after `delayMs`; `time` + `delayMs` is when. */
    | {
        readonly type: "retry";
        /** Of the attempt to come. */
        readonly attempt: number;
        readonly max: number;
        readonly reason: string;
        /** What kind of failure the attempt before ended with. */
        readonly failure?: ProviderError["class"];
        readonly delayMs: number;
      }
    /** Another model or account answers in its place; the selection stays. `until`: when the first may be asked again, ms since the epoch. */
    | {
        readonly type: "failover";
        readonly from: TargetRef;
        readonly to: TargetRef;
        readonly reason: string;
        readonly failure?: ProviderError["class"];
        readonly until?: number;
      }
    /** A plugin asks a person; `id` is its effect. */
    | { readonly type: "question"; readonly id: EffectId; readonly plugin: string; readonly question: Question }
    | { readonly type: "question_settled"; readonly id: EffectId; readonly answer: QuestionAnswer }
    | { readonly type: "status"; readonly item: StatusItem }
    /** What runs plugins changed: another generation is in use from the next request on. */
    | { readonly type: "generation"; readonly number: number; readonly changed: readonly string[] }
    /** Something happened to a server of the Model Context Protocol. */
    | { readonly type: "mcp"; readonly server: string; readonly state: McpEventState; readonly message: string }
    | { readonly type: "model"; readonly model: ModelRef; readonly by?: string }
    | { readonly type: "notice"; readonly text: string; readonly plugin?: string; readonly role?: TextRole }
    | {
        readonly type: "unknown_effect";
        readonly effect: EffectId;
        readonly operation: string;
        readonly summary: string;
        readonly startedAt: number;
      }
    | { readonly type: "queue"; readonly items: readonly QueuedInput[] }
    | { readonly type: "interrupted" }
    | { readonly type: "error"; readonly diagnostic: Diagnostic }
    | {
        readonly type: "run_metrics";
        readonly running: boolean;
        readonly elapsed: number;
        readonly inputTokens?: number;
        readonly outputTokens?: number;
        readonly cost?: number;
      }
    | {
        readonly type: "run_end";
        readonly status: RunStatus;
        readonly reason: RunReason;
        readonly reply: string;
        readonly usage?: Usage;
        readonly cost?: number;
        /** Responses of the run whose cost is not known; absent: all are. */
        readonly unpriced?: number;
        readonly receipt: SubmissionId;
        readonly error?: Diagnostic;
      }
  );

export type SmithEventType = SmithEvent["type"];

/** Input admitted but not yet delivered. */
export interface QueuedInput {
  readonly submission: SubmissionId;
  readonly delivery: "steer" | "follow-up";
  readonly text: string;
}
