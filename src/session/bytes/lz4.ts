/**
 * LZ4 block format with a pinned encoder: the same input gives the same bytes on every platform and Node version, which
 * zlib does not promise. Parameters are part of the format document; changing one changes golden files.
 */
const TABLE_BITS = 13;
const MULTIPLIER = 0x9e37_79b1;
const MIN_MATCH = 4;
/** No match starts in the last 12 bytes, none reaches into the last 5 (the block format's end rules). */
const END_GUARD = 12;
const LAST_LITERALS = 5;
const MAX_DISTANCE = 65_535;
const SEARCH_START = 64;
const SEARCH_SHIFT = 6;

/** Compresses into `out` from 0. Returns the bytes written, or 0 when the result would not fit `limit` bytes. */
export type Lz4Encoder = (
  input: Uint8Array,
  start: number,
  end: number,
  into: { readonly out: Uint8Array; readonly limit: number },
) => number;

/** An encoder owns a 32 KiB table, cleared for every input. `out` must hold `limit` bytes. */
export function createLz4Encoder(): Lz4Encoder {
  const table = new Int32Array(1 << TABLE_BITS);
  return (input, start, end, { out, limit }) => {
    table.fill(-1);
    const lastMatch = end - END_GUARD;
    let anchor = start;
    let pos = start;
    let searches = SEARCH_START;
    let written = 0;
    while (pos <= lastMatch) {
      const slot = Math.imul(word(input, pos), MULTIPLIER) >>> (32 - TABLE_BITS);
      const candidate = table[slot] ?? -1;
      table[slot] = pos;
      if (candidate < 0 || pos - candidate > MAX_DISTANCE || word(input, candidate) !== word(input, pos)) {
        pos += searches >>> SEARCH_SHIFT;
        searches += 1;
        continue;
      }
      const length = matchLength(input, candidate, pos, end - LAST_LITERALS);
      written = putSequence(input, { anchor, pos, distance: pos - candidate, length }, { out, limit, at: written });
      if (written === 0) return 0;
      pos += length;
      anchor = pos;
      searches = SEARCH_START;
    }
    return putSequence(input, { anchor, pos: end, distance: 0, length: 0 }, { out, limit, at: written });
  };
}

const word = (bytes: Uint8Array, pos: number): number =>
  (bytes[pos] ?? 0) | ((bytes[pos + 1] ?? 0) << 8) | ((bytes[pos + 2] ?? 0) << 16) | ((bytes[pos + 3] ?? 0) << 24);

function matchLength(bytes: Uint8Array, from: number, pos: number, end: number): number {
  let length = MIN_MATCH;
  while (pos + length < end && bytes[from + length] === bytes[pos + length]) length += 1;
  return length;
}

interface Sequence {
  readonly anchor: number;
  readonly pos: number;
  readonly distance: number;
  readonly length: number;
}

interface Sink {
  readonly out: Uint8Array;
  readonly limit: number;
  readonly at: number;
}

/** Writes literals and, unless `distance` is 0, the match after them. Returns the new end, or 0 when it would not fit. */
function putSequence(input: Uint8Array, sequence: Sequence, sink: Sink): number {
  const literals = sequence.pos - sequence.anchor;
  const extra = sequence.distance === 0 ? 0 : sequence.length - MIN_MATCH;
  const needed = 1 + lengthBytes(literals) + literals + (sequence.distance === 0 ? 0 : 2 + lengthBytes(extra));
  if (sink.at + needed > sink.limit) return 0;
  const { out } = sink;
  let at = sink.at;
  out[at] = (Math.min(literals, 15) << 4) | Math.min(extra, 15);
  at = putLength(out, at + 1, literals);
  if (literals < 32) for (let index = 0; index < literals; index += 1) out[at + index] = input[sequence.anchor + index] ?? 0;
  else out.set(input.subarray(sequence.anchor, sequence.pos), at);
  at += literals;
  if (sequence.distance === 0) return at;
  out[at] = sequence.distance & 0xff;
  out[at + 1] = sequence.distance >>> 8;
  return putLength(out, at + 2, extra);
}

const lengthBytes = (length: number): number => (length < 15 ? 0 : 1 + Math.floor((length - 15) / 255));

function putLength(out: Uint8Array, at: number, length: number): number {
  if (length < 15) return at;
  let rest = length - 15;
  let pos = at;
  for (; rest >= 255; rest -= 255) {
    out[pos] = 255;
    pos += 1;
  }
  out[pos] = rest;
  return pos + 1;
}

/** Decodes exactly `rawBytes`; `undefined` for anything malformed, short or long. Allocates `rawBytes` and nothing more. */
export function decodeLz4(input: Uint8Array, rawBytes: number): Buffer | undefined {
  const out = Buffer.allocUnsafe(rawBytes);
  let at = 0;
  for (let pos = 0; pos < input.length;) {
    const token = input[pos] ?? 0;
    const literals = getLength(input, pos + 1, token >>> 4);
    if (literals === undefined || literals.end > input.length || at + literals.length > rawBytes) return undefined;
    out.set(input.subarray(literals.next, literals.end), at);
    at += literals.length;
    if (literals.end === input.length) return at === rawBytes && (token & 15) === 0 ? out : undefined;
    const next = getMatch(input, { pos: literals.end, nibble: token & 15 }, out, at);
    if (next === undefined) return undefined;
    at += next.length;
    pos = next.pos;
  }
  return undefined;
}

/** Copies one match to `out[at]`. */
function getMatch(
  input: Uint8Array,
  from: { readonly pos: number; readonly nibble: number },
  out: Buffer,
  at: number,
): { readonly pos: number; readonly length: number } | undefined {
  const distance = (input[from.pos] ?? 0) | ((input[from.pos + 1] ?? 0) << 8);
  const match = getLength(input, from.pos + 2, from.nibble);
  if (match === undefined || distance === 0 || distance > at) return undefined;
  const length = match.length + MIN_MATCH;
  if (at + length > out.length) return undefined;
  copyMatch(out, at, distance, length);
  return { pos: match.next, length };
}

function copyMatch(out: Buffer, at: number, distance: number, length: number): void {
  if (distance >= length) out.copyWithin(at, at - distance, at - distance + length);
  else for (let index = at; index < at + length; index += 1) out[index] = out[index - distance] ?? 0;
}

/** A length, where its bytes end, and where as many bytes after them end. */
interface Length {
  readonly length: number;
  readonly next: number;
  readonly end: number;
}

function getLength(input: Uint8Array, at: number, nibble: number): Length | undefined {
  if (at > input.length) return undefined;
  if (nibble < 15) return { length: nibble, next: at, end: at + nibble };
  let length = 15;
  let pos = at;
  for (;;) {
    const byte = input[pos];
    if (byte === undefined) return undefined;
    pos += 1;
    length += byte;
    if (byte !== 255) return { length, next: pos, end: pos + length };
  }
}
