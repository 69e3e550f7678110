import { isUtf8 } from "node:buffer";

/** Longest character of UTF-8. */
const LONGEST = 4;

/** Bytes of the well-formed character at `at`: 0 where none begins, undefined where the end of `bytes` leaves it open. */
function widthAt(bytes: Uint8Array, at: number): number | undefined {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const width = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (let index = 1; index < width; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    if (byte < lowest(lead, index) || byte > highest(lead, index)) return 0;
  }
  return width;
}

/** Bounds of a following byte: narrower for the first one after some leads (Unicode, table 3-7). */
const lowest = (lead: number, index: number): number => (index > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80);
const highest = (lead: number, index: number): number => (index > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf);

/** Bytes at the end that may be the beginning of a character that goes on: 0 to 3. */
export function openTail(bytes: Uint8Array): number {
  for (let back = 1; back < LONGEST && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return widthAt(bytes, bytes.length - back) === undefined ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Bytes that belong to no character of UTF-8, and the place of the first; -1 where there is none. */
export function oddBytes(bytes: Uint8Array): { readonly count: number; readonly first: number } {
  if (isUtf8(bytes)) return { count: 0, first: -1 };
  let count = 0;
  let first = -1;
  for (let at = 0; at < bytes.length;) {
    const width = widthAt(bytes, at) ?? 0;
    if (width === 0) {
      count += 1;
      if (first < 0) first = at;
    }
    at += Math.max(1, width);
  }
  return { count, first };
}
