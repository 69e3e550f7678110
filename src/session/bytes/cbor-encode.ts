import { invariant } from "../../base/index.js";
import { ByteRun } from "./byte-run.js";
import type { CborFields, CborValue } from "./cbor.js";
import { BoundError, MAX_DEPTH, MAX_ITEMS, MAX_VALUE_BYTES, ORDERED_TAG } from "./cbor.js";

const UINT = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;
const TAG = 6;
const HIGH = 4_294_967_296;
const SHORT_TEXT = 24;

/**
 * Canonical CBOR (RFC 8949 core deterministic) into a reusable run: shortest heads and floats, no indefinite lengths.
 * Maps are sorted bytewise; an object in any other order is written under {@link ORDERED_TAG}. Lone surrogates become
 * U+FFFD, `undefined` properties are left out. Throws {@link BoundError} beyond depth 128, 1e6 items or 96 MiB.
 */
export class CborEncoder {
  readonly run = new ByteRun(4096);
  readonly #floats = new DataView(new ArrayBuffer(8));
  #items = 0;

  /** Appends one value; returns where it starts. It ends at `run.length`. */
  encode(value: CborValue): number {
    const start = this.run.length;
    this.#items = 0;
    this.#value(value, 0);
    return start;
  }

  /** Appends a map of our own making: keys must be given in canonical order (shorter first, then bytewise). */
  encodeFields(fields: CborFields): number {
    const start = this.run.length;
    const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
    this.#items = 1 + keys.length;
    this.#head(MAP, keys.length);
    let last: string | undefined;
    for (const key of keys) {
      // Said only when it fails: this runs for every value of every entry.
      if (last !== undefined && !isBefore(last, key)) invariant(false, `field ${key} is out of canonical order`);
      this.#text(key);
      this.#value(fields[key] ?? null, 1);
      last = key;
    }
    return start;
  }

  #value(value: CborValue, depth: number): void {
    this.#items += 1;
    if (this.#items > MAX_ITEMS) throw new BoundError(`a structured value has more than ${MAX_ITEMS} items`);
    if (typeof value === "string") this.#text(value);
    else if (typeof value === "number") this.#number(value);
    else if (value === null) this.#byte(0xf6);
    else if (typeof value === "boolean") this.#byte(value ? 0xf5 : 0xf4);
    else if (typeof value === "object") this.#composite(value, depth);
    else throw new BoundError(`a structured value holds a ${typeof value}, which is not data`);
  }

