import { invariant } from "../../../base/index.js";

const WORDS = 4;

/** Like `readUInt32LE` of a place that is there, without its checks. */
const wordAt = (bytes: Buffer, pos: number): number =>
  ((bytes[pos] ?? 0) | ((bytes[pos + 1] ?? 0) << 8) | ((bytes[pos + 2] ?? 0) << 16) | ((bytes[pos + 3] ?? 0) << 24)) >>> 0;

/** Whether an id field holds none. */
export const isNone = (bytes: Buffer, pos: number): boolean =>
  wordAt(bytes, pos + 12) === 0 && wordAt(bytes, pos) === 0 && wordAt(bytes, pos + 4) === 0 && wordAt(bytes, pos + 8) === 0;

const mix = (hash: number, word: number): number => {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
};

/**
 * Slots of ids as four words each, for tables that hold many and no object for any. An id that is none marks a free slot, so
 * it cannot be held.
 */
export class IdWords {
  /** A power of two. */
  readonly slots: number;
  readonly #words: Uint32Array;

  constructor(slots: number) {
    invariant((slots & (slots - 1)) === 0, "a table of ids has a power of two of slots");
    this.slots = slots;
    this.#words = new Uint32Array(slots * WORDS);
  }

  /** Where the search for the id at `bytes[pos]` begins. Ids made in a row differ in few bits, which are spread here. */
  home(bytes: Buffer, pos: number): number {
    const all = mix(mix(mix(mix(0, wordAt(bytes, pos)), wordAt(bytes, pos + 4)), wordAt(bytes, pos + 8)), wordAt(bytes, pos + 12));
    const hash = Math.imul(all, 0x85ebca6b);
    return (hash ^ (hash >>> 13)) & (this.slots - 1);
  }

  holds(slot: number, bytes: Buffer, pos: number): boolean {
    const at = slot * WORDS;
    const words = this.#words;
    return (
      words[at + 3] === wordAt(bytes, pos + 12) &&
      words[at + 2] === wordAt(bytes, pos + 8) &&
      words[at + 1] === wordAt(bytes, pos + 4) &&
      words[at] === wordAt(bytes, pos)
    );
  }

  isFree(slot: number): boolean {
    const at = slot * WORDS;
    const words = this.#words;
    return words[at + 3] === 0 && words[at + 2] === 0 && words[at + 1] === 0 && words[at] === 0;
  }

  put(slot: number, bytes: Buffer, pos: number): void {
    const at = slot * WORDS;
    this.#words[at] = wordAt(bytes, pos);
    this.#words[at + 1] = wordAt(bytes, pos + 4);
    this.#words[at + 2] = wordAt(bytes, pos + 8);
    this.#words[at + 3] = wordAt(bytes, pos + 12);
  }

  /** The slot that holds an id, or the free one where it belongs. Some slot must be free. */
  find(bytes: Buffer, pos: number): number {
    let slot = this.home(bytes, pos);
    while (!this.holds(slot, bytes, pos) && !this.isFree(slot)) slot = slot + 1 === this.slots ? 0 : slot + 1;
    return slot;
  }

  /** The same ids in twice as many slots. `moved` hears where each went. */
  grown(moved: (from: number, to: number) => void): IdWords {
    const larger = new IdWords(this.slots * 2);
    const bytes = Buffer.from(this.#words.buffer);
    for (let slot = 0; slot < this.slots; slot += 1) {
      if (this.isFree(slot)) continue;
      const to = larger.find(bytes, slot * WORDS * 4);
      larger.put(to, bytes, slot * WORDS * 4);
      moved(slot, to);
    }
    return larger;
  }
}
