import type { Clock, EntryId } from "../../base/index.js";
import type { Diagnostic, Entry } from "../../schema/index.js";
import { BoundError, crc32 } from "../bytes/index.js";
import type { RecordDraft, SummaryFields } from "../codec/index.js";
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
  putFrameHeader,
} from "../codec/index.js";
import { sessionClosed, sessionTooLarge } from "../diagnostics.js";
import type { FileOperations, Tail } from "../log/index.js";
import { ClosedError } from "../log/index.js";
import type { GrowthWatch, ReaderParts, Source } from "../reader/index.js";
import { DamageLog, identityOf, Places, positionOf, readingOf, summarize } from "../reader/index.js";
import type { Change, CommitTicket, SessionWriter } from "../types.js";
import { SessionStorageError } from "../types.js";
import { Appender, rejected } from "./appender.js";
import { Deferred } from "./group.js";
import { PublishWatch } from "./publish-watch.js";

/** Quiet time after which observers are told what is durable. */
const IDLE_MS = 50;
/** How far back a reopened session looks for its last summary before it writes a new one. */
const SUMMARY_BLOCKS = 64;

export interface WriterParts extends ReaderParts {
  readonly ops: FileOperations;
  readonly clock: Clock;
  readonly tail: Tail;
  /** Awaited before the first acknowledgement. */
  readonly ready: Promise<void>;
  /** Called once the file is closed. */
  readonly onClosed: () => Promise<void>;
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
    for (const damage of tail.damage) this.damage.add(damage);
    this.#appender = new Appender({
      ops: parts.ops,
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
      ...readingOf(this),
      state: () => (this.#isClosed ? "closed" : this.#appender.failure === undefined ? "open" : "uncertain"),
      commit: (change) => this.commit(change),
      close: () => this.close(),
    };
  }

  async refresh(): Promise<Tail> {
    if (this.file.isClosed) throw new ClosedError("the session was closed while it was being read");
    await this.#appender.published();
    return { ...this.#appender.written, damage: [], summary: undefined, obstacle: undefined, hasTornFrame: false };
  }

  watch(): GrowthWatch {
    const watch = new PublishWatch(() => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  commit(change: Change): CommitTicket {
    const refusal = this.#isClosed ? sessionClosed(this.id) : this.#appender.failure;
    if (refusal !== undefined) return this.#refused(refusal);
    const time = Math.max(this.#time, Math.floor(this.#parts.clock.now()));
    const drafts = this.#draft(change.entries);
    const leaf = change.leaf ?? this.#leaf;
    const seq = this.#seq + 1;
    const group = this.#appender.open();
    const before = group.run.length;
    try {
      const place = {
        seq,
        time,
        leaf,
        base: group.base,
        seed: this.seed,
        previous: this.#previous,
        locate: (id: EntryId) => this.places.get(id),
      };
      group.frames.push(...this.#encoder.append(group.run, drafts, place));
    } catch (error) {
      group.run.length = before;
      if (error instanceof BoundError) throw new SessionStorageError(sessionTooLarge(this.id, error.message));
      throw error;
    }
    const offset = group.base + (group.frames.at(-1)?.at ?? 0);
    this.#seq = seq;
    this.#time = time;
    this.#leaf = leaf;
    this.#previous = offset;
    this.#adopt(change.entries, drafts, offset);
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
    if (this.#appender.written.ackedSeq === this.#ackWritten && !this.#isSummaryDue) return;
    this.#loadEarlierSummary().then(
      () => {
        if (this.#isClosed || !this.#appender.isIdle) return;
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
    this.#earlierSummary = await summarize({ file, seed: this.seed, tail, maxBlocks: SUMMARY_BLOCKS });
  }

  /** Derived frames, written without sync: what is durable, what listing shows, and whether the end is clean. */
  #appendMarks(isLast: boolean): void {
    const acked = this.#appender.written.ackedSeq;
    if (!isLast && acked !== this.#ackWritten) this.#appendFrame(FRAME.ack, acked, undefined);
    this.#ackWritten = acked;
    if (this.#isSummaryDue) {
      const body = encodeSummary(joinSummary(this.#earlierSummary ?? {}, this.#summary));
      this.#appendFrame(FRAME.summary, acked, body);
      this.#isSummaryDue = false;
    }
    if (isLast) this.#appendFrame(FRAME.close, acked, undefined);
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
      await this.file.close();
      for (const watch of this.#watches) watch.tell();
      await this.#parts.onClosed();
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
