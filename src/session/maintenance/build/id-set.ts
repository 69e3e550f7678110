import type { AnyId } from "../../../base/index.js";
import { ID_BYTES, putId } from "../../codec/index.js";
import { IdWords, isNone } from "./id-words.js";

const FIRST_SLOTS = 1024;

/** A set of ids, 16 bytes a slot and no object for any. Ids that are none are never in it. */
export class IdSet {
  readonly #scratch = Buffer.alloc(ID_BYTES);
  #ids = new IdWords(FIRST_SLOTS);
  #count = 0;

  has(bytes: Buffer, pos: number): boolean {
    return !isNone(bytes, pos) && !this.#ids.isFree(this.#ids.find(bytes, pos));
  }

  /** False when it was there before, or is none. */
  add(bytes: Buffer, pos: number): boolean {
    if (isNone(bytes, pos)) return false;
    const slot = this.#ids.find(bytes, pos);
    if (!this.#ids.isFree(slot)) return false;
    this.#ids.put(slot, bytes, pos);
    this.#count += 1;
    if (this.#count * 2 > this.#ids.slots) this.#ids = this.#ids.grown(() => undefined);
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
}
