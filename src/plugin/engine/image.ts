import { PRELUDE } from "./prelude.js";

/**
 * The memory of a guest with the prelude evaluated and no plugin in it. Starting from one skips the engine's own start and the
 * prelude, which is most of the time to a first answer. Made by the build, beside the wasm it belongs to.
 */
export interface EngineImage {
  readonly memory: Uint8Array;
  readonly stackPointer: number;
  readonly runtimePtr: number;
  readonly contextPtr: number;
  /** Of the prelude's dispatcher, in that memory. */
  readonly dispatchToken: number;
}

const MAGIC = 0x534d4547;
const FIELDS = 7;
const WORD_BYTES = 4;
const HEADER_BYTES = FIELDS * WORD_BYTES;

/** Changes with everything an image depends on: the engine's binary and the prelude. FNV-1a; a guard against mix-ups, not against people. */
function identityOf(wasmBytes: number): number {
  let hash = 0x811c9dc5 ^ wasmBytes;
  for (let index = 0; index < PRELUDE.length; index += 1) hash = Math.imul(hash ^ PRELUDE.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** `wasmBytes` is the size of the engine's binary as it is shipped. */
export function encodeImage(image: EngineImage, wasmBytes: number): Uint8Array {
  const { memory, stackPointer, runtimePtr, contextPtr, dispatchToken } = image;
  const bytes = new Uint8Array(HEADER_BYTES + memory.byteLength);
  const view = new DataView(bytes.buffer);
  const header = [MAGIC, identityOf(wasmBytes), memory.byteLength, stackPointer, runtimePtr, contextPtr, dispatchToken];
  for (const [index, word] of header.entries()) view.setUint32(index * WORD_BYTES, word, true);
  bytes.set(memory, HEADER_BYTES);
  return bytes;
}

/** Undefined when the bytes are no image, or one of another engine or prelude: the guest then starts without. Shares the bytes. */
export function decodeImage(bytes: Uint8Array, wasmBytes: number): EngineImage | undefined {
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const word = (index: number): number => view.getUint32(index * WORD_BYTES, true);
  const isFit = word(0) === MAGIC && word(1) === identityOf(wasmBytes) && word(2) === bytes.byteLength - HEADER_BYTES;
  if (!isFit) return undefined;
  return { memory: bytes.subarray(HEADER_BYTES), stackPointer: word(3), runtimePtr: word(4), contextPtr: word(5), dispatchToken: word(6) };
}
