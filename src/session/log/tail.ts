import type { EntryId } from "../../base/index.js";
import { crc32 } from "../bytes/index.js";
import type { Frame } from "../codec/index.js";
import { blockOf, CRITICAL, DERIVED_FRAMES, FLAG, FRAME, FRAME_HEADER_BYTES, logicalSize, typeOfKind } from "../codec/index.js";
import { findEvidence } from "./evidence.js";
import type { Gap } from "./gap.js";
import { readGap } from "./gap.js";
import type { LogicalFile } from "./logical-file.js";
import { isWhole } from "./payload.js";
import type { Step } from "./walk.js";
import { FrameWalk, readTable } from "./walk.js";

/** Acknowledged commits that cannot be read, and the logical bytes they are somewhere in. */
export interface Damage {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly from: number;
  readonly to: number;
}

/** State as of a commit: where a walk may start, and what it continues. */
export interface Mark {
  readonly offset: number;
  readonly seq: number;
  /** Logical offset of the newest COMMIT, when it was met. */
  readonly commit: number | undefined;
  readonly leaf: EntryId | undefined;
  readonly time: number;
  /** Highest seq known to be acknowledged durable. */
  readonly ackedSeq: number;
}

/** Why a writer must not append: an acknowledged commit at the tail is lost, or something there is not understood. */
export type Obstacle = "lost-tail" | "unknown-content";

/** The judged end of a file. `offset` is the boundary: everything before it belongs to the file. */
export interface Tail extends Mark {
  readonly damage: readonly Damage[];
  readonly summary: Frame | undefined;
  readonly obstacle: Obstacle | undefined;
  /** Whether a complete frame follows the boundary: worth keeping before it is cut off. */
  readonly hasTornFrame: boolean;
  /** Whether all that follows the boundary is one or more frames from which no change can be lost: they can be made again. */
  readonly hasOnlyDerived: boolean;
}

/** More than one unacknowledged group can take: 8 MiB, one change of 96 MiB more, a checkpoint and all headers. */
const MAX_GROUP_BYTES = 128 * 1024 * 1024;

const START: Mark = { offset: 0, seq: 0, commit: undefined, leaf: undefined, time: 0, ackedSeq: 0 };

/**
 * Judges the end of a file from its last anchor: a bounded read, whatever the file's size. Goes back further only while no
 * commit is met, or the anchor lies in a group that nothing proves to be durable: what is before it there may be torn. Never
 * writes.
 */
export async function readTail(file: LogicalFile, size: number): Promise<Tail> {
  const end = logicalSize(size);
  let block = blockOf(Math.max(end - 1, 0));
  for (let step = 1; ; step *= 2) {
    const header = await file.blockHeader(block);
    if (block === 0 || header !== undefined) {
      const start = header === undefined ? START : { ...START, offset: header.frame, seq: header.lastSeq };
      const tail = await judgeTail(file, start, end);
      if (block === 0 || (tail.commit !== undefined && start.seq <= tail.ackedSeq)) return tail;
    }
    block = Math.max(0, block - step);
  }
}

interface Item {
  readonly step: Step;
  /** Of a COMMIT whose table validates. */
  readonly commit:
    { readonly time: number; readonly durableSeq: number; readonly leaf: EntryId | undefined; readonly isForeign: boolean } | undefined;
  /** Of a GAP that is whole. */
  readonly gap: Gap | undefined;
  /** Of any other frame: whether its body checksum holds. */
  readonly isSound: boolean;
}

/** Judges everything from `start` to `end` (logical). The rules are those of the format document, "Reading". */
export async function judgeTail(file: LogicalFile, start: Mark, end: number): Promise<Tail> {
  const items = await survey(file, start.offset, end);
  const acked = items.reduce((highest, item) => Math.max(highest, acknowledges(item)), start.ackedSeq);
  const judge = new Judge(file, start, acked);
  for (const item of items) if (!(await judge.take(item))) break;
  return judge.verdict(items, end);
}

async function survey(file: LogicalFile, offset: number, end: number): Promise<readonly Item[]> {
  const walk = new FrameWalk(file, offset, end);
  const items: Item[] = [];
  for (;;) {
    const step = await walk.next();
    if (step === undefined) return items;
    items.push(await inspect(file, step));
    if (step.type === "open") return items;
  }
}

async function inspect(file: LogicalFile, step: Step): Promise<Item> {
  const nothing = { step, commit: undefined, gap: undefined, isSound: false };
  if (step.type !== "frame") return nothing;
  const { frame } = step;
  if (frame.type === FRAME.commit) {
    const table = await readTable(file, frame);
    if (table === undefined) return nothing;
    let isForeign = false;
    for (let index = 0; index < table.records; index += 1) {
      isForeign ||= (table.flags(index) & FLAG.live) !== 0 && typeOfKind(table.kind(index)) === "unknown";
    }
    return { ...nothing, commit: { time: table.time, durableSeq: table.durableSeq, leaf: table.leaf, isForeign }, isSound: true };
  }
  if (frame.type === FRAME.blob) return { ...nothing, isSound: true };
  const gap = await readGap(file, frame);
  const body = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
  return { ...nothing, gap, isSound: body !== undefined && crc32(body, 0, body.length) === frame.tableCrc };
}

