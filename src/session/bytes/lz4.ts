import { viewOf } from "./byte-run.js";

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

/**
 * Decodes exactly `rawBytes`; `undefined` for anything malformed, short or long. Allocates `rawBytes` and nothing more; with
 * `into`, which must hold as many bytes, nothing at all: the result is then a part of that.
 */
export function decodeLz4(input: Uint8Array, rawBytes: number, into?: Buffer): Buffer | undefined {
  const out = new Output(into === undefined ? Buffer.allocUnsafe(rawBytes) : into.subarray(0, rawBytes));
  const view = viewOf(input);
  for (let pos = 0; pos < input.length;) {
    const token = byteAt(input, pos);
    const from = endOfLength(input, pos + 1, token >>> 4);
    const end = from + lengthBefore(input, from, token >>> 4, pos + 1);
    if (end > input.length || !out.take(view, from, end)) return undefined;
    if (end === input.length) return out.isFull && (token & 15) === 0 ? out.bytes : undefined;
    pos = endOfLength(input, end + 2, token & 15);
    const length = MIN_MATCH + lengthBefore(input, pos, token & 15, end + 2);
    if (!out.repeat(byteAt(input, end) | (byteAt(input, end + 1) << 8), length)) return undefined;
  }
  return undefined;
}

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;

/** Bytes copied at once. A copy may write so many less one beyond its end, where the next one begins. */
const STEP = 4;
/** From this many bytes on, one call that copies is cheaper than a loop. */
const LONG_COPY = 64;

/** What is decoded so far. Both ways to add return false for more than fits. */
class Output {
  readonly bytes: Buffer;
  readonly #view: DataView;
  readonly #size: number;
  #at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#view = viewOf(bytes);
    this.#size = bytes.length;
  }

  get isFull(): boolean {
    return this.#at === this.#size;
  }

  /** Adds `[from, end)` of the input. */
  take(input: DataView, from: number, end: number): boolean {
    const view = this.#view;
    const start = this.#at;
    const stop = start + end - from;
    if (stop > this.#size) return false;
    this.#at = stop;
    if (end - from >= LONG_COPY) {
      this.bytes.set(new Uint8Array(input.buffer, input.byteOffset + from, end - from), start);
    } else if (end + STEP <= input.byteLength && stop + STEP <= this.#size) {
      for (let pos = from, at = start; at < stop; pos += STEP, at += STEP) view.setUint32(at, input.getUint32(pos, true), true);
    } else {
      for (let pos = from, at = start; at < stop; pos += 1, at += 1) view.setUint8(at, input.getUint8(pos));
    }
    return true;
  }

  /** Adds what stands `distance` bytes back. */
  repeat(distance: number, length: number): boolean {
    const view = this.#view;
    const start = this.#at;
    const stop = start + length;
    if (distance === 0 || distance > start || stop > this.#size) return false;
    this.#at = stop;
    if (length >= LONG_COPY && distance >= length) {
      this.bytes.copyWithin(start, start - distance, stop - distance);
    } else if (distance >= STEP && stop + STEP <= this.#size) {
      for (let at = start; at < stop; at += STEP) view.setUint32(at, view.getUint32(at - distance, true), true);
    } else {
      for (let at = start; at < stop; at += 1) view.setUint8(at, view.getUint8(at - distance));
    }
    return true;
  }
}

/** Where the bytes that continue a length of 15 end; beyond the input when they do not. */
function endOfLength(input: Uint8Array, at: number, nibble: number): number {
  if (nibble < 15) return at;
  let pos = at;
  while (input[pos] === 255) pos += 1;
  return pos < input.length ? pos + 1 : input.length + 1;
}

/** The length whose continuation is `[at, end)`. */
const lengthBefore = (input: Uint8Array, end: number, nibble: number, at: number): number =>
  end === at ? nibble : 15 + 255 * (end - at - 1) + byteAt(input, end - 1);
