/** A growing run of bytes with little-endian stores. `length` is what is in use; the rest is spare. */
export class ByteRun {
  bytes: Buffer;
  view: DataView;
  length = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
    this.view = viewOf(this.bytes);
  }

  /** Makes room for `count` more bytes and returns where they start. Does not change `length`. */
  reserve(count: number): number {
    const needed = this.length + count;
    if (needed > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
      this.view = viewOf(grown);
    }
    return this.length;
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const HIGH = 4_294_967_296;

/** Stores a whole number up to 2^53-1 as u64. */
export function putU64(view: DataView, pos: number, value: number): void {
  view.setUint32(pos, value >>> 0, true);
  view.setUint32(pos + 4, Math.floor(value / HIGH), true);
}

/** Loads a u64; values above 2^53-1 come back as NaN, which every bounds check refuses. */
export function getU64(view: DataView, pos: number): number {
  const value = view.getUint32(pos + 4, true) * HIGH + view.getUint32(pos, true);
  return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
}
