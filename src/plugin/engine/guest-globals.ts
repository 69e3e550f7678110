/**
 * The part of the prelude that shapes the guest's global object: what the engine offers but a plugin must not have is taken
 * away, random numbers come from the seed, UTF-8 coding and a bounded `console` are added. Runs inside the prelude's function.
 */
export const GUEST_GLOBALS = String.raw`
const define = (name, value) =>
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

delete globalThis.SharedArrayBuffer;

// Mulberry32 from the seed of the load delivery: an image of this memory must not fix everybody's random numbers.
const { imul } = Math;
Object.defineProperty(Math, "random", {
  value: function random() {
    randomState = (randomState + 0x6d2b79f5) >>> 0;
    let mixed = imul(randomState ^ (randomState >>> 15), randomState | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  },
  writable: true,
  configurable: true,
  enumerable: false,
});
// The host reads these names of an error it did not expect; nobody may put code behind them.
freeze(InternalError.prototype);

const encode = (text) => {
  const bytes = new Uint8Array(text.length * 3);
  let end = 0;
  for (let index = 0; index < text.length; index += 1) {
    let code = text.codePointAt(index);
    if (code > 0xffff) index += 1;
    else if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) {
      bytes[end++] = code;
    } else if (code < 0x800) {
      bytes[end++] = 0xc0 | (code >> 6);
      bytes[end++] = 0x80 | (code & 63);
    } else if (code < 0x10000) {
      bytes[end++] = 0xe0 | (code >> 12);
      bytes[end++] = 0x80 | ((code >> 6) & 63);
      bytes[end++] = 0x80 | (code & 63);
    } else {
      bytes[end++] = 0xf0 | (code >> 18);
      bytes[end++] = 0x80 | ((code >> 12) & 63);
      bytes[end++] = 0x80 | ((code >> 6) & 63);
      bytes[end++] = 0x80 | (code & 63);
    }
  }
  return bytes.slice(0, end);
};

// [length, smallest and largest second byte] of a sequence by its first byte; undefined for a byte that starts none.
const sequence = (byte) => {
  if (byte >= 0xc2 && byte <= 0xdf) return [2, 0x80, 0xbf];
  if (byte >= 0xe0 && byte <= 0xef) return [3, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf];
  if (byte >= 0xf0 && byte <= 0xf4) return [4, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf];
  return undefined;
};
const decode = (bytes, isFatal) => {
  const parts = [];
  let index = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (index < bytes.length) {
    const first = bytes[index];
    index += 1;
    if (first < 0x80) {
      parts.push(String.fromCharCode(first));
      continue;
    }
    const shape = sequence(first);
    let code = shape === undefined ? 0 : first & (0xff >> (shape[0] + 1));
    let left = shape === undefined ? -1 : shape[0] - 1;
    while (left > 0 && index < bytes.length) {
      const isSecond = left === shape[0] - 1;
      if (bytes[index] < (isSecond ? shape[1] : 0x80) || bytes[index] > (isSecond ? shape[2] : 0xbf)) break;
      code = (code << 6) | (bytes[index] & 63);
      index += 1;
      left -= 1;
    }
    if (left !== 0 && isFatal) throw new TypeError("invalid UTF-8");
    parts.push(left === 0 ? String.fromCodePoint(code) : "\ufffd");
  }
  return parts.join("");
};

define("TextEncoder", class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    return encode(String(text));
  }
});
define("TextDecoder", class TextDecoder {
  #isFatal;
  constructor(label = "utf-8", options = {}) {
    if (!/^utf-?8$/i.test(label)) throw new RangeError("only utf-8 can be decoded here");
    this.#isFatal = options.fatal === true;
  }
  get encoding() {
    return "utf-8";
  }
  decode(input = new Uint8Array()) {
    const bytes = input instanceof ArrayBuffer ? new Uint8Array(input) : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    return decode(bytes, this.#isFatal);
  }
});

const shown = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof GuestError) return words(value.stack ? value + "\n" + value.stack : value, config.maxLogUnits);
  try {
    return typeof value === "object" && value !== null ? stringify(value) : words(value, config.maxLogUnits);
  } catch {
    return "(unprintable)";
  }
};
const log = (level) => (...values) => {
  let line = "";
  for (const value of values) {
    if (line.length > config.maxLogUnits) break;
    line += (line === "" ? "" : " ") + shown(value);
  }
  post(P.log, level, 0, "", slice(line, 0, config.maxLogUnits));
};
define("console", freeze({ debug: log(0), log: log(1), info: log(1), warn: log(2), error: log(3) }));
`;
