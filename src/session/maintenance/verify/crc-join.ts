const POLYNOMIAL = 0xedb88320;
const TOP = 0x8000_0000;

/** Product of two polynomials over GF(2) modulo that of CRC-32, lowest power in the highest bit. */
function multiply(left: number, right: number): number {
  let product = 0;
  let factor = right;
  for (let mask = TOP; mask !== 0; mask >>>= 1) {
    if ((left & mask) !== 0) product ^= factor;
    factor = (factor & 1) === 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

/** x to the power of 2^n, for n from 0 to 31. */
const SQUARES = ((): readonly number[] => {
  const squares = [TOP >>> 1];
  while (squares.length < 32) {
    const last = squares.at(-1) ?? 0;
    squares.push(multiply(last, last));
  }
  return squares;
})();

/** x to the power of 8 * `bytes`: what appending that many bytes does to a checksum. */
function shiftOf(bytes: number): number {
  let shift = TOP;
  for (let rest = bytes * 8, power = 0; rest > 0; rest = Math.floor(rest / 2), power += 1) {
    if (rest % 2 === 1) shift = multiply(SQUARES[power % 32] ?? 0, shift);
  }
  return shift;
}

/** CRC-32 of two runs of bytes, one behind the other, from the checksums of both. `bytes`: length of the second. */
export const joinCrc = (first: number, second: number, bytes: number): number => (multiply(shiftOf(bytes), first) ^ second) >>> 0;
