import type { CommitTable, Frame } from "../codec/index.js";
import { FRAME } from "../codec/index.js";
import type { Damage, Gap, LogicalFile, Step } from "../log/index.js";
import { FrameWalk, peekTable, readGap, readTable } from "../log/index.js";

/** Where a reader stands: before `offset`, after commit `seq`. */
export interface Cursor {
  readonly offset: number;
  readonly seq: number;
}

/**
 * Walks the readable commits of `[cursor, boundary)` in order and reports what it has to skip. Everything before a
 * boundary was whole once, so whatever is not is damage. Not an async generator: a step costs a promise only when it reads.
 */
export class CommitWalk {
  readonly file: LogicalFile;
  #walk: FrameWalk;
  #seq: number;
  #lostFrom: number | undefined;
  readonly #report: (damage: Damage) => void;

  constructor(file: LogicalFile, cursor: Cursor, boundary: number, report: (damage: Damage) => void) {
    this.file = file;
    this.#walk = new FrameWalk(file, cursor.offset, boundary);
    this.#seq = cursor.seq;
    this.#report = report;
  }

  /** Seq of the last commit handed out, skipped or reported. */
  get seq(): number {
    return this.#seq;
  }

  /** Goes on to a later boundary. */
  extend(boundary: number): void {
    this.file.forgetFrom(this.#walk.end);
    this.#walk = new FrameWalk(this.file, this.#walk.end, boundary);
  }

  /** The next commit when it is at hand; otherwise use {@link next}. */
  peek(): CommitTable | undefined {
    if (this.#held !== undefined) return undefined;
    for (;;) {
      const step = this.#walk.peek();
      if (step?.type !== "frame" || step.frame.type === FRAME.gap) return this.#hold(step);
      if (step.frame.type !== FRAME.commit || step.frame.seq <= this.#seq) continue;
      const table = peekTable(this.file, step.frame);
      if (table === undefined) return this.#hold(step);
      return this.#accept(table);
    }
  }

  /** A step that `peek` of the walk took and that needs reading to be judged. */
  #held: Step | undefined;

  #hold(step: Step | undefined): undefined {
    this.#held = step;
    return undefined;
  }

  /** The next readable commit, `undefined` at the boundary. */
  async next(): Promise<CommitTable | undefined> {
    for (;;) {
      const step = this.#held ?? (await this.#walk.next());
      this.#held = undefined;
      if (step === undefined) return undefined;
      if (step.type !== "frame") {
        this.#lostFrom ??= step.type === "lost" ? step.from : step.frame.offset;
        continue;
      }
      const { frame } = step;
      if (frame.type === FRAME.gap) this.#skip(frame, await readGap(this.file, frame));
      if (frame.type !== FRAME.commit || frame.seq <= this.#seq) continue;
      const table = await readTable(this.file, frame);
      if (table !== undefined) return this.#accept(table);
      this.#lostFrom ??= frame.offset;
    }
  }

  #accept(table: CommitTable): CommitTable {
    this.#reach(table.frame, table.frame.seq);
    this.#seq = table.frame.seq;
    return table;
  }

  /** What a repair declared gone was told then; it is no damage. */
  #skip(frame: Frame, gap: Gap | undefined): void {
    if (gap === undefined || gap.last <= this.#seq) return;
    this.#reach(frame, gap.first);
    this.#seq = gap.last;
  }

  /** Reports what is missing before `seq`, which `frame` holds or names. */
  #reach(frame: Frame, seq: number): void {
    if (seq > this.#seq + 1) {
      this.#report({ firstSeq: this.#seq + 1, lastSeq: seq - 1, from: this.#lostFrom ?? frame.offset, to: frame.offset });
    }
    this.#lostFrom = undefined;
  }
}
