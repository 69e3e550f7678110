import type { Clock, EntryId } from "../../base/index.js";
import { invariant } from "../../base/index.js";
import type { Diagnostic, Entry } from "../../schema/index.js";
import { BoundError, crc32 } from "../bytes/index.js";
import type { PlacedFrame, RecordDraft, SummaryFields } from "../codec/index.js";
import {
  CommitEncoder,
  draftOf,
  encodeSummary,
  FLAG,
  foldSummary,
  FRAME,
  FRAME_HEADER_BYTES,
  generationSeed,
  joinSummary,
  PRELUDE_BYTES,
  putFrameHeader,
  RECORD_BYTES,
} from "../codec/index.js";
import { sessionClosed, sessionTooLarge } from "../diagnostics.js";
import type { CheckpointLog, LiveState } from "../live/index.js";
import { admit } from "../live/index.js";
import type { FileOperations, Tail } from "../log/index.js";
import { ClosedError } from "../log/index.js";
import type { GrowthWatch, ReaderParts, Source } from "../reader/index.js";
import { DamageLog, identityOf, Places, positionOf } from "../reader/index.js";
import type { Change, CommitTicket, SessionWriter } from "../types.js";
import { SessionStorageError } from "../types.js";
import { Appender, rejected } from "./appender.js";
import type { Group } from "./group.js";
import { Deferred } from "./group.js";
import { ownReading } from "./own-reading.js";
import { PublishWatch } from "./publish-watch.js";

/** Quiet time after which observers are told what is durable. */
const IDLE_MS = 50;
/** How far back a reopened session looks for its last summary before it writes a new one. */
const SUMMARY_BLOCKS = 64;

export interface WriterParts extends ReaderParts {
  readonly ops: FileOperations;
  readonly clock: Clock;
  readonly tail: Tail;
  /** Live state as of the tail. */
  readonly log: CheckpointLog;
  readonly dropped: SessionWriter["dropped"];
  /** Awaited before the first acknowledgement. */
  readonly ready: Promise<void>;
  /** Called last before the file is closed and its lock given back. Never rejects. */
  readonly beforeUnlock: () => Promise<void>;
}

/** The one writer of a session file. */
export class Writer implements Source {
  readonly id;
  readonly path: string;
  readonly epoch: number;
  readonly seed: number;
  readonly file;
  readonly places = new Places();
  readonly damage = new DamageLog();
  /** What the next checkpoint will say, and the live state. */
  readonly recent: CheckpointLog;
  readonly #parts: WriterParts;
  readonly #appender: Appender;
  readonly #encoder = new CommitEncoder();
  readonly #watches = new Set<PublishWatch>();
  #idle: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;
  /** As of the newest queued commit. */
  #seq: number;
  #leaf: EntryId | undefined;
  #time: number;
  #previous: number | undefined;
  #entryTime: number;
  #summary: SummaryFields = {};
  #isSummaryDue = false;
  #earlierSummary: SummaryFields | undefined;
  #ackWritten: number;

