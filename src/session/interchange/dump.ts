import type { EntryId, Result } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { CommittedChange, SessionReader, UnknownFrame } from "../types.js";
import { SessionStorageError } from "../types.js";
import { dumpInexact } from "./diagnostics.js";
import { DUMP_FORMAT, impliedLeaf } from "./header.js";
import { JsonWriter } from "./json.js";

export interface DumpOptions {
  readonly signal?: AbortSignal;
}

/**
 * The whole session as of its newest change, as lines without line ends (docs/reference/session-dump.md). One change is in
 * memory at a time. Damage is yielded as errors, and told inside of the dump by a `gap` line at its place; the rest follows.
 * A failure of the storage is the last item. After an abort it just ends.
 */
export async function* dumpLines(reader: SessionReader, options: DumpOptions = {}): AsyncIterable<Result<string, Diagnostic>> {
  try {
    yield* new Dump(reader, options.signal).lines();
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
    yield err(error.diagnostic);
  }
}

type Line = Result<string, Diagnostic>;

class Dump {
  readonly #reader: SessionReader;
  readonly #signal: AbortSignal | undefined;
  /** Newest change of the dump: what is committed meanwhile stays out, so that first and last line agree. */
  readonly #end: number;
  readonly #told = new Set<string>();
  #json = new JsonWriter();
  #seq = 0;
  #leaf: EntryId | undefined;

  constructor(reader: SessionReader, signal: AbortSignal | undefined) {
    this.#reader = reader;
    this.#signal = signal;
    this.#end = reader.position().seq;
  }

  async *lines(): AsyncGenerator<Line, void, undefined> {
    const frames = new Ahead(this.#reader.unknownFrames());
    const options = this.#signal === undefined ? {} : { signal: this.#signal };
    try {
      yield ok(this.#header());
      for await (const change of this.#reader.changes(options)) {
        if (this.#signal?.aborted === true || change.position.seq > this.#end) break;
        yield* this.#framesBefore(frames, change.position.seq);
        yield* this.#gapBefore(change.position.seq);
        yield* this.#changeLines(change);
      }
      if (this.#signal?.aborted === true) return;
      yield* this.#gapBefore(this.#end + 1);
      yield* this.#framesBefore(frames, this.#end + 1);
      yield* this.#damage();
    } finally {
      await frames.close();
    }
  }

  #header(): string {
    const { id, createdAt, epoch, origin } = this.#reader;
    return this.#json.write({
      type: "session",
      format: DUMP_FORMAT,
      session: id,
      created: createdAt,
      epoch,
      origin,
      seq: this.#end,
      leaf: this.#reader.leaf(),
    });
  }

  *#changeLines(change: CommittedChange): Iterable<Line> {
    this.#json = new JsonWriter();
    const { entries, time, leaf } = change;
    const { seq } = change.position;
    for (const [index, entry] of entries.entries()) {
      const isLast = index === entries.length - 1;
      const committed = isLast && time !== entry.time ? { committed: time } : {};
      const selected = isLast && leaf !== impliedLeaf(entries, this.#leaf) ? { leaf: leaf ?? null } : {};
      yield ok(this.#json.write({ ...entry, change: seq, ...committed, ...selected }));
    }
    this.#seq = seq;
    this.#leaf = leaf;
    if (!this.#json.isExact) yield err(dumpInexact(this.#reader.id, seq));
  }

  *#gapBefore(seq: number): Iterable<Line> {
    if (seq <= this.#seq + 1) return;
    const gap = { firstSeq: this.#seq + 1, lastSeq: seq - 1 };
    const isDamage = this.#reader.damagedChanges().some(({ firstSeq, lastSeq }) => firstSeq <= gap.lastSeq && lastSeq >= gap.firstSeq);
    yield ok(this.#json.write({ type: "gap", ...gap, ...(isDamage ? {} : { repaired: true }) }));
    yield* this.#damage();
    this.#seq = seq - 1;
  }

  *#damage(): Iterable<Line> {
    for (const diagnostic of this.#reader.damage()) {
      if (this.#told.has(diagnostic.what)) continue;
      this.#told.add(diagnostic.what);
      yield err(diagnostic);
    }
  }

  async *#framesBefore(frames: Ahead<UnknownFrame>, seq: number): AsyncGenerator<Line, void, undefined> {
    for (let frame = await frames.peek(); frame !== undefined && frame.after < seq; frame = await frames.peek()) {
      // Damage before a frame is told before it, where there is any.
      yield* this.#gapBefore(frame.after + 1);
      const { type, flags, seq: own, tableLen, after, body } = frame;
      const base64 = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64");
      yield ok(this.#json.write({ type: "frame", frame: type, flags, seq: own, tableLen, after, base64 }));
      frames.take();
    }
  }
}

/** One item of a stream in advance; the stream is not started before the first one is asked for. */
class Ahead<Item> {
  readonly #source: AsyncIterable<Item>;
  #iterator: AsyncIterator<Item> | undefined;
  #next: { readonly item: Item | undefined } | undefined;

  constructor(source: AsyncIterable<Item>) {
    this.#source = source;
  }

  async peek(): Promise<Item | undefined> {
    if (this.#next === undefined) {
      this.#iterator ??= this.#source[Symbol.asyncIterator]();
      const step = await this.#iterator.next();
      this.#next = { item: step.done === true ? undefined : step.value };
    }
    return this.#next.item;
  }

  take(): void {
    this.#next = undefined;
  }

  async close(): Promise<void> {
    await this.#iterator?.return?.();
  }
}
