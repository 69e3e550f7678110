import type { CallId, EffectId, EntryId, JsonValue, SessionId, SubmissionId, WorkId } from "../base/index.js";
import type {
  ContextEditEntry,
  EffectDoneEntry,
  EffectIntentEntry,
  ImagePart,
  MutationState,
  ReconciledEntry,
  ToolDefinition,
  WorkEntry,
} from "../schema/index.js";

/** Admitted input that waits for its delivery. */
export interface QueuedItem {
  readonly submission: SubmissionId;
  readonly work: WorkId;
  readonly delivery: "steer" | "follow-up";
  readonly text: string;
  readonly images?: readonly ImagePart[];
  /** The plugin that enqueued it. */
  readonly plugin?: string;
}

/** A work that has neither settled nor waits in the queue. `submission` is absent when none asked for it. */
export interface OpenWork {
  readonly work: WorkId;
  readonly submission?: SubmissionId;
  readonly parent?: WorkId;
  readonly state: WorkEntry["state"];
  /** Newest one recorded. */
  readonly checkpoint?: JsonValue;
}

/** Live facts of a session file: what was begun and has no recorded end. Nothing is executed to find them. */
export interface Recovered {
  /** Own intents without a completion: their outcome is unknown. */
  readonly pendingEffects: readonly EffectIntentEntry[];
  /** How the effects of the open calls of the selected branch ended, by call; only those that may have changed something. */
  readonly outcomes: ReadonlyMap<CallId, readonly EffectEnd[]>;
  /** Own works that are open and not queued, in the order of admission. */
  readonly unsettled: readonly OpenWork[];
  readonly queue: readonly QueuedItem[];
  /** What the inherited records say of the calls left open by a fork inside a batch; only those calls are in it. */
  readonly inherited: ReadonlyMap<string, InheritedEvidence>;
  /** Who was asked last in the open turn, also when that request has ended. */
  readonly provider?: AskedProvider;
  /** The newest name that was given to the session. */
  readonly name?: string;
}

/** How an effect ended: as recorded, or as a person says, in the words the model is told. */
export interface EffectEnd {
  readonly effect: EffectId;
  readonly outcome: MutationState;
  readonly said?: string;
}

/** A provider and the plugin that brought it when it was asked. */
export interface AskedProvider {
  readonly provider: string;
  readonly plugin: string;
}

/** `session` is where the call was made, when the file says so. */
export interface InheritedEvidence {
  readonly session?: SessionId;
  readonly mutation: MutationState;
}

/** A file without anything open. */
export const nothingRecovered: Recovered = {
  pendingEffects: [],
  outcomes: new Map(),
  unsettled: [],
  queue: [],
  inherited: new Map(),
};

/** What this process could go on with: tools and providers of the running generation, each with the plugin that brings it. */
export interface Available {
  readonly tools: readonly Pick<ToolDefinition, "name" | "plugin">[];
  readonly providers: readonly { readonly id: string; readonly plugin: string }[];
}

/** An edit as a person or frontend asks for it. */
export interface ContextEditRequest {
  readonly target: EntryId;
  readonly operation: ContextEditEntry["operation"];
  /** Of a replacement. */
  readonly text?: string;
}

/** Everything a file says of one effect. `origin` is the session of an inherited one, when the file says so. */
export interface EffectFacts {
  readonly intent: EffectIntentEntry;
  readonly done?: EffectDoneEntry;
  /** Newest word on it. */
  readonly word?: ReconciledEntry;
  readonly origin?: SessionId;
}

/** A person's or frontend's word on an effect nobody knows the outcome of. */
export interface EffectWord {
  readonly outcome: "applied" | "not-applied";
  readonly note?: string;
}
