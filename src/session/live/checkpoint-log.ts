import { createHash } from "node:crypto";
import { BoundError, putU64, viewOf } from "../bytes/index.js";
import { encodeCheckpoint, ID_BYTES, INDEX_ITEM_BYTES, KEY_HASH_BYTES, KEY_ITEM_BYTES, RECORD_BYTES } from "../codec/index.js";
import { encodeFold } from "./fold-encode.js";
import type { Foldable } from "./fold.js";
import { LiveFold } from "./fold.js";

/** Records or bytes since the last checkpoint that make a quiet moment worth a new one. */
const IDLE_RECORDS = 2048;
const IDLE_BYTES = 2 * 1024 * 1024;
/** A writer without a quiet moment waits this much longer. */
const BUSY_FACTOR = 4;
const CLOSE_RECORDS = 512;
/** Ids of one frame: with as many keys and the live state still below the 4 MiB a frame may have. */
const MAX_FRAME_IDS = 65_536;
/** A larger live state is left out: it is then folded from where one was written last. */
const MAX_STATE_BYTES = 1024 * 1024;
const FIRST_CAPACITY = 256;

/** A commit as the log takes it in. */
export interface LoggedCommit {
  readonly seq: number;
  /** Logical offset of its COMMIT frame. */
  readonly offset: number;
  /** Its records as stored, 96 bytes each: the table behind the prelude. Read at once, not kept. */
  readonly records: Uint8Array;
  readonly count: number;
}

/** Where a log goes on: what the newest valid checkpoints say. */
export interface LogStart {
  /** Folded up to `fold.seq`. */
  readonly fold: LiveFold;
  /** Newest commit the index of checkpoints covers. */
  readonly indexedSeq: number;
  /** Logical offset of the newest CHECKPOINT and where it ends. */
  readonly newest: number | undefined;
  readonly end: number;
}

export interface CheckpointFrame {
  /** Goes into the frame header. */
  readonly seq: number;
  readonly body: Buffer;
}

/** First 8 bytes of the SHA-256 of a deduplication key. */
export const keyHash = (key: string): Buffer => createHash("sha256").update(key, "utf8").digest().subarray(0, KEY_HASH_BYTES);

/**
 * What the next CHECKPOINT of a file will say: ids and keys of the commits since the last one, and the live state. Whoever
 * writes a file, its writer or maintenance that builds one, keeps one of these and
 *
 * 1. gives `newest` to every COMMIT it encodes (`CommitPlace.checkpoint`),
 * 2. calls `add` for every commit, in order,
 * 3. asks `isDue`, and when it is, writes what `take` gives for the offset the frame will have, again until it gives nothing.
 *
 * Only commits that are durable, or become so together with the whole file, may be covered when a frame is taken. Adding costs
 * no allocation per record: ids are copied as bytes.
 */
export class CheckpointLog {
  readonly live: LiveFold;
  #newest: number | undefined;
  /** Where the bytes counted for `isDue` begin. */
  #since: number;
  #indexedSeq: number;
  #ids = Buffer.allocUnsafe(FIRST_CAPACITY * ID_BYTES);
  #offsets = new Float64Array(FIRST_CAPACITY);
  #seqs = new Float64Array(FIRST_CAPACITY);
  #count = 0;
  #keys: { readonly hash: Buffer; readonly offset: number; readonly seq: number }[] = [];

  constructor(start: LogStart = { fold: new LiveFold(), indexedSeq: 0, newest: undefined, end: 0 }) {
    this.live = start.fold;
    this.#indexedSeq = start.indexedSeq;
    this.#newest = start.newest;
    this.#since = start.end;
  }

  /** Logical offset of the newest CHECKPOINT. */
  get newest(): number | undefined {
    return this.#newest;
  }

  /** Records since the last checkpoint. */
  get records(): number {
    return this.#count;
  }

  /** Takes in one commit. One that the index of a checkpoint covers already is only folded. */
  add(commit: LoggedCommit, entries: readonly Foldable[]): void {
    const isNew = commit.seq > this.#indexedSeq;
    if (isNew) this.#addIds(commit);
    this.live.advance(commit.seq);
    for (const entry of entries) {
      this.live.apply(entry);
      if (isNew && entry.type === "submission" && entry.key !== undefined && entry.inherited !== true) {
        this.#keys.push({ hash: keyHash(entry.key), offset: commit.offset, seq: commit.seq });
      }
    }
  }

  /** Offsets of commits since the last checkpoint that admitted something under a key with this hash. */
  keyed(hash: Uint8Array): readonly number[] {
    return this.#keys.filter((key) => key.hash.equals(hash)).map(({ offset }) => offset);
  }

  /** Offset of the commit since the last checkpoint that holds an entry; `undefined` when none does. */
  commitOf(id: Uint8Array): number | undefined {
    const end = this.#count * ID_BYTES;
    for (let at = this.#ids.indexOf(id); at >= 0 && at < end; at = this.#ids.indexOf(id, at + 1)) {
      if (at % ID_BYTES === 0) return this.#offsets[at / ID_BYTES];
    }
    return undefined;
  }

