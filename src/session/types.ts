import type { Clock, EntryId, IdSource, Result, SessionId, SubmissionId } from "../base/index.js";
import type {
  Diagnostic,
  Entry,
  EntryType,
  OwnerInfo,
  Position,
  ReceiptEntry,
  SessionSummary,
  StateFields,
  SubmissionEntry,
} from "../schema/index.js";
import type { FileOrigin, LiveState } from "./live/types.js";

/** One committed change as readers see it: whole or not at all. */
export interface CommittedChange {
  readonly position: Position;
  readonly time: number;
  readonly leaf: EntryId | undefined;
  readonly entries: readonly Entry[];
}

/** A change to be committed: ids are already given, so entries may refer to each other. `leaf` moves the selected leaf; null selects none. */
export interface Change {
  readonly entries: readonly Entry[];
  readonly leaf?: EntryId | null;
}

/** `published`: complete and visible to readers. `durable`: acknowledged by the platform's persistence boundary. Both reject with SessionStorageError. */
export interface CommitTicket {
  readonly position: Position;
  readonly published: Promise<void>;
  readonly durable: Promise<void>;
}

/** Thrown (rejected) by commits after storage failed or its outcome became uncertain. */
export class SessionStorageError extends Error {
  override readonly name = "SessionStorageError";
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.what);
    this.diagnostic = diagnostic;
  }
}

export interface SessionReader {
  readonly access: "read" | "write";
  readonly id: SessionId;
  readonly path: string;
  readonly createdAt: number;
  /** Grows only when a repair lost or renumbered changes; part of every position. */
  readonly epoch: number;
  /** The session this file was forked from or imported from, by its header. */
  readonly origin: FileOrigin | undefined;
  /** Who writes it, when another process does. */
  readonly owner: OwnerInfo | undefined;
  /** Selected leaf as of the newest commit read. */
  leaf(): EntryId | undefined;
  position(): Position;
  /** The branch that ends at `leaf` (default: selected), newest first, read lazily and bounded. */
  branch(options?: { readonly leaf?: EntryId }): AsyncIterable<Entry>;
  /**
   * Committed changes in order, after `from` (default: from the first). `follow` waits for more until `signal` aborts. A position
   * of another session, another epoch or the future fails with SessionStorageError, and so does a file that was replaced meanwhile.
   */
  changes(options?: { readonly from?: Position; readonly follow?: boolean; readonly signal?: AbortSignal }): AsyncIterable<CommittedChange>;
  /**
   * Entries of the given types in committed order, skipping the payloads of all others. `since`: only of changes at or after that time.
   * `until`: only of changes up to that one.
   */
  scan(types: ReadonlySet<EntryType>, options?: { readonly since?: number; readonly until?: number }): AsyncIterable<Entry>;
  get(id: EntryId): Promise<Entry | undefined>;
  /** The one entry whose id this is or ends with, as at least 4 hex digits. Reads every table, no payload. */
  resolveEntry(name: string): Promise<Result<EntryId, Diagnostic>>;
  /** What is open as of the newest commit: newest checkpoint and what came after it. Runs nothing. */
  live(): Promise<LiveState>;
  /** The admission made with a deduplication key in this very session, however long ago. */
  admission(key: string): Promise<SubmissionEntry | undefined>;
  /** Terminal receipt of an own submission, however long ago. */
  receipt(submission: SubmissionId): Promise<ReceiptEntry | undefined>;
  /** Newest session state as recorded, today or as of a position; absent when there is none or it was deleted. */
  sessionState(owner: string, key: string, at?: Position): Promise<StateFields | undefined>;
  /** Newest branch state on the way back from `leaf` (default: selected). */
  branchState(owner: string, key: string, leaf?: EntryId): Promise<StateFields | undefined>;
  /** Frames of types this version does not know, in file order. */
  unknownFrames(): AsyncIterable<UnknownFrame>;
  /** Damaged spans met so far, at opening and by reads, in file order. Damage is skipped and told here, never guessed at. */
  damage(): readonly Diagnostic[];
  /** The changes those spans hold. What a repair declared gone is none of them. */
  damagedChanges(): readonly ChangeSpan[];
  close(): Promise<void>;
}

