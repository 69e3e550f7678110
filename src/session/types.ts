import type { Clock, EntryId, IdSource, Result, SessionId } from "../base/index.js";
import type { Diagnostic, Entry, EntryType, OwnerInfo, Position, SessionSummary } from "../schema/index.js";

/** One committed change as readers see it: whole or not at all. */
export interface CommittedChange {
  readonly position: Position;
  readonly time: number;
  readonly leaf: EntryId | undefined;
  readonly entries: readonly Entry[];
}

/** A change to be committed: ids are already given, so entries may refer to each other. `leaf` moves the selected leaf. */
export interface Change {
  readonly entries: readonly Entry[];
  readonly leaf?: EntryId;
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
  /** Who writes it, when another process does. */
  readonly owner: OwnerInfo | undefined;
  /** Selected leaf as of the newest commit read. */
  leaf(): EntryId | undefined;
  position(): Position;
  /** The branch that ends at `leaf` (default: selected), newest first, read lazily and bounded. */
  branch(options?: { readonly leaf?: EntryId }): AsyncIterable<Entry>;
  /** Committed changes in order, after `from` (default: from the first). `follow` waits for more until `signal` aborts. */
  changes(options?: { readonly from?: Position; readonly follow?: boolean; readonly signal?: AbortSignal }): AsyncIterable<CommittedChange>;
  /** Entries of the given types in committed order, skipping the payloads of all others. */
  scan(types: ReadonlySet<EntryType>): AsyncIterable<Entry>;
  get(id: EntryId): Promise<Entry | undefined>;
  /** Damaged spans met so far, at opening and by reads, in file order. Damage is skipped and told here, never guessed at. */
  damage?(): readonly Diagnostic[];
  close(): Promise<void>;
}

export interface SessionWriter extends SessionReader {
  readonly access: "write";
  /** `uncertain`: storage failed in a way whose outcome is not known; every commit rejects from then on. */
  state(): "open" | "uncertain" | "closed";
  /** Queues one change for the next group. Throws SessionStorageError on a broken bound, before anything is queued. */
  commit(change: Change): CommitTicket;
}

export interface GrepMatch {
  readonly session: SessionId;
  readonly entry: EntryId;
  readonly type: EntryType;
  readonly time: number;
  /** Which part of the entry: text, args, output, thinking … */
  readonly part: string;
  readonly line: number;
  readonly text: string;
}

export interface SessionStore {
  /** Makes a new session atomically and holds it as its writer. `dir` is created with mode 0700. */
  create(options: { readonly id?: SessionId }): Promise<Result<SessionWriter, Diagnostic>>;
  /** `write` on a session another writer holds yields a reader with `owner` set, at once. */
  open(id: SessionId, want: "write" | "read"): Promise<Result<SessionWriter | SessionReader, Diagnostic>>;
  /** Newest first. Never locks, repairs or decodes whole histories. */
  list(options?: { readonly signal?: AbortSignal; readonly detail?: "header" | "summary" }): AsyncIterable<SessionSummary>;
  /** Id or unique suffix of at least 4 hex digits. */
  resolve(name: string): Promise<Result<SessionId, Diagnostic>>;
  grep(
    pattern: RegExp,
    options?: { readonly sessions?: readonly SessionId[]; readonly signal?: AbortSignal },
  ): AsyncIterable<GrepMatch | { readonly damage: Diagnostic }>;
  remove(id: SessionId): Promise<Result<void, Diagnostic>>;
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
