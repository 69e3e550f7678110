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
    const view = viewOf(input);
    const lastMatch = end - END_GUARD;
    let anchor = start;
    let pos = start;
    let searches = SEARCH_START;
    let written = 0;
    while (pos <= lastMatch) {
      const word = view.getInt32(pos, true);
      const slot = Math.imul(word, MULTIPLIER) >>> (32 - TABLE_BITS);
      const candidate = table[slot] ?? -1;
      table[slot] = pos;
      if (candidate < 0 || pos - candidate > MAX_DISTANCE || view.getInt32(candidate, true) !== word) {
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
  const decoding = new Decoding(input, into === undefined ? Buffer.allocUnsafe(rawBytes) : into.subarray(0, rawBytes));
  for (;;) {
    decoding.skipPlain();
    const state = decoding.next();
    if (state !== "more") return state === "whole" ? decoding.bytes : undefined;
  }
}

/** Bytes copied at once: a match must be so far back. */
const STEP = 4;
/** From this many bytes on, one call that copies is cheaper than a loop. */
const LONG_COPY = 96;
/** More than a sequence with lengths of one byte takes from the input or adds to the output, copied in steps beyond its end. */
const PLAIN_REACH = 640;

/** Copies `count` bytes and up to seven more; right also where both places are the same bytes, at least `STEP` apart. */
function copyInSteps(from: DataView, pos: number, to: DataView, { at, count }: { readonly at: number; readonly count: number }): void {
  to.setUint32(at, from.getUint32(pos, true), true);
  to.setUint32(at + 4, from.getUint32(pos + 4, true), true);
  for (let done = 8; done < count; done += 8) {
    to.setUint32(at + done, from.getUint32(pos + done, true), true);
    to.setUint32(at + done + 4, from.getUint32(pos + done + 4, true), true);
  }
}

/** One block on its way: what is before `#pos` is read, what is before `#at` is there. */
class Decoding {
  readonly bytes: Buffer;
  readonly #out: DataView;
  readonly #input: Uint8Array;
  readonly #source: DataView;
  #pos = 0;
  #at = 0;

  constructor(input: Uint8Array, bytes: Buffer) {
    this.bytes = bytes;
    this.#out = viewOf(bytes);
    this.#input = input;
    this.#source = viewOf(input);
  }

  /** Takes sequences as they mostly are, far from the ends of both sides, and stops before any other. */
  skipPlain(): void {
    const source = this.#source;
    const out = this.#out;
    const lastPos = source.byteLength - PLAIN_REACH;
    const lastAt = out.byteLength - PLAIN_REACH;
    let pos = this.#pos;
    let at = this.#at;
    while (pos <= lastPos && at <= lastAt) {
      const token = source.getUint8(pos);
      let literals = token >>> 4;
      let start = pos + 1;
      if (literals === 15) {
        literals += source.getUint8(start);
        start += 1;
      }
      const next = start + literals;
      const match = at + literals;
      const distance = source.getUint16(next, true);
      // Lengths of more bytes begin with one that makes the sum this large.
      if (literals >= 15 + 255 || (token & 15) === 15 || distance < STEP || distance > match) break;
      const length = (token & 15) + MIN_MATCH;
      copyInSteps(source, start, out, { at, count: literals });
      copyInSteps(out, match - distance, out, { at: match, count: length });
      at = match + length;
      pos = next + 2;
    }
    this.#pos = pos;
    this.#at = at;
  }

  /** Takes one sequence, whatever it is. */
  next(): "more" | "whole" | "malformed" {
    const input = this.#input;
    const token = input[this.#pos] ?? 0;
    this.#pos += 1;
    if (!this.#take(this.#length(token >>> 4))) return "malformed";
    if (this.#pos === input.length) return this.#at === this.bytes.length && (token & 15) === 0 ? "whole" : "malformed";
    const distance = (input[this.#pos] ?? 0) | ((input[this.#pos + 1] ?? 0) << 8);
    this.#pos += 2;
    // The last sequence has no match, so something must follow this one.
    return this.#repeat(distance, MIN_MATCH + this.#length(token & 15)) && this.#pos < input.length ? "more" : "malformed";
  }

  /** A length that begins with a nibble. Ends where the input does. */
  #length(nibble: number): number {
    if (nibble < 15) return nibble;
    let length = nibble;
    for (;;) {
      const more = this.#input[this.#pos] ?? 0;
      this.#pos += 1;
      length += more;
      if (more < 255) return length;
    }
  }

  /** Adds so many bytes of the input. False, like below, for more than there is or fits. */
  #take(count: number): boolean {
    const [source, out, pos, start] = [this.#source, this.#out, this.#pos, this.#at];
    const end = pos + count;
    const stop = start + count;
    if (end > source.byteLength || stop > out.byteLength) return false;
    this.#pos = end;
    this.#at = stop;
    if (count >= LONG_COPY) this.bytes.set(this.#input.subarray(pos, end), start);
    else for (let from = pos, at = start; at < stop; from += 1, at += 1) out.setUint8(at, source.getUint8(from));
    return true;
  }

  /** Adds what stands `distance` bytes back. */
  #repeat(distance: number, length: number): boolean {
    const [out, start] = [this.#out, this.#at];
    const stop = start + length;
    if (distance === 0 || distance > start || stop > out.byteLength) return false;
    this.#at = stop;
    if (length >= LONG_COPY && distance >= length) this.bytes.copyWithin(start, start - distance, stop - distance);
    else if (distance >= STEP && stop + 2 * STEP <= out.byteLength) copyInSteps(out, start - distance, out, { at: start, count: length });
    else for (let at = start; at < stop; at += 1) out.setUint8(at, out.getUint8(at - distance));
    return true;
  }
}