/** Consecutive changes, both ends included. */
export interface ChangeSpan {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** A frame of a later version, kept byte for byte. */
export interface UnknownFrame {
  readonly type: number;
  readonly flags: number;
  readonly seq: number;
  readonly tableLen: number;
  /** Newest commit before it. */
  readonly after: number;
  readonly body: Uint8Array;
}

export interface SessionWriter extends SessionReader {
  readonly access: "write";
  /** `uncertain`: storage failed in a way whose outcome is not known; every commit rejects from then on. */
  state(): "open" | "uncertain" | "closed";
  /**
   * Bytes behind the last complete change that were cut off when the file was opened; nothing shows that they were ever
   * acknowledged. Told to the user once. Derived: no change was among them, and there is nothing to tell.
   */
  readonly dropped: { readonly bytes: number; readonly copy?: string; readonly isDerived?: true } | undefined;
  /**
   * Queues one change for the next group. Throws SessionStorageError before anything is queued: on a broken bound of the format
   * or of SESSION_LIMITS, or when a parent would settle before the work it owns.
   */
  commit(change: Change): CommitTicket;
}

/** What `fork` and `import` made. */
export interface NewSession {
  readonly id: SessionId;
  readonly path: string;
  readonly entries: number;
  /** Changes of the source that a repair of it had lost before; the new session does without them. */
  readonly missing?: readonly ChangeSpan[];
}

/** One change of an import. Entries keep ids and order; all become inherited ones. `leaf`: as in {@link Change}. */
export interface ImportedChange {
  readonly type: "change";
  readonly entries: readonly Entry[];
  readonly time: number;
  readonly leaf?: EntryId | null;
}

/** Changes that a repair of the source lost. Nothing is stored of them. */
export interface ImportedGap extends ChangeSpan {
  readonly type: "gap";
}

export type ImportItem = ImportedChange | ImportedGap | { readonly type: "frame"; readonly frame: UnknownFrame };

/** Something `verify` found. `offset` and `end` are bytes of the file. */
export interface Finding {
  readonly severity: "damage" | "warning";
  readonly what: string;
  readonly offset: number;
  readonly end: number;
}

export interface VerifyReport {
  readonly bytes: number;
  readonly commits: number;
  readonly entries: number;
  readonly checkpoints: number;
  readonly unknownFrames: number;
  /** Bytes after the last complete change: a writer's tail in progress, or torn. */
  readonly tailBytes: number;
  readonly damage: number;
}

export interface RepairReport {
  /** The damaged file as it was. Absent when nothing had to be done. */
  readonly backup?: string;
  readonly commits: number;
  readonly lost: readonly { readonly firstSeq: number; readonly lastSeq: number }[];
  /** History entries that are gone. A LOST record holds the place of each, so that branches go on above it. */
  readonly marked?: readonly EntryId[];
  /** Left out of changes that are kept otherwise: entries whose content is damaged, and frames of later versions that are. */
  readonly dropped?: { readonly entries: readonly EntryId[]; readonly frames: number };
}

export interface GrepMatch {
  readonly session: SessionId;
  /** As in {@link SessionSummary}. */
  readonly short?: string;
  readonly entry: EntryId;
  readonly type: EntryType;
  readonly time: number;
  /** Which part of the entry: text, args, output, thinking … */
  readonly part: string;
  readonly line: number;
  readonly text: string;
  /** Lines before and after, when asked for. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface SessionStore {
  /** Makes a new session atomically and holds it as its writer. `dir` is created with mode 0700. */
  create(options: { readonly id?: SessionId }): Promise<Result<SessionWriter, Diagnostic>>;
  /** `write` on a session another writer holds yields a reader with `owner` set, at once. */
  open(id: SessionId, want: "write" | "read"): Promise<Result<SessionWriter | SessionReader, Diagnostic>>;
  /** Newest first. Never locks, repairs or decodes whole histories. */
  list(options?: ListOptions): AsyncIterable<SessionSummary>;
  /** Id or unique suffix of at least 4 hex digits. */
  resolve(name: string): Promise<Result<SessionId, Diagnostic>>;
  grep(pattern: RegExp, options?: GrepOptions): AsyncIterable<GrepMatch | { readonly damage: Diagnostic }>;
  /** A new session with the branch that ends at `at` (default: selected leaf) and the evidence on it, complete or not there at all. */
  fork(
    source: SessionId,
    options?: { readonly at?: EntryId; readonly id?: SessionId; readonly signal?: AbortSignal },
  ): Promise<Result<NewSession, Diagnostic>>;
  /** A new session from entries that were made elsewhere; `id` must be free. */
  import(
    items: AsyncIterable<Result<ImportItem, Diagnostic>>,
    options: {
      readonly id: SessionId;
      readonly createdAt: number;
      readonly source: FileOrigin & { readonly epoch: number };
      readonly signal?: AbortSignal;
    },
  ): Promise<Result<NewSession, Diagnostic>>;
  /** Checks every byte; findings as they are met, then the report. Changes nothing. */
  verify(id: SessionId, options?: { readonly signal?: AbortSignal }): AsyncIterable<Result<Finding | VerifyReport, Diagnostic>>;
  /** Makes a sound file of a damaged one and puts it in its place at once; the old one stays as a backup. */
  repair(id: SessionId, options?: { readonly signal?: AbortSignal }): Promise<Result<RepairReport, Diagnostic>>;
  remove(id: SessionId): Promise<Result<void, Diagnostic>>;
}

/** Filters that the cheap path can answer; all given ones must hold. Names and models match by part, ignoring case. */
export interface ListOptions {
  readonly signal?: AbortSignal;
  readonly detail?: "header" | "summary";
  readonly cwd?: string;
  /** ms since the epoch, of the last change. */
  readonly since?: number;
  readonly until?: number;
  readonly model?: string;
  readonly name?: string;
  readonly state?: SessionSummary["state"];
}

export interface GrepOptions {
  readonly sessions?: readonly SessionId[];
  readonly signal?: AbortSignal;
  /** Only entries of these types. Default: those of the history but `prompt` ones. */
  readonly types?: ReadonlySet<EntryType>;
  /** Only the selected branch of each session, or with one session the branch that ends at an entry. Default: everything recorded. */
  readonly branch?: "selected" | { readonly leaf: EntryId };
  /** Lines around each match. */
  readonly before?: number;
  readonly after?: number;
  /** Oldest session first. */
  readonly oldestFirst?: boolean;
  /** Matches per session after which it is left. */
  readonly maxPerSession?: number;
}

export interface SessionStoreDeps {
  readonly dir: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: (into: Uint8Array) => void;
  readonly version: string;
  /** pid and host, for display. */
  readonly process: { readonly pid: number; readonly host: string };
}
