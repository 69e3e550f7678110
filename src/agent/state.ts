import type { CallId, EffectId, EntryId, RequestId, SubmissionId, WorkId } from "../base/index.js";
import type {
  AssistantResult,
  AttemptFacts,
  Boundary,
  Diagnostic,
  Entry,
  HistoryEntry,
  ImagePart,
  Message,
  MutationState,
  PromptEntry,
  RunReason,
  RunStatus,
  Spend,
  StateFields,
  ToolCallEntry,
} from "../schema/index.js";
import type { DispatchOutcome } from "../tool/index.js";
import { emptyProjection, type Projection } from "./context/index.js";
import type { ActionBoundary } from "./boundary.js";
import type { Available, ContextEditRequest, EffectFacts, EffectWord, QueuedItem, Recovered } from "./facts.js";

/** What the agent knows, rebuilt from the session file at open. A cache of committed entries, never more. */
export interface AgentState {
  readonly leaf: EntryId | undefined;
  /** The branch back to its newest compaction or its root, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Newest prompt entry of the branch. */
  readonly prompt: PromptEntry | undefined;
  readonly queue: readonly QueuedItem[];
  readonly turn: Turn | undefined;
  /** What an earlier process left open. New input settles it, resuming goes on with it; neither happens by itself. */
  readonly interrupted: Recovered | undefined;
  /** Words for the model that wait for the next safe point of the running turn. */
  readonly notices: readonly string[];
  /** Turns in a row that plugins began or made go on, without input of a person. */
  readonly unattended: number;
  /** The newest request's projection with its digests, so that the next one costs only what is new. */
  readonly sent: Projection & DigestChain;
}

/** Digest of every prefix of a list of messages: `digests[i]` covers `messages[0..i]`. */
export interface DigestChain {
  readonly messages: readonly Message[];
  readonly digests: readonly string[];
}

/** From admitted input to stop. */
export interface Turn {
  readonly work: WorkId;
  /** The submission that began it, then the steers delivered into it; each gets a receipt at the end. */
  readonly submissions: readonly { readonly submission: SubmissionId; readonly work: WorkId }[];
  readonly rounds: number;
  readonly spend: Spend;
  /** Signature of the last tool-call set and how often it came in a row. */
  readonly repeated: { readonly signature: string; readonly count: number };
  /** Rounds in a row in which no call could be run at all. */
  readonly refusedRounds: number;
  readonly batch: Batch | undefined;
  readonly stopping: StopCause | undefined;
  /** A plugin wants it to stop at its next safe point. */
  readonly stopped: PolicyStop | undefined;
  /** It stands at its safe point until what was to be published there is. */
  readonly held: Held | undefined;
  /** Messages whose images it stopped showing, since a provider refused a request with them. */
  readonly leftOut?: readonly EntryId[];
  readonly reply: string;
}

export interface PolicyStop {
  readonly plugin: string;
  readonly why: string;
}

/** `final`: the words a tool ended the run with. `isCut`: the answer ended at the output limit. */
export type Held = { readonly type: "batch"; readonly final: string | undefined } | { readonly type: "answer"; readonly isCut: boolean };

export interface Batch {
  readonly calls: readonly ToolCallEntry[];
  readonly settled: ReadonlyMap<CallId, DispatchOutcome>;
}

/** Who asked a turn to stop. */
export type StopCause = "abort" | "deadline";

export type AgentInput =
  | {
      readonly type: "submitted";
      readonly submission: SubmissionId;
      readonly text: string;
      readonly images?: readonly ImagePart[];
      readonly delivery: "steer" | "follow-up";
      readonly key?: string;
    }
  | { readonly type: "withdrawn"; readonly submission: SubmissionId }
  | {
      readonly type: "round-ended";
      readonly request: RequestId;
      /** Its end is still to be recorded. Absent: the last attempt was over before, and none followed. */
      readonly effect?: EffectId;
      /** Where the last attempt went. */
      readonly attempt: Pick<AttemptFacts, "dispatch" | "facts">;
      readonly end: RoundEnd;
      /** The turn waits at the safe point that follows, if one does. */
      readonly hold?: boolean;
    }
  | {
      readonly type: "tool-settled";
      readonly call: ToolCallEntry;
      readonly outcome: DispatchOutcome;
      readonly hold?: boolean;
      /** What handlers made of the result. */
      readonly boundary?: ActionBoundary;
    }
  /** What was to be published at a held turn's safe point is. `due`: what handlers say of the input that can be delivered. */
  | { readonly type: "safe-point"; readonly due?: ActionBoundary }
  /** At a safe point, unless nothing of it needs one. Batches that cannot be carried out any more are recorded as refused. */
  | { readonly type: "actions-published"; readonly boundary: ActionBoundary }
  | { readonly type: "renamed"; readonly name: string }
  | { readonly type: "branch-state-changed"; readonly fields: StateFields }
  /** No turn runs and input waits: the first of it begins one. */
  | { readonly type: "queue-due" }
  | { readonly type: "stop-requested"; readonly cause: StopCause }
  | { readonly type: "context-edited"; readonly edits: readonly ContextEditRequest[] }
  /** `loaded` is what the file holds of the branch that ends at `to`; absent `to`: before the first entry. */
  | { readonly type: "leaf-selected"; readonly to: EntryId | undefined; readonly loaded: AgentState }
  /** Goes on with the turn an earlier process left open, if everything it needs is there. */
  | { readonly type: "work-resumed"; readonly available: Available }
  /** Ends what an earlier process left open without new input. Does nothing when nothing is open. */
  | { readonly type: "interruption-ended" }
  | { readonly type: "effect-reconciled"; readonly effect: EffectFacts; readonly word: EffectWord };

/** How one provider response ended, retries included. `outcome` is what is known of its effect. */
export type RoundEnd =
  | { readonly type: "done"; readonly result: AssistantResult }
  | { readonly type: "failed"; readonly error: Diagnostic; readonly partial: AssistantResult; readonly outcome: MutationState }
  | { readonly type: "aborted"; readonly partial: AssistantResult };

/** What the driver has to do once the decision's entries are durable. */
export type AgentRequest =
  | { readonly type: "start-round" }
  /** The turn is held: what waits is published, then the safe point is passed. */
  | { readonly type: "hold" }
  | { readonly type: "run-tools"; readonly calls: readonly ToolCallEntry[] }
  | { readonly type: "stop-running"; readonly cause: StopCause }
  | { readonly type: "turn-ended"; readonly end: TurnEnd };

export interface TurnEnd {
  readonly work: WorkId;
  readonly status: RunStatus;
  readonly reason: RunReason;
  readonly reply: string;
  readonly spend: Spend;
  readonly error: Diagnostic | undefined;
  readonly submissions: readonly SubmissionId[];
  readonly rounds: number;
}

export interface Decision {
  readonly state: AgentState;
  readonly entries: readonly Entry[];
  readonly requests: readonly AgentRequest[];
  /** Why the input was not followed. What there is to record of it all the same is in `entries`. */
  readonly refused?: Diagnostic;
  /** What came of the actions that were to be carried out. */
  readonly published?: Boundary;
}

export const emptyState: AgentState = {
  leaf: undefined,
  history: [],
  prompt: undefined,
  queue: [],
  turn: undefined,
  interrupted: undefined,
  notices: [],
  unattended: 0,
  sent: { ...emptyProjection, digests: [] },
};
