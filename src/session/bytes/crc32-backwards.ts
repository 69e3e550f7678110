const POLYNOMIAL = 0xedb88320;

/** Entries of the CRC-32 table by their highest byte, each of which occurs once. */
const BY_HIGH = ((): readonly (readonly [index: number, entry: number])[] => {
  const found: (readonly [number, number])[] = Array.from({ length: 256 }, () => [0, 0]);
  for (let index = 0; index < 256; index += 1) {
    let entry = index;
    for (let bit = 0; bit < 8; bit += 1) entry = (entry & 1) === 1 ? (entry >>> 1) ^ POLYNOMIAL : entry >>> 1;
    found[entry >>> 24] = [index, entry];
  }
  return found;
})();

/** The initial value with which the CRC-32 of `bytes[start, end)` is `crc`: the checksum run backwards. */
export function initialOf(bytes: Buffer, start: number, end: number, crc: number): number {
  let state = ~crc >>> 0;
  for (let pos = end - 1; pos >= start; pos -= 1) {
    const [index, entry] = BY_HIGH[state >>> 24] ?? [0, 0];
    state = (((state ^ entry) << 8) | (index ^ (bytes[pos] ?? 0))) >>> 0;
  }
  return ~state >>> 0;
}