/** The highest seq this item proves to have been acknowledged. */
function acknowledges(item: Item): number {
  if (item.commit !== undefined) return item.commit.durableSeq;
  if (item.gap !== undefined) return item.gap.last;
  if (item.step.type !== "frame" || !item.isSound) return 0;
  return DERIVED_FRAMES.has(item.step.frame.type) ? item.step.frame.seq : 0;
}

class Judge {
  readonly #file: LogicalFile;
  readonly #damage: Damage[] = [];
  readonly #acked: number;
  #mark: Mark;
  #summary: Frame | undefined;
  #isForeign = false;
  /** Where bytes that could not be read begin, since the last good commit. */
  #lostFrom: number | undefined;

  constructor(file: LogicalFile, start: Mark, acked: number) {
    this.#file = file;
    this.#mark = start;
    this.#acked = acked;
  }

  /** Adopts one item. False when it is torn: it and all after it never happened. */
  async take(item: Item): Promise<boolean> {
    const { step } = item;
    if (step.type === "open") return false;
    if (step.type === "lost") {
      this.#lostFrom ??= step.from;
      return step.isAnchored;
    }
    if (step.frame.type === FRAME.commit) return this.#takeCommit(step.frame, item);
    if (item.gap !== undefined) this.#takeGap(step.frame, item.gap);
    if (step.frame.type !== FRAME.blob && item.isSound) this.#takeDerived(step.frame);
    return true;
  }

  /** What a repair declared gone is no damage, and the next commit follows it. */
  #takeGap(frame: Frame, gap: Gap): void {
    const expected = this.#mark.seq + 1;
    if (gap.last < expected) return;
    if (gap.first > expected) {
      this.#damage.push({ firstSeq: expected, lastSeq: gap.first - 1, from: this.#lostFrom ?? frame.offset, to: frame.offset });
    }
    this.#lostFrom = undefined;
    this.#mark = { ...this.#mark, seq: gap.last, ackedSeq: this.#acked };
  }

  async #takeCommit(frame: Frame, item: Item): Promise<boolean> {
    const { commit } = item;
    const expected = this.#mark.seq + 1;
    if (commit === undefined || frame.seq < expected) {
      this.#lostFrom ??= frame.offset;
      return expected <= this.#acked;
    }
    if (frame.seq > expected) {
      if (frame.seq - 1 > this.#acked) return false;
      this.#damage.push({ firstSeq: expected, lastSeq: frame.seq - 1, from: this.#lostFrom ?? frame.offset, to: frame.offset });
    }
    if (frame.seq > this.#acked) {
      const table = await readTable(this.#file, frame);
      if (table === undefined || !(await isWhole(this.#file, table))) return false;
    }
    this.#lostFrom = undefined;
    this.#isForeign ||= commit.isForeign;
    this.#mark = {
      offset: frame.end,
      seq: frame.seq,
      commit: frame.offset,
      leaf: commit.leaf,
      time: Math.max(this.#mark.time, commit.time),
      ackedSeq: this.#acked,
    };
    return true;
  }

  #takeDerived(frame: Frame): void {
    if (frame.type === FRAME.summary) this.#summary = frame;
    if (frame.type > FRAME.gap && (frame.flags & CRITICAL) !== 0) this.#isForeign = true;
    this.#mark = { ...this.#mark, offset: frame.end };
  }

  async verdict(items: readonly Item[], end: number): Promise<Tail> {
    const { offset, seq } = this.#mark;
    const evidence = offset < end ? await findEvidence(this.#file, offset, end) : 0;
    const acked = Math.max(this.#acked, evidence, end - offset > MAX_GROUP_BYTES ? seq + 1 : 0);
    const isLost = acked > this.#mark.seq;
    if (isLost) this.#damage.push({ firstSeq: this.#mark.seq + 1, lastSeq: acked, from: this.#lostFrom ?? this.#mark.offset, to: end });
    const rest = items.map(({ step }) => step).filter((step) => (step.type === "lost" ? step.to : step.frame.end) > offset);
    return {
      ...this.#mark,
      ackedSeq: acked,
      damage: this.#damage,
      summary: this.#summary,
      obstacle: isLost ? "lost-tail" : this.#isForeign ? "unknown-content" : undefined,
      hasTornFrame: rest.some(({ type }) => type === "frame"),
      hasOnlyDerived: rest.length > 0 && rest.every((step) => step.type !== "lost" && DERIVED_FRAMES.has(step.frame.type)),
    };
  }
}