  #composite(value: Exclude<CborValue, string | number | boolean | null>, depth: number): void {
    if (value instanceof Uint8Array) {
      this.#head(BYTES, value.length);
      const pos = this.#reserve(value.length);
      this.run.bytes.set(value, pos);
      this.run.length += value.length;
      return;
    }
    if (depth >= MAX_DEPTH) throw new BoundError(`a structured value is nested deeper than ${MAX_DEPTH} levels`);
    if (isArray(value)) {
      this.#head(ARRAY, value.length);
      for (const item of value) this.#value(item, depth + 1);
    } else {
      this.#object(value, depth);
    }
  }

  #object(value: CborFields, depth: number): void {
    const keys: string[] = [];
    let canonical = true;
    let wellFormed = true;
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      canonical &&= keys.length === 0 || isBefore(keys[keys.length - 1] ?? "", key);
      wellFormed &&= isPlain(key) || isWellFormed(key);
      keys.push(key);
    }
    if (!wellFormed) {
      this.#object(repairKeys(value, keys), depth);
      return;
    }
    if (canonical) {
      this.#head(MAP, keys.length);
    } else {
      this.#head(TAG, ORDERED_TAG);
      this.#head(ARRAY, keys.length * 2);
    }
    this.#items += keys.length;
    for (const key of keys) {
      this.#text(key);
      this.#value(value[key] ?? null, depth + 1);
    }
  }

  #number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      if (value >= 0) this.#head(UINT, value);
      else this.#head(NEGATIVE, -1 - value);
      return;
    }
    const pos = this.#reserve(9);
    const { view } = this.run;
    const half = toHalf(value, this.#floats);
    if (half !== undefined) {
      view.setUint8(pos, 0xf9);
      view.setUint16(pos + 1, half);
      this.run.length += 3;
    } else if (Math.fround(value) === value) {
      view.setUint8(pos, 0xfa);
      view.setFloat32(pos + 1, value);
      this.run.length += 5;
    } else {
      view.setUint8(pos, 0xfb);
      view.setFloat64(pos + 1, value);
      this.run.length += 9;
    }
  }

  #text(text: string): void {
    if (text.length < SHORT_TEXT && this.#shortAscii(text)) return;
    if (text.length > MAX_VALUE_BYTES) throw new BoundError(`a string has more than ${MAX_VALUE_BYTES} bytes`);
    const headBytes = headSize(text.length);
    const pos = this.#reserve(text.length * 3 + 9);
    const written = this.run.bytes.write(text, pos + headBytes, "utf8");
    const needed = headSize(written);
    if (needed !== headBytes) this.run.bytes.copyWithin(pos + needed, pos + headBytes, pos + headBytes + written);
    this.#head(TEXT, written);
    this.run.length += written;
  }

  #shortAscii(text: string): boolean {
    const pos = this.#reserve(text.length + 1);
    const { bytes } = this.run;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      bytes[pos + 1 + index] = code;
    }
    bytes[pos] = (TEXT << 5) | text.length;
    this.run.length += text.length + 1;
    return true;
  }

  #byte(byte: number): void {
    const pos = this.run.reserve(1);
    this.run.bytes[pos] = byte;
    this.run.length += 1;
  }

  #head(major: number, value: number): void {
    const pos = this.run.reserve(9);
    const { bytes, view } = this.run;
    const top = major << 5;
    if (value < 24) {
      bytes[pos] = top | value;
      this.run.length += 1;
    } else if (value < 0x100) {
      bytes[pos] = top | 24;
      bytes[pos + 1] = value;
      this.run.length += 2;
    } else if (value < 0x10000) {
      bytes[pos] = top | 25;
      view.setUint16(pos + 1, value);
      this.run.length += 3;
    } else if (value < HIGH) {
      bytes[pos] = top | 26;
      view.setUint32(pos + 1, value);
      this.run.length += 5;
    } else {
      bytes[pos] = top | 27;
      view.setUint32(pos + 1, Math.floor(value / HIGH));
      view.setUint32(pos + 5, value >>> 0);
      this.run.length += 9;
    }
  }

  #reserve(count: number): number {
    if (this.run.length + count > MAX_VALUE_BYTES * 4) throw new BoundError(`structured values need more than ${MAX_VALUE_BYTES} bytes`);
    return this.run.reserve(count);
  }
}

const isArray = (value: readonly CborValue[] | CborFields): value is readonly CborValue[] => Array.isArray(value);

function headSize(value: number): number {
  if (value < 24) return 1;
  if (value < 0x100) return 2;
  return value < 0x10000 ? 3 : 5;
}

const isPlain = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= 0xd800) return false;
  return true;
};

const LONE_SURROGATE = /\p{Surrogate}/u;
const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);
const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** Keys that become equal once repaired collapse: the last one wins, as with duplicate keys of JSON. */
function repairKeys(value: CborFields, keys: readonly string[]): CborFields {
  return Object.fromEntries(keys.map((key) => [toWellFormed(key), value[key]]));
}

/** Bytewise order of the encoded keys: shorter UTF-8 first, then by bytes. Equal keys are not before each other. */
export function isBefore(left: string, right: string): boolean {
  if (isAscii(left) && isAscii(right)) return left.length === right.length ? left < right : left.length < right.length;
  const a = Buffer.from(left, "utf8");
  const b = Buffer.from(right, "utf8");
  return a.length === b.length ? Buffer.compare(a, b) < 0 : a.length < b.length;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

const HALF_NAN = 0x7e00;

/** The binary16 bits of `value`, when it fits without loss. NaN has the one form 0x7e00. */
export function toHalf(value: number, scratch: DataView): number | undefined {
  if (Number.isNaN(value)) return HALF_NAN;
  if (Math.fround(value) !== value) return undefined;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7f_ffff;
  if (exponent === 0xff) return sign | 0x7c00;
  if (exponent === 0) return fraction === 0 ? sign : undefined;
  const power = exponent - 127;
  if (power > 15 || power < -24) return undefined;
  if (power >= -14) return (fraction & 0x1fff) === 0 ? sign | ((power + 15) << 10) | (fraction >>> 13) : undefined;
  const shift = -1 - power;
  const significand = fraction | 0x80_0000;
  return (significand & ((1 << shift) - 1)) === 0 ? sign | (significand >>> shift) : undefined;
}
