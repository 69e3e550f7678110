/**
 * Reads canonical CBOR of section 6 of the format document and nothing else. Maps become objects, byte strings become
 * Uint8Array. Throws at the first rule broken.
 */
import { TextDecoder } from "node:util";

const ORDERED = 21325;
const MAX_DEPTH = 128;
const MAX_ITEMS = 1_000_000;

const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readCbor(bytes) {
  const reader = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0, items: 0 };
  const value = readValue(reader, 1);
  if (reader.at !== bytes.length) throw new Error("CBOR: bytes behind the value");
  return value;
}

function readHead(reader) {
  const { view } = reader;
  const need = (count) => {
    if (reader.at + count > view.byteLength) throw new Error("CBOR: input ends early");
    reader.at += count;
    return reader.at - count;
  };
  const first = view.getUint8(need(1));
  const major = first >>> 5;
  const info = first & 31;
  if (info < 24) return { major, info, number: info };
  if (info === 24) return { major, info, number: view.getUint8(need(1)) };
  if (info === 25) return { major, info, number: view.getUint16(need(2)) };
  if (info === 26) return { major, info, number: view.getUint32(need(4)) };
  if (info === 27) {
    const at = need(8);
    return { major, info, number: view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4) };
  }
  throw new Error("CBOR: indefinite or reserved length");
}

function checkShortest({ info, number }) {
  const least = number < 24 ? number : number < 0x100 ? 24 : number < 0x10000 ? 25 : number < 2 ** 32 ? 26 : 27;
  if (info !== least) throw new Error("CBOR: head is not the shortest");
  if (number > Number.MAX_SAFE_INTEGER) throw new Error("CBOR: number beyond 2^53-1");
}

function readValue(reader, depth) {
  if (++reader.items > MAX_ITEMS) throw new Error("CBOR: too many items");
  const start = reader.at;
  const head = readHead(reader);
  if (head.major === 7) return readSimple(reader, head, start);
  checkShortest(head);
  const { number } = head;
  switch (head.major) {
    case 0:
      return number;
    case 1:
      if (number + 1 > Number.MAX_SAFE_INTEGER) throw new Error("CBOR: number beyond -(2^53-1)");
      return -1 - number;
    case 2:
      return take(reader, number).slice();
    case 3:
      return text.decode(take(reader, number));
    case 4:
      return readList(reader, number, depth);
    case 5:
      return readMap(reader, number, depth);
    default:
      if (number !== ORDERED) throw new Error(`CBOR: tag ${number}`);
      return readOrderedMap(reader, depth);
  }
}

function take(reader, count) {
  if (count > reader.bytes.length - reader.at) throw new Error("CBOR: input ends early");
  reader.at += count;
  return reader.bytes.subarray(reader.at - count, reader.at);
}

function checkDepth(depth) {
  if (depth > MAX_DEPTH) throw new Error("CBOR: nested too deep");
}

function readList(reader, count, depth) {
  checkDepth(depth);
  // Every item takes a byte at least, so a wrong count cannot ask for more than the input has.
  if (count > reader.bytes.length - reader.at) throw new Error("CBOR: input ends early");
  const list = [];
  for (let index = 0; index < count; index++) list.push(readValue(reader, depth + 1));
  return list;
}

function put(object, key, value) {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function readKey(reader) {
  if (++reader.items > MAX_ITEMS) throw new Error("CBOR: too many items");
  const start = reader.at;
  const head = readHead(reader);
  checkShortest(head);
  if (head.major !== 3) throw new Error("CBOR: key is not a text");
  const key = text.decode(take(reader, head.number));
  return { key, encoded: reader.bytes.subarray(start, reader.at) };
}

function readMap(reader, count, depth) {
  checkDepth(depth);
  const object = {};
  let last;
  for (let index = 0; index < count; index++) {
    const { key, encoded } = readKey(reader);
    if (last !== undefined && Buffer.compare(last, encoded) >= 0) throw new Error("CBOR: keys are not in canonical order");
    last = encoded;
    put(object, key, readValue(reader, depth + 1));
  }
  return object;
}

function readOrderedMap(reader, depth) {
  checkDepth(depth);
  const head = readHead(reader);
  checkShortest(head);
  if (head.major !== 4 || head.number % 2 !== 0) throw new Error("CBOR: the tag is not over pairs");
  const object = {};
  let last;
  let isSorted = true;
  for (let index = 0; index < head.number; index += 2) {
    const { key, encoded } = readKey(reader);
    if (Object.hasOwn(object, key)) throw new Error("CBOR: key twice");
    if (last !== undefined && Buffer.compare(last, encoded) >= 0) isSorted = false;
    last = encoded;
    put(object, key, readValue(reader, depth + 1));
  }
  if (isSorted) throw new Error("CBOR: the tag over keys in canonical order");
  return object;
}

function readSimple(reader, { info, number }, start) {
  if (info === 20) return false;
  if (info === 21) return true;
  if (info === 22) return null;
  const { view } = reader;
  if (info === 25) return checkFloat(halfOf(number), info);
  if (info === 26) return checkFloat(view.getFloat32(start + 1), info);
  if (info === 27) return checkFloat(view.getFloat64(start + 1), info);
  throw new Error(`CBOR: simple value ${number}`);

  function checkFloat(value, width) {
    if (Number.isNaN(value)) {
      if (width !== 25 || number !== 0x7e00) throw new Error("CBOR: NaN in another form");
      return value;
    }
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) throw new Error("CBOR: integer as float");
    if (width > 25 && isHalf(value)) throw new Error("CBOR: float is not the shortest");
    if (width === 27 && Object.is(Math.fround(value), value)) throw new Error("CBOR: float is not the shortest");
    return value;
  }
}

function halfOf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Whether the value is one of binary16: a multiple of its exponent's step, within reach. */
function isHalf(value) {
  if (!Number.isFinite(value) || value === 0) return true;
  const size = Math.abs(value);
  if (size > 65504) return false;
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  // log2 may round up to the next whole number; one step further down is then still exact.
  const step = 2 ** (exponent - 10);
  return Number.isInteger(size / step) && size / step < 2048;
}
