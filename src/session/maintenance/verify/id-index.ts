import { IdWords, isNone } from "../build/id-words.js";

const FIRST_SLOTS = 4096;

/** Where every record of a file is: 24 bytes a slot in two tables, no object for any. */
export class IdIndex {
  #ids = new IdWords(FIRST_SLOTS);
  #places = new Float64Array(FIRST_SLOTS);
  #count = 0;

  /** Place of the record whose id is at `bytes[pos]`. */
  find(bytes: Buffer, pos: number): number | undefined {
    if (isNone(bytes, pos)) return undefined;
    const slot = this.#ids.find(bytes, pos);
    return this.#ids.isFree(slot) ? undefined : this.#places[slot];
  }

  /** Adds a record whose id is not none. False, and nothing changed, when one has its id already. */
  add(bytes: Buffer, pos: number, place: number): boolean {
    const slot = this.#ids.find(bytes, pos);
    if (!this.#ids.isFree(slot)) return false;
    this.#ids.put(slot, bytes, pos);
    this.#places[slot] = place;
    this.#count += 1;
    if (this.#count * 3 > this.#ids.slots * 2) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#places;
    const places = new Float64Array(old.length * 2);
    this.#ids = this.#ids.grown((from, to) => {
      places[to] = old[from] ?? 0;
    });
    this.#places = places;
  }
}
