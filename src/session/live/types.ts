import type { EffectId, EntryId, JsonValue, SessionId, SubmissionId, WorkId } from "../../base/index.js";
import type {
  EffectIntentEntry,
  MutationState,
  OriginEntry,
  Spend,
  StateFields,
  SubmissionEntry,
  Usage,
  WorkEntry,
} from "../../schema/index.js";

/** Bounds of what may be open at once; a change that would exceed one is refused whole (specification, "Committed changes"). */
export const SESSION_LIMITS = {
  /** Works that have not settled. */
  liveWorks: 512,
  /** Works above a work, itself included. */
  ownershipDepth: 16,
  /** Keys of scoped state that have a value. */
  stateItems: 1024,
  /** Bytes of one value as canonical CBOR, and of all of them. */
  stateValueBytes: 256 * 1024,
  stateBytes: 4 * 1024 * 1024,
} as const;

/** Work that has not settled. */
export interface LiveWork {
  readonly work: WorkId;
  readonly parent?: WorkId;
  readonly state: WorkEntry["state"];
  /** Newest one recorded. */
  readonly checkpoint?: JsonValue;
}

/** Admitted input without a receipt. */
export interface LiveSubmission {
  readonly submission: SubmissionId;
  readonly work: WorkId;
  readonly delivery: SubmissionEntry["delivery"];
  /** Its submission entry: content is read when it is needed. */
  readonly entry: EntryId;
  readonly isQueued: boolean;
}

/** An effect that began and has no recorded end: its outcome is unknown unless its writer still runs. */
export interface LiveEffect {
  readonly effect: EffectId;
  readonly cause: EffectIntentEntry["cause"];
  readonly work?: WorkId;
  readonly operation: string;
  /** Its intent entry. */
  readonly entry: EntryId;
}

/** A piece of session state that has a value. */
export interface LiveStateItem extends Pick<StateFields, "owner" | "key" | "version" | "fork"> {
  /** Its newest state entry. */
  readonly entry: EntryId;
  readonly bytes: number;
  readonly work?: WorkId;
}

/**
 * What is open in a session as of one commit: a fold over its own entries (inherited ones only name the session, its
 * origins and copied state). Held in every checkpoint, so that opening never reads the whole history.
 */
export interface LiveState {
  /** Newest commit folded in. */
  readonly seq: number;
  readonly works: ReadonlyMap<WorkId, LiveWork>;
  /** Works some of whose open calls' usage is on record as that of works they own. */
  readonly recorded: ReadonlySet<WorkId>;
  /** In the order of admission. */
  readonly submissions: ReadonlyMap<SubmissionId, LiveSubmission>;
  readonly effects: ReadonlyMap<EffectId, LiveEffect>;
  /** Outcomes of ended effects of works by what caused them, as long as that has no result in the history. */
  readonly ended: ReadonlyMap<LiveEffect["cause"], readonly MutationState[]>;
  /** By {@link stateName}. */
  readonly states: ReadonlyMap<string, LiveStateItem>;
  readonly name?: string;
  readonly cwd?: string;
  /** Prompts so far. */
  readonly turns: number;
  /** Sum over all answers; fields nobody ever reported stay absent. */
  readonly usage?: Usage;
  /**
   * What the session's own records say was used, each counted once: answers, tools that report it, compactions. Absent where the
   * checkpoint it was folded from does not say: then only who reads the whole file knows.
   */
  readonly spend?: Spend;
  readonly origins: readonly Pick<OriginEntry, "how" | "session" | "epoch" | "seq">[];
}

/** Key of a piece of state in {@link LiveState.states}, with both names as they are stored. Owners hold no NUL. */
export const stateName = (owner: string, key: string): string => `${owner}\0${key}`.toWellFormed();

/** Where a fork or an import of a whole file came from, as its header says. */
export interface FileOrigin {
  readonly session: SessionId;
  readonly seq: number;
}
