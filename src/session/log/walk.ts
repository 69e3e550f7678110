import type { CommitTable, Frame } from "../codec/index.js";
import {
  BLOCK_HEADER_BYTES,
  blockOf,
  blockStart,
  FRAME,
  FRAME_HEADER_BYTES,
  getFrame,
  logicalOf,
  parseCommitTable,
} from "../codec/index.js";
import type { LogicalFile } from "./logical-file.js";

/**
 * One step of a walk. `lost`: bytes without a valid frame header, up to the next anchor. `open`: a frame whose header is
 * valid and whose body reaches beyond the end.
 */
export type Step =
  | { readonly type: "frame"; readonly frame: Frame }
  | { readonly type: "lost"; readonly from: number; readonly to: number; readonly isAnchored: boolean }
  | { readonly type: "open"; readonly frame: Frame };

/**
 * Steps through frames from `offset` to `end` by their lengths. After a bad header it goes on at the next block that says
 * where its first frame starts; it never searches for magic bytes.
 */
export class FrameWalk {
  readonly file: LogicalFile;
  readonly end: number;
  #offset: number;

  constructor(file: LogicalFile, offset: number, end: number) {
    this.file = file;
    this.#offset = offset;
    this.end = end;
  }

  /** Where the next step begins. */
  get offset(): number {
    return this.#offset;
  }

  get isDone(): boolean {
    return this.#offset >= this.end;
  }

  /** The next step without any reading, when the header is at hand and valid. */
  peek(): Step | undefined {
    if (this.#offset + FRAME_HEADER_BYTES > this.end) return undefined;
    const bytes = this.file.peek(this.#offset, FRAME_HEADER_BYTES);
    const frame = bytes && getFrame(bytes, 0, { offset: this.#offset, seed: this.file.seed });
    return frame && this.#take(frame);
  }

  /** The next step, `undefined` at the end. */
  async next(): Promise<Step | undefined> {
    if (this.isDone) return undefined;
    if (this.#offset + FRAME_HEADER_BYTES <= this.end) {
      const bytes = await this.file.read(this.#offset, FRAME_HEADER_BYTES);
      const frame = bytes && getFrame(bytes, 0, { offset: this.#offset, seed: this.file.seed });
      if (frame !== undefined) return this.#take(frame);
    }
    const from = this.#offset;
    const anchor = await this.#anchorAfter(from);
    this.#offset = anchor ?? this.end;
    return { type: "lost", from, to: this.#offset, isAnchored: anchor !== undefined };
  }

  #take(frame: Frame): Step {
    this.#offset = Math.min(frame.end, this.end);
    return frame.end > this.end ? { type: "open", frame } : { type: "frame", frame };
  }

  async #anchorAfter(offset: number): Promise<number | undefined> {
    const last = blockOf(this.end);
    for (let block = blockOf(offset); block <= last && blockStart(block) < this.end; block += 1) {
      const header = await this.file.blockHeader(block);
      if (header === undefined || header.firstFrame < BLOCK_HEADER_BYTES) continue;
      const first = logicalOf(block, header.firstFrame);
      if (first > offset && first < this.end) return first;
    }
    return undefined;
  }
}

/** The table of a COMMIT frame; `undefined` when it does not validate. Borrowed like everything from a LogicalFile. */
export async function readTable(file: LogicalFile, frame: Frame): Promise<CommitTable | undefined> {
  if (frame.type !== FRAME.commit) return undefined;
  const bytes = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.tableLen);
  return bytes && parseCommitTable(frame, bytes);
}

/** Like {@link readTable} without reading; `undefined` also when the table is not at hand. */
export function peekTable(file: LogicalFile, frame: Frame): CommitTable | undefined {
  const bytes = file.peek(frame.offset + FRAME_HEADER_BYTES, frame.tableLen);
  return bytes && parseCommitTable(frame, bytes);
}

/** The frame that begins at `offset`, when one does. */
export async function readFrame(file: LogicalFile, offset: number): Promise<Frame | undefined> {
  const bytes = await file.read(offset, FRAME_HEADER_BYTES);
  return bytes && getFrame(bytes, 0, { offset, seed: file.seed });
}

/** The COMMIT at `offset` with its table. */
export async function readCommit(file: LogicalFile, offset: number): Promise<CommitTable | undefined> {
  const frame = await readFrame(file, offset);
  return frame && readTable(file, frame);
}
