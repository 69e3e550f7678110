import { BLOCK_BYTES } from "./codec/index.js";
import { OpenFile } from "./log/index.js";

/** With less than this of the last block written, the block before it is taken too: what the end refers to is often there. */
const SHORT_END = BLOCK_BYTES / 4;
/** What one read of an end takes at most. */
export const END_BYTES = 2 * BLOCK_BYTES;

/** A file of which the end, for a short one the whole, was read at once and is then read from memory. */
export class EndsFile extends OpenFile {
  #bytes: Buffer | undefined;
  #start = 0;

  /** `into` must hold {@link END_BYTES} and is borrowed until the file is closed. */
  async loadEnd(size: number, into: Buffer): Promise<void> {
    const last = Math.floor(Math.max(0, size - 1) / BLOCK_BYTES) * BLOCK_BYTES;
    const start = size - last < SHORT_END || last === BLOCK_BYTES ? Math.max(0, last - BLOCK_BYTES) : last;
    const got = await super.read(into.subarray(0, size - start), start);
    this.#start = start;
    this.#bytes = into.subarray(0, got);
  }

  override read(into: Uint8Array, position: number): Promise<number> {
    const bytes = this.#bytes;
    // What was appended since is read like anything else.
    if (bytes === undefined || position < this.#start) return super.read(into, position);
    const at = position - this.#start;
    if (at + into.length > bytes.length && into.length > BLOCK_BYTES) return super.read(into, position);
    return Promise.resolve(bytes.copy(into, 0, at, at + into.length));
  }
}
