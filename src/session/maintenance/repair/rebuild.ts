import type { EntryId } from "../../../base/index.js";
import { FLAG, MAX_RECORDS, PRELUDE_LEAF_AT } from "../../codec/index.js";
import type { FileOrigin, Foldable } from "../../live/index.js";
import type { ByteSource, Gap, Tail } from "../../log/index.js";
import { LogicalFile, SEQUENTIAL } from "../../log/index.js";
import type { FileBuilder } from "../build/file-builder.js";
import { CopyFold } from "../build/foldable.js";
import { isNone } from "../build/id-words.js";
import { IdSet } from "../build/id-set.js";
import type { LostMark, RawCommit } from "../build/raw-commit.js";
import { copyCommit, PARENT_AT, recordAt } from "../build/raw-commit.js";
import type { RawItem } from "../build/raw-walk.js";
import { RawWalk } from "../build/raw-walk.js";
import { copyUnknown } from "../build/unknown-frame.js";
import { Lineage } from "./lineage.js";
import { salvage } from "./salvage.js";
import { soundRecords } from "./sound-records.js";

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
  readonly #marked: EntryId[] = [];
  readonly #lineage = new Lineage();
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

  /** History entries that are gone and have a LOST record in their place. */
  get marked(): readonly EntryId[] {
    return this.#marked;
  }

  /** Whether the history is not what it was: something is gone, or a branch does not reach its root. */
  get isLossy(): boolean {
    return this.#lost.length > 0 || this.#marked.length > 0 || this.#dropped.length > 0 || this.#lacksParents;
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
        const { firstSeq, lastSeq, from } = item.lost;
        if (lastSeq > Math.max(this.#parts.tail.seq, this.#parts.tail.ackedSeq)) return false;
        this.#lose(builder, { first: firstSeq, last: lastSeq });
        this.#lineage.breaks(from);
        return true;
      }
      case "gap":
        this.#gaps += 1;
        this.#lineage.breaks(item.frame.offset);
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
    const records = this.#recordsOf(source, new Set(sound));
    if (records.length === 0) {
      this.#lose(builder, { first: frame.seq, last: frame.seq });
      this.#lineage.breaks(frame.offset);
      return true;
    }
    const leaf = isNone(body, PRELUDE_LEAF_AT) || this.#ids.has(body, PRELUDE_LEAF_AT) ? table.leaf : this.#leafOf(source, records);
    const kept = records.filter((record) => typeof record === "number");
    const entries = await this.#fold.entriesOf(source, kept, { file: this.#file, chunks: this.#chunks, inherits: false });
    for (const entry of entries) this.#noteOrigin(entry);
    this.#firstTime ??= table.time;
    this.#commits += 1;
    this.#lineage.select(leaf);
    await copyCommit(builder, source, { seq: frame.seq, records, isSource: false, leaf, entries }, this.#chunks);
    return true;
  }

  /** What is put of a commit: its sound records, and marks for history that is gone from it or from before it. */
  #recordsOf(source: RawCommit, sound: ReadonlySet<number>): (number | LostMark)[] {
    const { table } = source;
    const records: (number | LostMark)[] = [];
    const dropped: EntryId[] = [];
    let isKept = false;
    for (let index = 0; index < table.records; index += 1) {
      const isHistory = (table.flags(index) & FLAG.history) !== 0;
      const isNew = !this.#ids.has(source.body, recordAt(index)) && !isNone(source.body, recordAt(index));
      if (!isNew || !(sound.has(index) || isHistory)) {
        dropped.push(table.record(index).id);
        continue;
      }
      // The bound of records in a commit leaves room for what it still has to hold.
      const hasRoom = records.length + table.records - index < MAX_RECORDS;
      const above = isHistory ? this.#aboveOf(source, index, hasRoom) : undefined;
      if (above !== undefined) records.push(above);
      this.#ids.add(source.body, recordAt(index));
      if (isHistory) this.#newest = table.record(index).id;
      records.push(sound.has(index) ? index : this.#mark(markOf(source, index)));
      isKept = true;
    }
    // A change that is gone as a whole is told as one.
    if (isKept) this.#dropped.push(...dropped);
    return records;
  }

  /** The mark for the parent of a record, when that is nowhere in what is left and changes before it are gone. */
  #aboveOf({ table, body, frame }: RawCommit, index: number, hasRoom: boolean): LostMark | undefined {
    const at = recordAt(index) + PARENT_AT;
    if (isNone(body, at) || this.#ids.has(body, at)) return undefined;
    const { parent: id, time, parentBack } = table.record(index);
    const isSource = (table.flags(index) & FLAG.source) !== 0;
    if (id !== undefined && hasRoom && this.#lineage.isBroken) {
      const parent = this.#lineage.before(parentBack === 0 ? undefined : frame.offset - parentBack);
      return this.#mark({ id, parent, time, kind: 0, isSource });
    }
    this.#lacksParents = true;
    return undefined;
  }

  /** The leaf a commit selects although it is gone: a mark in the last place keeps it; else the newest entry at all. */
  #leafOf({ table }: RawCommit, records: (number | LostMark)[]): EntryId | undefined {
    const id = table.leaf;
    if (id === undefined || !this.#lineage.isBroken || records.length >= MAX_RECORDS) return this.#newest;
    const { time, flags } = table.record(table.records - 1);
    const parent = this.#lineage.before(undefined);
    records.push(this.#mark({ id, parent, time, kind: 0, isSource: (flags & FLAG.source) !== 0 }));
    return id;
  }

  #mark(mark: LostMark): LostMark {
    this.#ids.addId(mark.id);
    this.#marked.push(mark.id);
    return mark;
  }

  #lose(builder: FileBuilder, gap: Gap): void {
    this.#lost.push({ firstSeq: gap.first, lastSeq: gap.last });
    builder.putGap(gap);
  }

  #noteOrigin(entry: Foldable): void {
    if (entry.type === "origin" && entry.inherited !== true) this.#origin = { session: entry.session, seq: entry.seq };
  }
}

function markOf({ table }: RawCommit, index: number): LostMark {
  const { id, parent, time, kind, flags } = table.record(index);
  return { id, parent, time, kind, isSource: (flags & FLAG.source) !== 0 };
}
