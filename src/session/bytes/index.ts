/**
 * bytes: byte-level encodings with fixed rules: growable runs, CRC-32, canonical CBOR, LZ4 blocks.
 * Promises: the same input gives the same bytes on every platform; decoders are bounded and strict.
 * Must never know: frames, records, files. Read first: cbor.ts.
 */
export { ByteRun, getU64, putU64, viewOf } from "./byte-run.js";
export { BoundError, type CborFields, type CborValue, MAX_DEPTH } from "./cbor.js";
export { asJson, decodeCbor, type Decoded, type DecodedMap, isDecodedMap, MalformedError } from "./cbor-decode.js";
export { CborEncoder } from "./cbor-encode.js";
export { crc32, crc32Sliced } from "./crc32.js";
export { initialOf } from "./crc32-backwards.js";
export { createLz4Encoder, decodeLz4 } from "./lz4.js";
export { CODEC, unpack } from "./unpack.js";
