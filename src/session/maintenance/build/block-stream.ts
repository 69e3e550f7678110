import { ByteRun } from "../../bytes/index.js";
import type { FrameFields } from "../../codec/index.js";
import {
  BLOCK_BYTES,
  BLOCK_HEADER_BYTES,
  blockOf,
  blockStart,
  FILE_HEADER_BYTES,
  FRAME_HEADER_BYTES,
  putBlockHeader,
  putFrameHeader,
} from "../../codec/index.js";

const FIRST_CAPACITY = 256 * 1024;
/** A run that grew beyond this for long frames is not kept for short ones. */
const KEEP_CAPACITY = 2 * 1024 * 1024;

/** Bytes for `position` of the file. Borrowed until the next `put`. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly position: number;
}

export interface FramePlace {
  readonly offset: number;
  readonly end: number;
}

/**
 * Frames, one after the other, cut into blocks with their headers. Only lays out: whoever uses it takes the bytes away with
 * `take` before they become many.
 */
export class BlockStream {
  readonly #seed: number;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #run = new ByteRun(FIRST_CAPACITY);
  /** File offset of the first byte in the run. */
  #position = FILE_HEADER_BYTES;
  #end = 0;
  #lastSeq = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Logical offset of the next frame. */
  get end(): number {
    return this.#end;
  }

  get pendingBytes(): number {
    return this.#run.length;
  }

  /** Appends a frame whose body is `parts`, copying them. `accounts`: newest seq that is settled once this frame has ended. */
  put(fields: Omit<FrameFields, "bodyLen">, parts: readonly Uint8Array[], accounts?: number): FramePlace {
    const bodyLen = parts.reduce((sum, part) => sum + part.length, 0);
    const offset = this.#end;
    const place = { offset, end: offset + FRAME_HEADER_BYTES + bodyLen };
    putFrameHeader(this.#header, 0, { ...fields, bodyLen }, { offset, seed: this.#seed });
    this.#copy(this.#header, place);
    for (const part of parts) this.#copy(part, place);
    if (accounts !== undefined) this.#lastSeq = accounts;
    return place;
  }

  take(): Piece | undefined {
    const { bytes, length } = this.#run;
    if (length === 0) return undefined;
    const piece = { bytes: bytes.subarray(0, length), position: this.#position };
    this.#position += length;
    if (bytes.length > KEEP_CAPACITY) this.#run = new ByteRun(FIRST_CAPACITY);
    this.#run.length = 0;
    return piece;
  }

  #copy(bytes: Uint8Array, frame: FramePlace): void {
    for (let from = 0; from < bytes.length;) {
      const block = blockOf(this.#end);
      if (block > 0 && blockStart(block) === this.#end) this.#startBlock(block, frame);
      const count = Math.min(bytes.length - from, blockStart(block + 1) - this.#end);
      const at = this.#run.reserve(count);
      this.#run.bytes.set(bytes.subarray(from, from + count), at);
      this.#run.length = at + count;
      this.#end += count;
      from += count;
    }
  }

  #startBlock(block: number, frame: FramePlace): void {
    const at = this.#run.reserve(BLOCK_HEADER_BYTES);
    const header = anchorOf(block, frame, this.#lastSeq);
    putBlockHeader(this.#run.bytes, at, header, this.#seed);
    this.#run.length = at + BLOCK_HEADER_BYTES;
  }
}

/** What the header of `block` says when `frame` is the one in progress at, or beginning exactly at, its first byte. */
export function anchorOf(block: number, frame: FramePlace, lastSeq: number) {
  const start = blockStart(block);
  const inside = BLOCK_HEADER_BYTES + (frame.offset === start ? 0 : frame.end - start);
  return { block, frame: frame.offset, firstFrame: inside < BLOCK_BYTES ? inside : 0, lastSeq };
}
