import { ByteRun } from "../bytes/index.js";
import type { PlacedFrame } from "../codec/index.js";
import { BLOCK_BYTES, BLOCK_HEADER_BYTES, blockOf, blockStart, cutAt, physicalOf, putBlockHeader, sealCommit } from "../codec/index.js";
import type { Mark } from "../log/index.js";

/** Commits that are written and made durable together. */
export const MAX_GROUP_COMMITS = 256;
export const MAX_GROUP_BYTES = 8 * 1024 * 1024;
const FIRST_CAPACITY = 32 * 1024;
/** A run that grew beyond this is not used again. */
const KEEP_CAPACITY = 1024 * 1024;

/** A promise with its handles. A rejection nobody waits for is no crash: the writer's state tells it too. */
export class Deferred {
  readonly promise: Promise<void>;
  resolve: () => void = () => undefined;
  reject: (error: Error) => void = () => undefined;

  constructor() {
    this.promise = new Promise<void>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => undefined);
  }
}

/** Frames on their way to the file, back to back from logical offset `base`. */
export class Group {
  readonly run: ByteRun;
  readonly base: number;
  readonly frames: PlacedFrame[] = [];
  readonly durable: Deferred[] = [];
  readonly published = new Deferred();
  /** State as of the last commit in it. */
  last: Mark | undefined;

  constructor(base: number, run: ByteRun | undefined) {
    this.base = base;
    this.run = run ?? new ByteRun(FIRST_CAPACITY);
    this.run.length = 0;
  }

  get end(): number {
    return this.base + this.run.length;
  }

  get isFull(): boolean {
    return this.durable.length >= MAX_GROUP_COMMITS || this.run.length >= MAX_GROUP_BYTES;
  }

  /** The run for the next group, when it is worth keeping. */
  get reusable(): ByteRun | undefined {
    return this.run.bytes.length <= KEEP_CAPACITY ? this.run : undefined;
  }
}

export interface Placement {
  readonly seed: number;
  /** Seq of the last commit before the group. */
  readonly lastSeq: number;
  readonly durableSeq: number;
}

/** Bytes to write at `position` of the file. */
export interface Layout {
  readonly bytes: Uint8Array;
  readonly position: number;
}

/** Seals the group's commits and cuts its bytes into blocks, each with its header. */
export function layOut(group: Group, placement: Placement): Layout {
  const { run, base, frames, end } = group;
  for (const frame of frames) {
    if (frame.seq > 0) sealCommit(run, frame, { base, seed: placement.seed, durableSeq: placement.durableSeq });
  }
  const first = blockOf(base);
  const position = cutAt(base);
  if (first === blockOf(end - 1) && position === physicalOf(base)) return { bytes: run.bytes.subarray(0, run.length), position };
  const bytes = Buffer.allocUnsafe(physicalOf(end - 1) + 1 - position);
  const anchors = new Anchors(group, placement.lastSeq);
  let at = 0;
  for (let block = first; block <= blockOf(end - 1); block += 1) {
    const start = blockStart(block);
    const from = Math.max(base, start);
    if (from === start && block > 0) {
      putBlockHeader(bytes, at, anchors.at(block), placement.seed);
      at += BLOCK_HEADER_BYTES;
    }
    at += run.bytes.copy(bytes, at, from - base, Math.min(end, blockStart(block + 1)) - base);
  }
  return { bytes, position };
}

/** Answers, for one block start after the other, which frame is in progress there. */
class Anchors {
  readonly #group: Group;
  #index = 0;
  #lastSeq: number;

  constructor(group: Group, lastSeq: number) {
    this.#group = group;
    this.#lastSeq = lastSeq;
  }

  at(block: number) {
    const { base, frames } = this.#group;
    const start = blockStart(block);
    let frame = frames[this.#index];
    while (frame !== undefined && base + frame.end <= start) {
      if (frame.seq > 0) this.#lastSeq = frame.seq;
      this.#index += 1;
      frame = frames[this.#index];
    }
    const begin = base + (frame?.at ?? 0);
    // The next frame begins where this one ends, also when it is not written yet.
    const next = begin === start ? start : base + (frame?.end ?? 0);
    const inside = BLOCK_HEADER_BYTES + next - start;
    return { block, frame: begin, firstFrame: inside < BLOCK_BYTES ? inside : 0, lastSeq: this.#lastSeq };
  }
}
