import type { AnyId } from "../../base/index.js";
import { invariant, isUuid } from "../../base/index.js";

export const ID_BYTES = 16;
const NIBBLE = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value += 1) NIBBLE[value.toString(16).charCodeAt(0)] = value;
const HYPHEN = 0x2d;

/** Writes an id as its 16 raw bytes in RFC 9562 order. `undefined` becomes zeros, which mean none. */
export function putId(bytes: Uint8Array, pos: number, id: AnyId | undefined): void {
  if (id === undefined) {
    bytes.fill(0, pos, pos + ID_BYTES);
    return;
  }
  let out = pos;
  let any = 0;
  for (let index = 0; index < id.length && out < pos + ID_BYTES; index += 2) {
    if (id.charCodeAt(index) === HYPHEN) index += 1;
    const high = NIBBLE[id.charCodeAt(index)] ?? -1;
    const low = NIBBLE[id.charCodeAt(index + 1)] ?? -1;
    const byte = (high << 4) | low;
    any |= byte;
    bytes[out] = byte;
    out += 1;
  }
  invariant(any > 0 && id.length === 36 && out === pos + ID_BYTES && isUuid(id), `not an id: ${id}`);
}

/** Reads 16 raw bytes as an id in text form; `undefined` for zeros. The brand is what the field means. */
export function getId<Id extends AnyId>(bytes: Buffer, pos: number): Id | undefined {
  const hex = bytes.toString("hex", pos, pos + ID_BYTES);
  if (hex === "00000000000000000000000000000000") return undefined;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Id;
}

/** The 48 bits of ms since the epoch that a UUIDv7 begins with. */
export const idTime = (id: AnyId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
