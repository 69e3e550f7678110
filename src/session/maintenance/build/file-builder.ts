import type { EntryId, SessionId } from "../../../base/index.js";
import { ByteRun, crc32, putU64, viewOf } from "../../bytes/index.js";
import type { FileHeader, FrameFields, RecordDraft, SummaryFields } from "../../codec/index.js";
import {
  CommitEncoder,
  encodeFileHeader,
  encodeSummary,
  FRAME,
  FRAME_HEADER_BYTES,
  generationSeed,
  getFrame,
  PRELUDE_BYTES,
  putId,
  RECORD_BYTES,
} from "../../codec/index.js";
import type { Foldable } from "../../live/index.js";
import { CheckpointLog } from "../../live/index.js";
import type { Gap } from "../../log/index.js";
import { gapBody } from "../../log/index.js";
import { BlockStream } from "./block-stream.js";
import { IdCache } from "./id-cache.js";
import { isNone } from "./id-words.js";
import type { TemporaryFile } from "./temporary.js";

const GENERATION_BYTES = 16;
/** Bytes laid out and not yet written. One frame more may come on top: 4 MiB. */
const DRAIN_BYTES = 1024 * 1024;
const ENCODE_BYTES = 64 * 1024;

/** A COMMIT whose table is complete but for what depends on its place in the file, which the builder fills in. */
export interface PlacedCommit {
  readonly seq: number;
  readonly table: Buffer;
  readonly payloads: readonly Uint8Array[];
  /** Logical offset of its first BLOB, put before it. */
  readonly firstBlob: number | undefined;
  readonly flags: number;
  /** As much of its entries as checkpoints fold. */
  readonly entries: readonly Foldable[];
}

/** What the header of the new file says besides its id and its generation. */
export type HeaderFields = Omit<FileHeader, "generation" | "id">;

/**
 * A new session file from its first byte to its last, checkpoints included, under a temporary name. Everything in it becomes
 * durable at once, before the file gets its name. Appends what it is given in order; never reads.
 */
export class FileBuilder {
  readonly #file: TemporaryFile;
  readonly #id: SessionId;
  readonly #generation: Uint8Array;
  readonly #seed: number;
  readonly #stream: BlockStream;
  readonly #log = new CheckpointLog();
  readonly #places = new IdCache();
  readonly #encoder = new CommitEncoder();
  /** Where new entries are encoded. */
  readonly #run = new ByteRun(ENCODE_BYTES);
  #previous: number | undefined;
  #seq = 0;
  #records = 0;

