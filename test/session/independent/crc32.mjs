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
