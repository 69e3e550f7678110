/** CRC-32/ISO-HDLC (zlib's) of `bytes[start, end)`, continued from `seed`. */
export type Crc32 = (bytes: Uint8Array, start: number, end: number, seed?: number) => number;

const POLYNOMIAL = 0xedb88320;
const LANES = 8;
/** Below this many bytes the call into zlib costs more than it saves (design study, section 6). */
const NATIVE_FROM_BYTES = 384;
/** Loading zlib costs as much as this many bytes do without it; a short run writes fewer. */
const ZLIB_FROM_BYTES = 128 * 1024;

function buildTable(): Int32Array {
  const table = new Int32Array(256 * LANES);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  for (let index = 256; index < table.length; index += 1) {
    const previous = table[index - 256] ?? 0;
    table[index] = (previous >>> 8) ^ (table[previous & 0xff] ?? 0);
  }
  return table;
}

const TABLE = buildTable();
/** Little-endian word at `pos`; what is beyond the end counts as 0. */
const word = (bytes: Uint8Array, pos: number): number =>
  (bytes[pos] ?? 0) | ((bytes[pos + 1] ?? 0) << 8) | ((bytes[pos + 2] ?? 0) << 16) | ((bytes[pos + 3] ?? 0) << 24);
/** The table has 8 lanes of 256; every index below is inside it. */
const at = (index: number): number => TABLE[index] ?? 0;

/** Slicing-by-8 in JavaScript: the fast way for short spans, and the only one where zlib has no `crc32`. */
export const crc32Sliced: Crc32 = (bytes, start, end, seed = 0) => {
  let crc = ~seed;
  let pos = start;
  for (; pos + LANES <= end; pos += LANES) {
    const low = crc ^ word(bytes, pos);
    const high = word(bytes, pos + 4);
    crc =
      at(0x700 | (low & 0xff)) ^
      at(0x600 | ((low >>> 8) & 0xff)) ^
      at(0x500 | ((low >>> 16) & 0xff)) ^
      at(0x400 | (low >>> 24)) ^
      at(0x300 | (high & 0xff)) ^
      at(0x200 | ((high >>> 8) & 0xff)) ^
      at(0x100 | ((high >>> 16) & 0xff)) ^
      at(high >>> 24);
  }
  for (; pos < end; pos += 1) crc = (crc >>> 8) ^ at((crc ^ (bytes[pos] ?? 0)) & 0xff);
  return ~crc >>> 0;
};

export const crc32: Crc32 = createCrc32();

/** Sums are the same whoever makes them; which one does depends on how much there was to do. */
function createCrc32(): Crc32 {
  let left = ZLIB_FROM_BYTES;
  let native: ((data: Uint8Array, value: number) => number) | undefined;
  return (bytes, start, end, seed = 0) => {
    if (end - start < NATIVE_FROM_BYTES) return crc32Sliced(bytes, start, end, seed);
    if (left > 0) {
      left -= end - start;
      if (left <= 0) native = nativeCrc32();
    }
    if (native === undefined) return crc32Sliced(bytes, start, end, seed);
    return native(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), seed);
  };
}

/** Absent in older versions of Node. */
function nativeCrc32(): ((data: Uint8Array, value: number) => number) | undefined {
  const zlib = process.getBuiltinModule("node:zlib");
  return "crc32" in zlib ? zlib.crc32 : undefined;
}
