import { ID_BYTES } from "../../codec/index.js";

const SLOTS = 65_536;

/** Whether an id field holds none. */
export const isNone = (bytes: Buffer, pos: number): boolean =>
  bytes.readUInt32LE(pos) === 0 &&
  bytes.readUInt32LE(pos + 4) === 0 &&
  bytes.readUInt32LE(pos + 8) === 0 &&
  bytes.readUInt32LE(pos + 12) === 0;

/** Spreads the bits of a 16-byte id over 32. Ids made in a row differ in few of them. */
export function hashId(bytes: Buffer, pos: number): number {
  let hash = 0;
  for (let at = pos; at < pos + ID_BYTES; at += 4) {
    hash = Math.imul(hash ^ bytes.readUInt32LE(at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Which COMMIT holds an entry, for entries met lately: 1.5 MiB whatever the size of the file. Forgetting one costs a hint. */
export class IdCache {
  readonly #ids = Buffer.alloc(SLOTS * ID_BYTES);
  readonly #offsets = new Float64Array(SLOTS);

  /** Ids are the 16 bytes at `bytes[pos]`. */
  get(bytes: Buffer, pos: number): number | undefined {
    const slot = hashId(bytes, pos) % SLOTS;
    const isHeld = this.#ids.compare(bytes, pos, pos + ID_BYTES, slot * ID_BYTES, (slot + 1) * ID_BYTES) === 0;
    return isHeld ? this.#offsets[slot] : undefined;
  }

  set(bytes: Buffer, pos: number, offset: number): void {
    const slot = hashId(bytes, pos) % SLOTS;
    bytes.copy(this.#ids, slot * ID_BYTES, pos, pos + ID_BYTES);
    this.#offsets[slot] = offset;
  }
}