  constructor(file: TemporaryFile, id: SessionId, random: (into: Uint8Array) => void) {
    this.#file = file;
    this.#id = id;
    this.#generation = new Uint8Array(GENERATION_BYTES);
    random(this.#generation);
    this.#seed = generationSeed(this.#generation);
    this.#stream = new BlockStream(this.#seed);
  }

  /** Newest commit, or newest one declared gone. */
  get seq(): number {
    return this.#seq;
  }

  get records(): number {
    return this.#records;
  }

  /** Whether enough is laid out to be written: then `drain` before going on. */
  get isHeavy(): boolean {
    return this.#stream.pendingBytes >= DRAIN_BYTES;
  }

  async drain(): Promise<void> {
    const piece = this.#stream.take();
    if (piece !== undefined) await this.#file.write(piece.bytes, piece.position);
  }

  /** A frame as it is, but for the checksum of its header, which names its place. Returns its offset. */
  putFrame(fields: Omit<FrameFields, "bodyLen">, body: Uint8Array): number {
    return this.#stream.put(fields, [body]).offset;
  }

  putGap(gap: Gap): void {
    const body = gapBody(gap);
    this.#stream.put(derived(FRAME.gap, 0, body), [body], gap.last);
    this.#seq = gap.last;
  }

  putCommit({ seq, table, payloads, firstBlob, flags, entries }: PlacedCommit): void {
    const offset = this.#stream.end;
    const view = viewOf(table);
    const back = (to: number | undefined): number => (to === undefined ? 0 : offset - to);
    putU64(view, 8, seq - 1);
    putU64(view, 16, back(this.#previous));
    putU64(view, 24, back(firstBlob));
    putU64(view, 32, back(this.#log.newest));
    const count = view.getUint32(40, true);
    this.#linkParents(table, offset, count);
    const tableCrc = crc32(table, 0, table.length);
    this.#stream.put({ type: FRAME.commit, flags, tableLen: table.length, tableCrc, seq }, [table, ...payloads], seq);
    this.#previous = offset;
    this.#seq = seq;
    this.#records += count;
    const records = table.subarray(PRELUDE_BYTES, PRELUDE_BYTES + RECORD_BYTES * count);
    this.#log.add({ seq, offset, records, count }, entries);
    if (this.#log.isDue("idle", this.#stream.end)) this.#putCheckpoints();
  }

  /** A commit of new entries. Throws BoundError, with nothing put, when it breaks a bound of the format. */
  putEntries(
    drafts: readonly RecordDraft[],
    commit: { readonly time: number; readonly leaf: EntryId | undefined; readonly entries: readonly Foldable[] },
  ): void {
    const { time, leaf, entries } = commit;
    const run = this.#run;
    run.length = 0;
    const seq = this.#seq + 1;
    // Only contents are taken from what is encoded here; places are filled in when its frames are put.
    const place = { seq, time, leaf, base: 0, seed: this.#seed, previous: undefined, locate: () => undefined };
    let firstBlob: number | undefined;
    for (const { at, end, seq: own, tableLen } of this.#encoder.append(run, drafts, place)) {
      const body = at + FRAME_HEADER_BYTES;
      if (own === 0) {
        const frame = getFrame(run.bytes, at, { offset: at, seed: this.#seed });
        if (frame !== undefined) firstBlob = firstOf(firstBlob, this.putFrame(frame, run.bytes.subarray(body, end)));
        continue;
      }
      const table = run.bytes.subarray(body, body + tableLen);
      this.putCommit({ seq, table, payloads: [run.bytes.subarray(body + tableLen, end)], firstBlob, flags: 0, entries });
    }
  }

  /** Marks the end, makes everything durable and only then the header, without which the file is none. */
  async finish(header: HeaderFields, summary: SummaryFields): Promise<void> {
    if (this.#log.isDue("close", this.#stream.end)) this.#putCheckpoints();
    if (this.#seq > 0) {
      const body = encodeSummary(summary);
      this.#putDerived(FRAME.ack, this.#seq, Buffer.alloc(0));
      this.#putDerived(FRAME.summary, this.#seq, body);
      this.#putDerived(FRAME.close, this.#seq, Buffer.alloc(0));
    }
    await this.drain();
    await this.#file.write(encodeFileHeader({ ...header, id: this.#id, generation: this.#generation }), 0);
    await this.#file.sync();
  }

  /** Fills in where parents are, and remembers where these records are. */
  #linkParents(table: Buffer, offset: number, count: number): void {
    const view = viewOf(table);
    const end = PRELUDE_BYTES + RECORD_BYTES * count;
    for (let pos = PRELUDE_BYTES; pos < end; pos += RECORD_BYTES) {
      const holder = isNone(table, pos + 16) ? undefined : this.#places.get(table, pos + 16);
      putU64(view, pos + 88, holder === undefined ? 0 : offset - holder);
    }
    for (let pos = PRELUDE_BYTES; pos < end; pos += RECORD_BYTES) this.#places.set(table, pos, offset);
  }

  #putCheckpoints(): void {
    for (;;) {
      const frame = this.#log.take(this.#stream.end);
      if (frame === undefined) return;
      this.#putDerived(FRAME.checkpoint, frame.seq, frame.body);
    }
  }

  #putDerived(type: number, seq: number, body: Buffer): void {
    this.#stream.put(derived(type, seq, body), [body]);
  }
}

const firstOf = (known: number | undefined, offset: number): number => known ?? offset;

const derived = (type: number, seq: number, body: Buffer): Omit<FrameFields, "bodyLen"> => ({
  type,
  flags: 0,
  tableLen: body.length,
  tableCrc: crc32(body, 0, body.length),
  seq,
});

/** Sets the selected leaf of a COMMIT's table. */
export const putLeaf = (table: Buffer, leaf: EntryId | undefined): void => {
  putId(table, 48, leaf);
};
