import { ID_BYTES } from "../../codec/index.js";
import { hashId, isNone } from "../build/id-cache.js";

const FIRST_SLOTS = 4096;

/** Where every record of a file is: 24 bytes a slot in two tables, no object per record. */
export class IdIndex {
  #slots = FIRST_SLOTS;
  #ids = Buffer.alloc(FIRST_SLOTS * ID_BYTES);
  #places = new Float64Array(FIRST_SLOTS);
  #count = 0;

  /** Place of the record whose id is at `bytes[pos]`. */
  find(bytes: Buffer, pos: number): number | undefined {
    if (isNone(bytes, pos)) return undefined;
    const slot = this.#slot(bytes, pos);
    return isNone(this.#ids, slot * ID_BYTES) ? undefined : this.#places[slot];
  }

  /** Adds a record. False, and nothing changed, when one has its id already. */
  add(bytes: Buffer, pos: number, place: number): boolean {
    const slot = this.#slot(bytes, pos);
    if (!isNone(this.#ids, slot * ID_BYTES)) return false;
    bytes.copy(this.#ids, slot * ID_BYTES, pos, pos + ID_BYTES);
    this.#places[slot] = place;
    this.#count += 1;
    if (this.#count * 3 > this.#slots * 2) this.#grow();
    return true;
  }

  /** The slot of an id, or the free one where it belongs. */
  #slot(bytes: Buffer, pos: number): number {
    let slot = hashId(bytes, pos) % this.#slots;
    for (;;) {
      const at = slot * ID_BYTES;
      if (this.#ids.compare(bytes, pos, pos + ID_BYTES, at, at + ID_BYTES) === 0 || isNone(this.#ids, at)) return slot;
      slot = (slot + 1) % this.#slots;
    }
  }

  #grow(): void {
    const [ids, places] = [this.#ids, this.#places];
    this.#slots *= 2;
    this.#ids = Buffer.alloc(this.#slots * ID_BYTES);
    this.#places = new Float64Array(this.#slots);
    places.forEach((place, old) => {
      if (isNone(ids, old * ID_BYTES)) return;
      const slot = this.#slot(ids, old * ID_BYTES);
      ids.copy(this.#ids, slot * ID_BYTES, old * ID_BYTES, (old + 1) * ID_BYTES);
      this.#places[slot] = place;
    });
  }
}
