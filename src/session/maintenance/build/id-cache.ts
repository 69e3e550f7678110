import { IdWords } from "./id-words.js";

const SLOTS = 65_536;

/** Which COMMIT holds an entry, for entries met lately: 1.5 MiB whatever the size of the file. Forgetting one costs a hint. */
export class IdCache {
  readonly #ids = new IdWords(SLOTS);
  readonly #offsets = new Float64Array(SLOTS);

  /** Ids are the 16 bytes at `bytes[pos]`, and never none. */
  get(bytes: Buffer, pos: number): number | undefined {
    const slot = this.#ids.home(bytes, pos);
    return this.#ids.holds(slot, bytes, pos) ? this.#offsets[slot] : undefined;
  }

  set(bytes: Buffer, pos: number, offset: number): void {
    const slot = this.#ids.home(bytes, pos);
    this.#ids.put(slot, bytes, pos);
    this.#offsets[slot] = offset;
  }
}
