/**
 * A module of the program's own, compiled by the build. A guest that starts with it does without the engine's parser: of that, being
 * compiled itself when it is first reached costs more than what it reads.
 */
const MAGIC = 0x534d4243;
const WORD_BYTES = 4;
const HEADER_BYTES = 2 * WORD_BYTES;

/** `wasmBytes` is the size of the engine's binary as it is shipped: bytecode is for one engine. */
export function encodeCompiled(bytecode: Uint8Array, wasmBytes: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + bytecode.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(WORD_BYTES, wasmBytes, true);
  bytes.set(bytecode, HEADER_BYTES);
  return bytes;
}

/** Undefined when the bytes are no such module, or one for another engine: its source is compiled then. Shares the bytes. */
export function decodeCompiled(bytes: Uint8Array, wasmBytes: number): Uint8Array | undefined {
  if (bytes.byteLength <= HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const isFit = view.getUint32(0, true) === MAGIC && view.getUint32(WORD_BYTES, true) === wasmBytes;
  return isFit ? bytes.subarray(HEADER_BYTES) : undefined;
}
