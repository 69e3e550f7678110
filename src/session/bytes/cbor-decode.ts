import type { JsonValue } from "../../base/index.js";
import { isBefore, toHalf } from "./cbor-encode.js";
import { MAX_DEPTH, MAX_ITEMS, ORDERED_TAG } from "./cbor.js";

/** What decoding yields: JSON data and byte strings. */
export type Decoded = null | boolean | number | string | Buffer | readonly Decoded[] | { readonly [key: string]: Decoded };
export type DecodedMap = { readonly [key: string]: Decoded };

/** Bytes that are not the one canonical encoding of a value within bounds. */
export class MalformedError extends Error {
  override readonly name = "MalformedError";
}

export const isDecodedMap = (value: Decoded | undefined): value is DecodedMap =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

/** JSON data decoded from CBOR; byte strings are refused. */
export function asJson(value: Decoded): JsonValue {
  if (Buffer.isBuffer(value)) throw new MalformedError("a byte string where JSON data belongs");
  if (Array.isArray(value)) for (const item of value as readonly Decoded[]) asJson(item);
  else if (isDecodedMap(value)) for (const item of Object.values(value)) asJson(item);
  // Just checked: no byte string is left, so every member is JSON data.
  return value as JsonValue;
}

/** Decodes exactly one value that fills `bytes`. Throws {@link MalformedError}; never allocates by an unchecked length. */
export function decodeCbor(bytes: Buffer): Decoded {
  const decoder = new Decoder(bytes);
  const value = decoder.value(0);
  if (decoder.pos !== bytes.length) throw new MalformedError("bytes after the value");
  return value;
}

/** Keeps nothing between calls, and costs more to make than most values cost to decode. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Up to this many bytes, looking at them first is quicker than the text decoder. */
const SHORT_TEXT = 64;

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) > 0x7f) return false;
  return true;
}

class Decoder {
  pos = 0;
  readonly #bytes: Buffer;
  #items = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(depth: number): Decoded {
    this.#items += 1;
    if (this.#items > MAX_ITEMS) throw new MalformedError("too many items");
    const first = this.#take(1);
    const head = this.#bytes[first] ?? 0;
    const major = head >>> 5;
    if (major === 7) return this.#simple(head);
    const argument = this.#argument(head & 0x1f);
    switch (major) {
      case 0:
        return argument;
      case 1:
        return negative(argument);
      case 2:
        return this.#span(argument);
      case 3:
        return this.#text(argument);
      case 4:
        return this.#array(argument, depth);
      case 5:
        return this.#map(argument, depth);
      default:
        return this.#ordered(argument, depth);
    }
  }

  #take(count: number): number {
    const start = this.pos;
    if (count > this.#bytes.length - start) throw new MalformedError("truncated");
    this.pos += count;
    return start;
  }

  #argument(info: number): number {
    if (info < 24) return info;
    if (info > 27) throw new MalformedError("indefinite or reserved length");
    const width = 1 << (info - 24);
    const pos = this.#take(width);
    const value =
      width === 8 ? this.#bytes.readUInt32BE(pos) * 4_294_967_296 + this.#bytes.readUInt32BE(pos + 4) : this.#bytes.readUIntBE(pos, width);
    const least = width === 1 ? 24 : 2 ** (4 * width);
    if (value < least) throw new MalformedError("length or integer not in its shortest form");
    if (value > Number.MAX_SAFE_INTEGER) throw new MalformedError("integer beyond 2^53-1");
    return value;
  }

  #span(length: number): Buffer {
    const start = this.#take(length);
    return Buffer.from(this.#bytes.subarray(start, start + length));
  }

  #text(length: number): string {
    const start = this.#take(length);
    if (length <= SHORT_TEXT && isAscii(this.#bytes, start, this.pos)) return this.#bytes.toString("latin1", start, this.pos);
    try {
      return UTF8.decode(this.#bytes.subarray(start, start + length));
    } catch {
      throw new MalformedError("invalid UTF-8");
    }
  }

  #count(count: number, depth: number): void {
    if (depth >= MAX_DEPTH) throw new MalformedError("nested too deeply");
    if (count > this.#bytes.length - this.pos) throw new MalformedError("more items than bytes");
  }

  #array(count: number, depth: number): readonly Decoded[] {
    this.#count(count, depth);
    const items: Decoded[] = [];
    for (let index = 0; index < count; index += 1) items.push(this.value(depth + 1));
    return items;
  }

  #key(): string {
    const key = this.value(MAX_DEPTH);
    if (typeof key !== "string") throw new MalformedError("a key that is not text");
    return key;
  }

  #map(count: number, depth: number): DecodedMap {
    this.#count(count * 2, depth);
    const map: { [key: string]: Decoded } = {};
    let last: string | undefined;
    for (let index = 0; index < count; index += 1) {
      const key = this.#key();
      if (last !== undefined && !isBefore(last, key)) throw new MalformedError("keys out of order or repeated");
      setOwn(map, key, this.value(depth + 1));
      last = key;
    }
    return map;
  }

  #ordered(tag: number, depth: number): DecodedMap {
    if (tag !== ORDERED_TAG) throw new MalformedError(`tag ${tag} is not used here`);
    const head = this.#bytes[this.#take(1)] ?? 0;
    if (head >>> 5 !== 4) throw new MalformedError("ordered object without its array");
    const count = this.#argument(head & 0x1f);
    if (count % 2 === 1) throw new MalformedError("ordered object with a key but no value");
    this.#count(count, depth);
    const map: { [key: string]: Decoded } = {};
    let last: string | undefined;
    let canonical = true;
    for (let index = 0; index < count; index += 2) {
      const key = this.#key();
      if (Object.hasOwn(map, key)) throw new MalformedError("repeated key");
      canonical &&= last === undefined || isBefore(last, key);
      setOwn(map, key, this.value(depth + 1));
      last = key;
    }
    if (canonical) throw new MalformedError("ordered object whose order is canonical");
    return map;
  }

  #simple(head: number): Decoded {
    switch (head) {
      case 0xf4:
        return false;
      case 0xf5:
        return true;
      case 0xf6:
        return null;
      case 0xf9:
        return this.#half();
      case 0xfa:
        return this.#float(4);
      case 0xfb:
        return this.#float(8);
      default:
        throw new MalformedError("simple value that is not data");
    }
  }

  #half(): number {
    const bits = this.#bytes.readUInt16BE(this.#take(2));
    const value = fromHalf(bits);
    if (Number.isNaN(value) && bits !== 0x7e00) throw new MalformedError("NaN with a payload");
    return onlyFloat(value);
  }

  #float(width: 4 | 8): number {
    const pos = this.#take(width);
    const value = width === 4 ? this.#bytes.readFloatBE(pos) : this.#bytes.readDoubleBE(pos);
    const shorter = toHalf(value, new DataView(new ArrayBuffer(8))) !== undefined || (width === 8 && Math.fround(value) === value);
    if (shorter) throw new MalformedError("float not in its shortest form");
    return onlyFloat(value);
  }
}

const negative = (argument: number): number => {
  if (argument === Number.MAX_SAFE_INTEGER) throw new MalformedError("integer beyond 2^53-1");
  return -1 - argument;
};

function onlyFloat(value: number): number {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) throw new MalformedError("integer written as a float");
  return value;
}

function setOwn(map: { [key: string]: Decoded }, key: string, value: Decoded): void {
  if (key === "__proto__") Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  else map[key] = value;
}

function fromHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
