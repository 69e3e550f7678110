import { BLOCK_BYTES } from "../codec/index.js";
import { OpenFile } from "./open-file.js";

/** Read at once, twice held. */
const CHUNK_BYTES = 8 * BLOCK_BYTES;

interface Chunk {
  readonly index: number;
  readonly storage: Buffer;
  /** Bytes that are there: fewer than asked for only at the end of the file. */
  readonly got: Promise<number>;
}

/**
 * A file read from front to back: while one part is searched, the next one is on its way. Short reads go to the file itself.
 * For one reader at a time.
 */
export class ReadAheadFile extends OpenFile {
  #current: Chunk | undefined;
  #next: Chunk | undefined;

  override async read(into: Uint8Array, position: number): Promise<number> {
    if (into.length <= BLOCK_BYTES) return super.read(into, position);
    let filled = 0;
    while (filled < into.length) {
      const at = position + filled;
      const chunk = this.#chunk(Math.floor(at / CHUNK_BYTES));
      const got = await chunk.got;
      const copied = chunk.storage.subarray(0, got).copy(into, filled, at - chunk.index * CHUNK_BYTES);
      if (copied === 0) break;
      filled += copied;
    }
    return filled;
  }

  #chunk(index: number): Chunk {
    if (this.#current?.index === index) return this.#current;
    const free = this.#current?.storage ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    if (this.#next?.index === index) {
      this.#current = this.#next;
      this.#next = this.#load(index + 1, free);
    } else {
      this.#current = this.#load(index, free);
      // What was on its way still writes into the other storage.
      this.#next = this.#load(index + 1, Buffer.allocUnsafeSlow(CHUNK_BYTES));
    }
    return this.#current;
  }

  #load(index: number, storage: Buffer): Chunk {
    const got = super.read(storage, index * CHUNK_BYTES);
    // Told when it is asked for, if ever.
    got.catch(() => undefined);
    return { index, storage, got };
  }
}
