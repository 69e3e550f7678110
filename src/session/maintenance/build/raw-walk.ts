import type { Frame } from "../../codec/index.js";
import { FRAME } from "../../codec/index.js";
import type { Damage, Gap, LogicalFile, Step } from "../../log/index.js";
import { FrameWalk, readGap } from "../../log/index.js";
import type { RawCommit } from "./raw-commit.js";
import { readRawCommit } from "./raw-commit.js";

/** What lies in a file, in order. `lost`: commits that are missing before what comes next. */
export type RawItem =
  | { readonly type: "commit"; readonly commit: RawCommit }
  | { readonly type: "unknown"; readonly frame: Frame }
  | { readonly type: "gap"; readonly gap: Gap; readonly frame: Frame }
  | { readonly type: "lost"; readonly lost: Damage };

/** Frame types this version does not know. */
export const isUnknownFrame = (type: number): boolean => type > FRAME.gap || type === 0;

/** Finds frames in bytes whose framing is lost; `undefined` at the end of the span. */
export type Salvage = (span: { readonly from: number; readonly to: number }) => AsyncIterator<Frame>;

/**
 * Commits, gaps and unknown frames of `[0, end)` in order; derived frames are stepped over. Missing commits are told before
 * what follows them, so nothing can be passed by unnoticed. With `salvage`, bytes without framing are searched.
 */
export class RawWalk {
  readonly file: LogicalFile;
  readonly #walk: FrameWalk;
  readonly #salvage: Salvage | undefined;
  #found: AsyncIterator<Frame> | undefined;
  #seq = 0;
  #lostFrom: number | undefined;
  #held: RawItem | undefined;

  constructor(file: LogicalFile, end: number, salvage?: Salvage) {
    this.file = file;
    this.#walk = new FrameWalk(file, 0, end);
    this.#salvage = salvage;
  }

  /** Newest commit given, declared gone or told as lost. */
  get seq(): number {
    return this.#seq;
  }

  /** Where bytes that could not be read begin, since the last commit. */
  get lostFrom(): number | undefined {
    return this.#lostFrom;
  }

  async next(): Promise<RawItem | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return this.#give(held);
    for (;;) {
      const step = await this.#step();
      if (step === undefined) return undefined;
      const item = step.type === "frame" ? await this.#itemOf(step.frame) : this.#lose(step);
      if (item !== undefined) return this.#reach(item);
    }
  }

  async #step(): Promise<Step | undefined> {
    const found = await this.#found?.next();
    if (found !== undefined && found.done !== true) return { type: "frame", frame: found.value };
    this.#found = undefined;
    return this.#walk.peek() ?? (await this.#walk.next());
  }

  #lose(step: Exclude<Step, { readonly type: "frame" }>): undefined {
    const from = step.type === "lost" ? step.from : step.frame.offset;
    this.#lostFrom ??= from;
    this.#found = this.#salvage?.({ from, to: this.#walk.offset });
  }

  async #itemOf(frame: Frame): Promise<RawItem | undefined> {
    if (frame.type === FRAME.commit) {
      if (frame.seq <= this.#seq) return undefined;
      const commit = await readRawCommit(this.file, frame);
      if (commit === undefined) this.#lostFrom ??= frame.offset;
      return commit && { type: "commit", commit };
    }
    if (frame.type === FRAME.gap) {
      const gap = await readGap(this.file, frame);
      return gap === undefined || gap.last <= this.#seq ? undefined : { type: "gap", gap, frame };
    }
    return isUnknownFrame(frame.type) ? { type: "unknown", frame } : undefined;
  }

  /** Tells what is missing before an item first; the item itself is kept for the next call. */
  async #reach(item: RawItem): Promise<RawItem> {
    const expected = this.#seq + 1;
    const first = item.type === "commit" ? item.commit.frame.seq : item.type === "gap" ? item.gap.first : expected;
    if (first <= expected) return this.#give(item);
    const to = item.type === "commit" ? item.commit.frame.offset : item.type === "gap" ? item.frame.offset : 0;
    const lost = { firstSeq: expected, lastSeq: first - 1, from: this.#lostFrom ?? to, to };
    this.#seq = first - 1;
    this.#held = item;
    return { type: "lost", lost };
  }

  #give(item: RawItem): RawItem {
    if (item.type === "commit") this.#seq = item.commit.frame.seq;
    if (item.type === "gap") this.#seq = item.gap.last;
    if (item.type !== "unknown") this.#lostFrom = undefined;
    return item;
  }
}
