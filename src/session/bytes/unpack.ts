import { decodeLz4 } from "./lz4.js";

/** How stored bytes relate to raw bytes. Deflate is decoded only, for files of other writers. */
export const CODEC = { none: 0, lz4: 1, deflate: 2 } as const;

/**
 * Undoes a payload codec. `undefined` unless the result has exactly `rawBytes`, which were checked against the bounds before.
 * `into` takes what is decompressed, when it is long enough; the result is then a part of it.
 */
export function unpack(stored: Buffer, codec: number, rawBytes: number, into?: Buffer): Buffer | undefined {
  switch (codec) {
    case CODEC.none:
      return stored.length === rawBytes ? stored : undefined;
    case CODEC.lz4:
      return decodeLz4(stored, rawBytes, into !== undefined && into.length >= rawBytes ? into : undefined);
    case CODEC.deflate:
      return inflate(stored, rawBytes);
    default:
      return undefined;
  }
}

function inflate(stored: Buffer, rawBytes: number): Buffer | undefined {
  try {
    // Other writers are rare, and loading it is not free.
    const raw = process.getBuiltinModule("node:zlib").inflateRawSync(stored, { maxOutputLength: Math.max(rawBytes, 1) });
    return raw.length === rawBytes ? raw : undefined;
  } catch {
    return undefined;
  }
}
