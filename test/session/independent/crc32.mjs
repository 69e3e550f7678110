/** CRC-32/ISO-HDLC, reflected, by table. `init` is zlib's second argument: the sum of the bytes before. */
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function crc32(bytes, init = 0) {
  let sum = ~init >>> 0;
  for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff];
  return ~sum >>> 0;
}

/** The sum of the bytes before, by which `bytes` get the sum `sum`: every byte taken back, last one first. */
export function initOf(bytes, sum) {
  let state = ~sum >>> 0;
  for (let at = bytes.length - 1; at >= 0; at--) {
    const index = TABLE.findIndex((value) => value >>> 24 === state >>> 24);
    state = (((state ^ TABLE[index]) << 8) | (index ^ bytes[at])) >>> 0;
  }
  return ~state >>> 0;
}
