import type { AnyId } from "../../../base/index.js";
import { ID_BYTES, putId } from "../../codec/index.js";
import { hashId, isNone } from "./id-cache.js";

const FIRST_SLOTS = 1024;

/** A set of ids as 16 bytes each in one table: no object per id. Ids that are none are never in it. */
export class IdSet {
  readonly #scratch = Buffer.alloc(ID_BYTES);
  #slots = FIRST_SLOTS;
  #table = Buffer.alloc(FIRST_SLOTS * ID_BYTES);
  #count = 0;

  has(bytes: Buffer, pos: number): boolean {
    return !isNone(bytes, pos) && !isNone(this.#table, this.#find(bytes, pos));
  }

  /** False when it was there before. */
  add(bytes: Buffer, pos: number): boolean {
    if (isNone(bytes, pos)) return false;
    const at = this.#find(bytes, pos);
    if (!isNone(this.#table, at)) return false;
    bytes.copy(this.#table, at, pos, pos + ID_BYTES);
    this.#count += 1;
    if (this.#count * 2 > this.#slots) this.#grow();
    return true;
  }

  hasId(id: AnyId): boolean {
    putId(this.#scratch, 0, id);
    return this.has(this.#scratch, 0);
  }

  addId(id: AnyId): boolean {
    putId(this.#scratch, 0, id);
    return this.add(this.#scratch, 0);
  }

  /** Position of the id, or of the free slot where it belongs. */
  #find(bytes: Buffer, pos: number): number {
    for (let slot = hashId(bytes, pos) % this.#slots; ; slot = (slot + 1) % this.#slots) {
      const at = slot * ID_BYTES;
      if (this.#table.compare(bytes, pos, pos + ID_BYTES, at, at + ID_BYTES) === 0 || isNone(this.#table, at)) return at;
    }
  }

  #grow(): void {
    const old = this.#table;
    this.#slots *= 2;
    this.#table = Buffer.alloc(this.#slots * ID_BYTES);
    for (let at = 0; at < old.length; at += ID_BYTES) {
      if (!isNone(old, at)) old.copy(this.#table, this.#find(old, at), at, at + ID_BYTES);
    }
  }
}
