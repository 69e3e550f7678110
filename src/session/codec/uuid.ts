import type { AnyId } from "../../base/index.js";
import { invariant } from "../../base/index.js";

export const ID_BYTES = 16;
const NIBBLE = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value += 1) NIBBLE[value.toString(16).charCodeAt(0)] = value;
const HYPHEN = 0x2d;

const TEXT_LENGTH = 36;

/** Whether the text form has its hyphens where they belong. */
const isHyphened = (id: AnyId): boolean =>
  id.charCodeAt(8) === HYPHEN && id.charCodeAt(13) === HYPHEN && id.charCodeAt(18) === HYPHEN && id.charCodeAt(23) === HYPHEN;

/** Writes an id as its 16 raw bytes in RFC 9562 order. `undefined` becomes zeros, which mean none. */
export function putId(bytes: Uint8Array, pos: number, id: AnyId | undefined): void {
  if (id === undefined) {
    bytes.fill(0, pos, pos + ID_BYTES);
    return;
  }
  let out = pos;
  let union = 0;
  for (let index = 0; index < TEXT_LENGTH; index += 2) {
    if (id.charCodeAt(index) === HYPHEN) index += 1;
    const byte = ((NIBBLE[id.charCodeAt(index)] ?? -1) << 4) | (NIBBLE[id.charCodeAt(index + 1)] ?? -1);
    // A digit that is none makes the byte, and with it the union, negative.
    union |= byte;
    bytes[out] = byte;
    out += 1;
  }
  const isFormed = out === pos + ID_BYTES && id.length === TEXT_LENGTH && isHyphened(id);
  invariant(isFormed && union > 0, `not an id: ${id}`);
}

/** Reads 16 raw bytes as an id in text form; `undefined` for zeros. The brand is what the field means. */
export function getId<Id extends AnyId>(bytes: Buffer, pos: number): Id | undefined {
  const hex = bytes.toString("hex", pos, pos + ID_BYTES);
  if (hex === "00000000000000000000000000000000") return undefined;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Id;
}

/** The 48 bits of ms since the epoch that a UUIDv7 begins with. */
export const idTime = (id: AnyId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