  /** Whether a checkpoint should be written now. `end`: logical end of the file. */
  isDue(moment: "idle" | "busy" | "close", end: number): boolean {
    if (this.#count === 0) return false;
    if (moment === "close") return this.#count >= CLOSE_RECORDS;
    const factor = moment === "busy" ? BUSY_FACTOR : 1;
    return this.#count >= IDLE_RECORDS * factor || end - this.#since >= IDLE_BYTES * factor;
  }

  /** The frame to write at logical `offset`, which is then the newest; `undefined` when nothing is left to cover. */
  take(offset: number): CheckpointFrame | undefined {
    if (this.#count === 0) return undefined;
    const count = this.#cut();
    const isLast = count === this.#count;
    const seq = isLast ? this.live.seq : (this.#seqs[count - 1] ?? 0);
    const keys = this.#keys.filter((key) => key.seq <= seq);
    const state = isLast ? boundedState(this.live) : EMPTY;
    const body = encodeCheckpoint({
      ids: this.#idSection(count, offset),
      keys: keySection(keys, offset),
      state,
      previousBack: this.#newest === undefined ? 0 : offset - this.#newest,
      restBack: isLast ? 0 : offset - (this.#offsets[count] ?? offset),
    });
    this.#drop(count, keys.length);
    this.#newest = offset;
    this.#indexedSeq = seq;
    this.#since = offset;
    return { seq, body };
  }

  #addIds({ seq, offset, records, count }: LoggedCommit): void {
    this.#reserve(count);
    for (let index = 0; index < count; index += 1) {
      const from = index * RECORD_BYTES;
      this.#ids.set(records.subarray(from, from + ID_BYTES), this.#count * ID_BYTES);
      this.#offsets[this.#count] = offset;
      this.#seqs[this.#count] = seq;
      this.#count += 1;
    }
  }

  #reserve(more: number): void {
    const wanted = this.#count + more;
    if (wanted <= this.#offsets.length) return;
    const capacity = Math.max(wanted, this.#offsets.length * 2);
    const [ids, offsets, seqs] = [Buffer.allocUnsafe(capacity * ID_BYTES), new Float64Array(capacity), new Float64Array(capacity)];
    ids.set(this.#ids.subarray(0, this.#count * ID_BYTES));
    offsets.set(this.#offsets.subarray(0, this.#count));
    seqs.set(this.#seqs.subarray(0, this.#count));
    [this.#ids, this.#offsets, this.#seqs] = [ids, offsets, seqs];
  }

  /** How many of the oldest records one frame takes: all, or whole commits up to the bound. */
  #cut(): number {
    if (this.#count <= MAX_FRAME_IDS) return this.#count;
    let count = MAX_FRAME_IDS;
    while (this.#seqs[count - 1] === this.#seqs[count]) count -= 1;
    return count;
  }

  #idSection(count: number, offset: number): Buffer {
    const section = Buffer.allocUnsafe(count * INDEX_ITEM_BYTES);
    const view = viewOf(section);
    this.#order(count).forEach((index, place) => {
      const at = place * INDEX_ITEM_BYTES;
      this.#ids.copy(section, at, index * ID_BYTES, (index + 1) * ID_BYTES);
      putU64(view, at + ID_BYTES, offset - (this.#offsets[index] ?? 0));
    });
    return section;
  }

  /** Record numbers in the order of their ids. Ids of one process ascend already. */
  #order(count: number): Uint32Array {
    const order = Uint32Array.from({ length: count }, (_, index) => index);
    const compare = (left: number, right: number): number =>
      this.#ids.compare(this.#ids, right * ID_BYTES, (right + 1) * ID_BYTES, left * ID_BYTES, (left + 1) * ID_BYTES);
    let isSorted = true;
    for (let index = 1; index < count && isSorted; index += 1) isSorted = compare(index - 1, index) <= 0;
    return isSorted ? order : order.sort(compare);
  }

  #drop(records: number, keys: number): void {
    this.#ids.copyWithin(0, records * ID_BYTES, this.#count * ID_BYTES);
    this.#offsets.copyWithin(0, records, this.#count);
    this.#seqs.copyWithin(0, records, this.#count);
    this.#count -= records;
    this.#keys = this.#keys.slice(keys);
  }
}

const EMPTY = new Uint8Array(0);

function boundedState(fold: LiveFold): Uint8Array {
  try {
    const state = encodeFold(fold);
    return state.length > MAX_STATE_BYTES ? EMPTY : state;
  } catch (error) {
    // Values that just fit a record of their own can be nested too deeply inside the list of works.
    if (error instanceof BoundError) return EMPTY;
    throw error;
  }
}

function keySection(keys: readonly { readonly hash: Buffer; readonly offset: number }[], offset: number): Buffer {
  const section = Buffer.allocUnsafe(keys.length * KEY_ITEM_BYTES);
  const view = viewOf(section);
  const sorted = [...keys].sort((left, right) => left.hash.compare(right.hash));
  sorted.forEach((key, place) => {
    section.set(key.hash, place * KEY_ITEM_BYTES);
    putU64(view, place * KEY_ITEM_BYTES + KEY_HASH_BYTES, offset - key.offset);
  });
  return section;
}