  constructor(parts: WriterParts) {
    const { header, tail } = parts;
    this.#parts = parts;
    this.id = header.id;
    this.path = parts.path;
    this.epoch = header.epoch;
    this.seed = generationSeed(header.generation);
    this.file = parts.file;
    this.#seq = tail.seq;
    this.#leaf = tail.leaf;
    this.#time = Math.max(tail.time, header.createdAt);
    this.#entryTime = tail.time;
    this.#previous = tail.commit;
    this.#ackWritten = tail.seq;
    this.recent = parts.log;
    for (const damage of tail.damage) this.damage.add(damage);
    this.#appender = new Appender({
      ops: parts.ops,
      clock: parts.clock,
      fd: parts.file.fd,
      path: parts.path,
      seed: this.seed,
      start: { ...tail, ackedSeq: tail.seq },
      ready: parts.ready,
      onPublished: () => {
        for (const watch of this.#watches) watch.tell();
      },
      onDrained: () => {
        this.#armIdle();
      },
    });
  }

  /** The session as its users see it. */
  facade(): SessionWriter {
    return {
      access: "write",
      ...identityOf(this.#parts),
      leaf: () => this.#leaf,
      position: () => positionOf(this, this.#seq),
      ...ownReading(this, () => this.#live()),
      dropped: this.#parts.dropped,
      state: () => (this.#isClosed ? "closed" : this.#appender.failure === undefined ? "open" : "uncertain"),
      commit: (change) => this.commit(change),
      close: () => this.close(),
    };
  }

  async refresh(): Promise<Tail> {
    if (this.file.isClosed) throw new ClosedError("the session was closed while it was being read");
    await this.#appender.published();
    return { ...this.#appender.written, damage: [], summary: undefined, obstacle: undefined, hasTornFrame: false, hasOnlyDerived: false };
  }

  /** As of the newest commit. When storage failed: as of what reached the file. */
  async #live(): Promise<LiveState> {
    const tail = await this.refresh();
    if (this.#appender.failure === undefined) return this.recent.live.state();
    const { LiveCursor } = await import("../reader/index.js");
    return await new LiveCursor(this).at(tail);
  }

  watch(): GrowthWatch {
    const watch = new PublishWatch(() => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  commit(change: Change): CommitTicket {
    const refusal = this.#isClosed ? sessionClosed(this.id) : this.#appender.failure;
    if (refusal !== undefined) return this.#refused(refusal);
    const inadmissible = admit(this.recent.live, change.entries);
    if (inadmissible !== undefined) throw new SessionStorageError({ ...inadmissible, source: { type: "session", id: this.id } });
    const time = Math.max(this.#time, Math.floor(this.#parts.clock.now()));
    const drafts = this.#draft(change.entries);
    const leaf = change.leaf === null ? undefined : (change.leaf ?? this.#leaf);
    const seq = this.#seq + 1;
    const group = this.#openGroup();
    const frame = this.#encode(group, drafts, { seq, time, leaf });
    const offset = group.base + frame.at;
    this.#seq = seq;
    this.#time = time;
    this.#leaf = leaf;
    this.#previous = offset;
    this.#adopt(change.entries, drafts, offset);
    const table = frame.at + FRAME_HEADER_BYTES + PRELUDE_BYTES;
    const records = group.run.bytes.subarray(table, table + RECORD_BYTES * drafts.length);
    this.recent.add({ seq, offset, records, count: drafts.length }, change.entries);
    const durable = new Deferred();
    group.durable.push(durable);
    group.last = { offset: group.end, seq, commit: offset, leaf, time, ackedSeq: 0 };
    this.#idle?.refresh();
    this.#appender.submit();
    return { position: positionOf(this, seq), published: group.published.promise, durable: durable.promise };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #refused(refusal: Diagnostic): CommitTicket {
    const refused = rejected(refusal);
    return { position: positionOf(this, this.#seq + 1), published: refused, durable: refused };
  }

  /**
   * The group the next commit goes into. What lies before a fresh one is durable by the time it is written, so a checkpoint
   * that found no quiet moment goes there.
   */
  #openGroup(): Group {
    const group = this.#appender.open();
    if (group.run.length > 0 || !this.recent.isDue("busy", group.base)) return group;
    this.#appendCheckpoints();
    this.#appender.submit();
    return this.#appender.open();
  }

  #encode(
    group: Group,
    drafts: readonly RecordDraft[],
    at: { readonly seq: number; readonly time: number; readonly leaf: EntryId | undefined },
  ): PlacedFrame {
    const before = group.run.length;
    try {
      const frames = this.#encoder.append(group.run, drafts, {
        seq: at.seq,
        time: at.time,
        leaf: at.leaf,
        base: group.base,
        seed: this.seed,
        previous: this.#previous,
        checkpoint: this.recent.newest,
        locate: (id: EntryId) => this.places.get(id),
      });
      group.frames.push(...frames);
      const commit = frames.at(-1);
      invariant(commit !== undefined, "a commit without a frame");
      return commit;
    } catch (error) {
      group.run.length = before;
      if (error instanceof BoundError) throw new SessionStorageError(sessionTooLarge(this.id, error.message));
      throw error;
    }
  }

  #draft(entries: readonly Entry[]): readonly RecordDraft[] {
    let floor = this.#entryTime;
    return entries.map((entry) => {
      const draft = draftOf(entry, floor);
      floor = draft.time;
      return draft;
    });
  }

  #adopt(entries: readonly Entry[], drafts: readonly RecordDraft[], offset: number): void {
    for (const entry of entries) {
      this.#summary = foldSummary(this.#summary, entry);
      if (entry.type === "receipt") this.#isSummaryDue = true;
    }
    for (const draft of drafts) {
      if ((draft.flags & FLAG.history) !== 0) this.places.set(draft.id, offset);
      this.#entryTime = draft.time;
    }
  }

  #armIdle(): void {
    if (this.#isClosed) return;
    if (this.#idle === undefined) this.#idle = setTimeout(() => this.#onIdle(), IDLE_MS).unref();
    else this.#idle.refresh();
  }

  #onIdle(): void {
    if (this.#isClosed || this.#appender.failure !== undefined || !this.#appender.isIdle) return;
    const isCheckpointDue = this.recent.isDue("idle", this.#appender.written.offset);
    if (this.#appender.written.ackedSeq === this.#ackWritten && !this.#isSummaryDue && !isCheckpointDue) return;
    this.#loadEarlierSummary().then(
      () => {
        if (this.#isClosed || this.#appender.failure !== undefined || !this.#appender.isIdle) return;
        this.#appendMarks(false);
        this.#appender.submit();
      },
      // Reading failed: summaries are a convenience, the next idle moment tries again.
      () => undefined,
    );
  }

  /** The summary of what was there at opening, read once and only when a summary is to be written. */
  async #loadEarlierSummary(): Promise<void> {
    if (this.#earlierSummary !== undefined || !this.#isSummaryDue) return;
    const { file, tail } = this.#parts;
    if (tail.seq === 0) {
      this.#earlierSummary = {};
      return;
    }
    const { summarize } = await import("../reader/index.js");
    this.#earlierSummary = await summarize({ file, seed: this.seed, tail, maxBlocks: SUMMARY_BLOCKS });
  }

  /** Derived frames, written without sync: what is durable, what is open, what listing shows, whether the end is clean. */
  #appendMarks(isLast: boolean): void {
    const { ackedSeq: acked, offset } = this.#appender.written;
    if (this.recent.isDue(isLast ? "close" : "idle", offset)) this.#appendCheckpoints();
    if (!isLast && acked !== this.#ackWritten) this.#appendFrame(FRAME.ack, acked, undefined);
    this.#ackWritten = acked;
    if (this.#isSummaryDue) {
      const body = encodeSummary(joinSummary(this.#earlierSummary ?? {}, this.#summary));
      this.#appendFrame(FRAME.summary, acked, body);
      this.#isSummaryDue = false;
    }
    if (isLast) this.#appendFrame(FRAME.close, acked, undefined);
  }

  #appendCheckpoints(): void {
    for (;;) {
      const frame = this.recent.take(this.#appender.open().end);
      if (frame === undefined) return;
      this.#appendFrame(FRAME.checkpoint, frame.seq, frame.body);
    }
  }

  #appendFrame(type: number, seq: number, body: Buffer | undefined): void {
    const group = this.#appender.open();
    const bodyLen = body?.length ?? 0;
    const at = group.run.reserve(FRAME_HEADER_BYTES + bodyLen);
    if (body !== undefined) group.run.bytes.set(body, at + FRAME_HEADER_BYTES);
    const tableCrc = body === undefined ? 0 : crc32(body, 0, bodyLen);
    putFrameHeader(
      group.run.bytes,
      at,
      { type, flags: 0, bodyLen, tableLen: bodyLen, tableCrc, seq },
      { offset: group.base + at, seed: this.seed },
    );
    group.run.length = at + FRAME_HEADER_BYTES + bodyLen;
    group.frames.push({ at, end: group.run.length, seq: 0, tableLen: bodyLen });
  }

  async #close(): Promise<void> {
    clearTimeout(this.#idle);
    try {
      await this.#appender.settled();
      if (this.#appender.failure === undefined && this.#seq !== this.#parts.tail.seq) await this.#writeEnd();
    } finally {
      await this.#parts.beforeUnlock();
      await this.file.close();
      for (const watch of this.#watches) watch.tell();
    }
  }

  /** Only after something was committed: opening and closing a session leaves its bytes as they are. */
  async #writeEnd(): Promise<void> {
    this.#isSummaryDue = true;
    try {
      await this.#loadEarlierSummary();
    } catch {
      this.#earlierSummary = {};
    }
    this.#appendMarks(true);
    this.#appender.submit();
    await this.#appender.settled();
  }
}
