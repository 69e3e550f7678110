import type { EntryId } from "../../../base/index.js";
import { FLAG } from "../../codec/index.js";
import type { FileOrigin, Foldable } from "../../live/index.js";
import type { ByteSource, Gap, Tail } from "../../log/index.js";
import { LogicalFile, SEQUENTIAL } from "../../log/index.js";
import type { FileBuilder } from "../build/file-builder.js";
import { CopyFold } from "../build/foldable.js";
import { isNone } from "../build/id-words.js";
import { IdSet } from "../build/id-set.js";
import type { RawCommit } from "../build/raw-commit.js";
import { copyCommit, PARENT_AT, recordAt } from "../build/raw-commit.js";
import type { RawItem } from "../build/raw-walk.js";
import { RawWalk } from "../build/raw-walk.js";
import { copyUnknown } from "../build/unknown-frame.js";
import { salvage } from "./salvage.js";
import { soundRecords } from "./sound-records.js";

const LEAF_AT = 48;

export interface RebuildParts {
  readonly file: ByteSource;
  readonly seed: number;
  readonly tail: Tail;
  /** Logical end of what is looked at: the boundary, or the end of the file when acknowledged changes are behind it. */
  readonly end: number;
}

/** Copies everything that can be read of a damaged file into a new one, in order, and says of what cannot that it is gone. */
export class Rebuild {
  readonly #parts: RebuildParts;
  readonly #file: LogicalFile;
  readonly #chunks: LogicalFile;
  readonly #fold = new CopyFold();
  readonly #ids = new IdSet();
  readonly #lost: { firstSeq: number; lastSeq: number }[] = [];
  readonly #dropped: EntryId[] = [];
  /** Where the branch goes on above a dropped entry. */
  readonly #above = new Map<EntryId, EntryId | undefined>();
  #droppedFrames = 0;
  #gaps = 0;
  #commits = 0;
  #newest: EntryId | undefined;
  #firstTime: number | undefined;
  #origin: FileOrigin | undefined;
  #lacksParents = false;

  constructor(parts: RebuildParts) {
    this.#parts = parts;
    this.#file = new LogicalFile(parts.file, parts.seed, SEQUENTIAL);
    this.#chunks = new LogicalFile(parts.file, parts.seed, SEQUENTIAL);
  }

  get lost(): readonly { readonly firstSeq: number; readonly lastSeq: number }[] {
    return this.#lost;
  }

  get dropped(): { readonly entries: readonly EntryId[]; readonly frames: number } {
    return { entries: this.#dropped, frames: this.#droppedFrames };
  }

  /** Whether the history is not what it was: something is gone, or a branch does not reach its root. */
  get isLossy(): boolean {
    return this.#lost.length > 0 || this.#dropped.length > 0 || this.#lacksParents;
  }

  /** Gaps of earlier repairs. */
  get gaps(): number {
    return this.#gaps;
  }

  get commits(): number {
    return this.#commits;
  }

  get summary(): CopyFold["summary"] {
    return this.#fold.summary;
  }

  /** Time of the first commit that is left. */
  get firstTime(): number | undefined {
    return this.#firstTime;
  }

  /** Where the session came from, by its own entries. */
  get origin(): FileOrigin | undefined {
    return this.#origin;
  }

  /** False when `signal` aborted it. */
  async run(builder: FileBuilder, signal: AbortSignal | undefined): Promise<boolean> {
    const { seed, end, file, tail } = this.#parts;
    const searched = new LogicalFile(file, seed, SEQUENTIAL);
    const walk = new RawWalk(this.#file, end, ({ from, to }) => salvage(searched, from, to));
    for (let item = await walk.next(); item !== undefined; item = await walk.next()) {
      if (signal?.aborted === true) return false;
      if (!(await this.#take(builder, item))) break;
    }
    const last = Math.max(tail.seq, tail.ackedSeq);
    if (builder.seq < last) this.#lose(builder, { first: builder.seq + 1, last });
    return true;
  }

  /** False when it and all after it never happened. */
  async #take(builder: FileBuilder, item: RawItem): Promise<boolean> {
    switch (item.type) {
      case "lost": {
        const { firstSeq, lastSeq } = item.lost;
        if (lastSeq > Math.max(this.#parts.tail.seq, this.#parts.tail.ackedSeq)) return false;
        this.#lose(builder, { first: firstSeq, last: lastSeq });
        return true;
      }
      case "gap":
        this.#gaps += 1;
        builder.putGap({ first: Math.max(item.gap.first, builder.seq + 1), last: item.gap.last });
        return true;
      case "unknown":
        if (!(await copyUnknown(builder, this.#file, item.frame))) this.#droppedFrames += 1;
        return true;
      case "commit":
        return this.#takeCommit(builder, item.commit);
    }
  }

  async #takeCommit(builder: FileBuilder, source: RawCommit): Promise<boolean> {
    const { table, frame, body } = source;
    const sound = await soundRecords(source, this.#chunks);
    const isAcknowledged = frame.seq <= Math.max(this.#parts.tail.seq, this.#parts.tail.ackedSeq);
    if (!isAcknowledged && sound.length < table.records) return false;
    const records = sound.filter((index) => this.#adopt(source, index));
    this.#drop(source, records);
    if (records.length === 0) {
      this.#lose(builder, { first: frame.seq, last: frame.seq });
      return true;
    }
    const leaf = isNone(body, LEAF_AT) || this.#ids.has(body, LEAF_AT) ? table.leaf : this.#survivor(table.leaf);
    const entries = await this.#fold.entriesOf(source, records, { file: this.#file, chunks: this.#chunks, inherits: false });
    for (const entry of entries) this.#noteOrigin(entry);
    this.#firstTime ??= table.time;
    this.#commits += 1;
    await copyCommit(builder, source, { seq: frame.seq, records, isSource: false, leaf, entries }, this.#chunks);
    return true;
  }

  /** False for a record whose id one before it has: which of them is meant where it is named cannot be told, so the first is. */
  #adopt({ table, body }: RawCommit, index: number): boolean {
    const at = recordAt(index);
    if (!this.#ids.add(body, at)) return false;
    if ((table.flags(index) & FLAG.history) === 0) return true;
    this.#lacksParents ||= !isNone(body, at + PARENT_AT) && !this.#ids.has(body, at + PARENT_AT);
    this.#newest = table.record(index).id;
    return true;
  }

  #drop({ table }: RawCommit, kept: readonly number[]): void {
    if (kept.length === table.records) return;
    const keeps = new Set(kept);
    for (let index = 0; index < table.records; index += 1) {
      if (keeps.has(index)) continue;
      const { id, parent } = table.record(index);
      // A change that is gone as a whole is told as one.
      if (kept.length > 0) this.#dropped.push(id);
      if ((table.flags(index) & FLAG.history) !== 0) this.#above.set(id, parent);
    }
  }

  /** What is selected instead of an entry that is gone: the next one above it that is left, or the newest one at all. */
  #survivor(gone: EntryId | undefined): EntryId | undefined {
    let id = gone;
    for (let steps = 0; id !== undefined && steps <= this.#above.size; steps += 1) {
      if (this.#ids.hasId(id)) return id;
      id = this.#above.get(id);
    }
    return this.#newest;
  }

  #lose(builder: FileBuilder, gap: Gap): void {
    this.#lost.push({ firstSeq: gap.first, lastSeq: gap.last });
    builder.putGap(gap);
  }

  #noteOrigin(entry: Foldable): void {
    if (entry.type === "origin" && entry.inherited !== true) this.#origin = { session: entry.session, seq: entry.seq };
  }
}
