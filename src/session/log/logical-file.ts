import type { BlockHeader } from "../codec/index.js";
import { BLOCK_BYTES, BLOCK_HEADER_BYTES, blockOf, blockStart, FILE_HEADER_BYTES, getBlockHeader } from "../codec/index.js";
import type { ByteSource } from "./byte-source.js";

interface Window {
  storage: Buffer;
  /** Headers of the blocks it holds, the first one's first. */
  headers: Buffer;
  /** Logical offsets this window holds. */
  start: number;
  end: number;
  /** Where `start` is inside `storage`. */
  skip: number;
  usedAt: number;
}

export interface ReadPlan {
  /** Blocks read at once. */
  readonly blocks: number;
  /** Windows kept; the least recently used one is read over. */
  readonly windows: number;
  /** Where windows put what they hold, for many files one after the other: filled by the first, used again by the next. */
  readonly storages?: Buffer[];
}

/** For walking through a file from front to back: 512 KiB at a time. */
export const SEQUENTIAL: ReadPlan = { blocks: 8, windows: 1 };
/** For following distances back and forth: single blocks. */
export const SCATTERED: ReadPlan = { blocks: 1, windows: 4 };

const EMPTY = Buffer.alloc(0);

/**
 * The logical stream of a file through a few block-aligned windows. For one reader at a time. Every buffer it hands out is
 * borrowed: valid until the next `read`, not a byte longer.
 */
export class LogicalFile {
  readonly seed: number;
  readonly source: ByteSource;
  readonly #plan: ReadPlan;
  readonly #windows: Window[] = [];
  #uses = 0;

  constructor(source: ByteSource, seed: number, plan: ReadPlan) {
    this.source = source;
    this.seed = seed;
    this.#plan = plan;
  }

  /** `count` bytes at `logical` when a window holds them. */
  peek(logical: number, count: number): Buffer | undefined {
    if (count === 0) return EMPTY;
    for (const window of this.#windows) {
      if (logical >= window.start && logical + count <= window.end) {
        this.#uses += 1;
        window.usedAt = this.#uses;
        const at = window.skip + logical - window.start;
        return window.storage.subarray(at, at + count);
      }
    }
    return undefined;
  }

  /** `count` bytes at `logical`; `undefined` when the file ends before. */
  async read(logical: number, count: number): Promise<Buffer | undefined> {
    const held = this.peek(logical, count);
    if (held !== undefined) return held;
    const first = blockOf(logical);
    await this.#load(first, Math.max(this.#plan.blocks, blockOf(logical + count - 1) - first + 1));
    return this.peek(logical, count);
  }

  /** The header of `block` when a window holds its beginning; `undefined` also when it does not validate. */
  peekHeader(block: number): BlockHeader | undefined {
    const start = blockStart(block);
    for (const window of this.#windows) {
      if (block === 0 || start < window.start || start >= window.end) continue;
      return getBlockHeader(window.headers, (block - blockOf(window.start)) * BLOCK_HEADER_BYTES, block, this.seed);
    }
    return undefined;
  }

  /** The header of `block`, when it is there and validates. Block 0 has none. */
  async blockHeader(block: number): Promise<BlockHeader | undefined> {
    if (block === 0) return undefined;
    const held = this.peekHeader(block);
    if (held !== undefined) return held;
    const bytes = Buffer.allocUnsafe(BLOCK_HEADER_BYTES);
    const got = await this.source.read(bytes, block * BLOCK_BYTES);
    return got === BLOCK_HEADER_BYTES ? getBlockHeader(bytes, 0, block, this.seed) : undefined;
  }

  /** Drops what was read beyond `logical`, where the file may have changed since. */
  forgetFrom(logical: number): void {
    for (const window of this.#windows) if (window.end > logical) window.end = Math.max(window.start, logical);
  }

  async #load(first: number, count: number): Promise<void> {
    const window = this.#victim(count * BLOCK_BYTES);
    window.start = 0;
    window.end = 0;
    const got = await this.source.read(window.storage.subarray(0, count * BLOCK_BYTES), first * BLOCK_BYTES);
    window.skip = first === 0 ? FILE_HEADER_BYTES : BLOCK_HEADER_BYTES;
    let end = Math.max(window.skip, Math.min(got, BLOCK_BYTES));
    window.storage.copy(window.headers, 0, 0, BLOCK_HEADER_BYTES);
    for (let block = 1; block * BLOCK_BYTES + BLOCK_HEADER_BYTES < got; block += 1) {
      const from = block * BLOCK_BYTES + BLOCK_HEADER_BYTES;
      const to = Math.min(got, (block + 1) * BLOCK_BYTES);
      window.storage.copy(window.headers, block * BLOCK_HEADER_BYTES, block * BLOCK_BYTES, from);
      window.storage.copyWithin(end, from, to);
      end += to - from;
    }
    window.start = blockStart(first);
    window.end = window.start + end - window.skip;
    this.#uses += 1;
    window.usedAt = this.#uses;
  }

  #victim(bytes: number): Window {
    const wanted = Math.max(bytes, this.#plan.blocks * BLOCK_BYTES);
    if (this.#windows.length < this.#plan.windows) {
      const storage = this.#storage(this.#windows.length, wanted);
      const window = { storage, headers: headersFor(wanted), start: 0, end: 0, skip: 0, usedAt: 0 };
      this.#windows.push(window);
      return window;
    }
    const oldest = this.#windows.reduce((left, right) => (right.usedAt < left.usedAt ? right : left));
    // A storage grown for one long frame is not kept for the short ones after it.
    if (oldest.storage.length !== wanted) {
      oldest.storage = Buffer.allocUnsafeSlow(wanted);
      oldest.headers = headersFor(wanted);
    }
    return oldest;
  }

  #storage(index: number, bytes: number): Buffer {
    const { storages } = this.#plan;
    const kept = storages?.[index];
    if (kept?.length === bytes) return kept;
    const storage = Buffer.allocUnsafeSlow(bytes);
    if (storages !== undefined) storages[index] = storage;
    return storage;
  }
}

const headersFor = (bytes: number): Buffer => Buffer.allocUnsafe(Math.ceil(bytes / BLOCK_BYTES) * BLOCK_HEADER_BYTES);
