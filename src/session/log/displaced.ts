import { crc32, initialOf } from "../bytes/index.js";
import type { BlockHeader, Frame } from "../codec/index.js";
import {
  BLOCK_BYTES,
  BLOCK_HEADER_BYTES,
  BLOCK_MAGIC,
  FRAME,
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  getBlockHeader,
  getFrame,
  physicalOf,
} from "../codec/index.js";
import type { ByteSource } from "./byte-source.js";
import type { LogicalFile } from "./logical-file.js";
import { readTable } from "./walk.js";

const HEADER_CRC_AT = 28;
const U32 = 4_294_967_296;
const FRAME_MARK = markOf(FRAME_MAGIC);
const BLOCK_MARK = markOf(BLOCK_MAGIC);
/** How much of a file may be missing before a frame that is taken for one of its own: another file's would lie anywhere in 4 GiB. */
const MAX_MISSING = 16 * 1024 * 1024;

/** A header of this file where it was found. It belongs `shift` bytes before that. */
export interface Anchor {
  /** Bytes of the file. */
  readonly at: number;
  readonly shift: number;
  /** Of a frame, as it is at its own place. */
  readonly frame: Frame | undefined;
  /** Of a block, by its own index. */
  readonly block: BlockHeader | undefined;
}

/** Where to search, in bytes of the file, and the logical offset before which nothing that is found there can belong. */
export interface SearchSpan {
  readonly from: number;
  readonly to: number;
  readonly least: number;
}

/**
 * Headers of frames and blocks in `span`, in order, wherever they lie. A frame's place is solved from its checksum, over known
 * bytes and with the known seed of the file; what belongs before `least` is a copy in a payload. The checksum of a frame is used
 * up by that: only a body that is sound proves anything.
 */
export async function* displacedAnchors(source: ByteSource, seed: number, span: SearchSpan): AsyncGenerator<Anchor, void, undefined> {
  const storage = Buffer.allocUnsafe(BLOCK_BYTES + FRAME_HEADER_BYTES - 1);
  for (let start = span.from; start < span.to; start += BLOCK_BYTES) {
    // Each window reaches a header's length into the next one, so that no header is cut in two.
    const got = await source.read(storage.subarray(0, Math.min(storage.length, span.to - start)), start);
    yield* anchorsIn(storage.subarray(0, got), start, { seed, least: span.least, most: span.to + MAX_MISSING });
  }
}

interface Known {
  readonly seed: number;
  readonly least: number;
  readonly most: number;
}

function* anchorsIn(bytes: Buffer, start: number, known: Known): Generator<Anchor> {
  for (let at = bytes.indexOf("Sm", 0, "latin1"); at !== -1; at = bytes.indexOf("Sm", at + 1, "latin1")) {
    if (at >= BLOCK_BYTES) return;
    const mark = bytes.subarray(at, at + 4);
    const found = mark.equals(FRAME_MARK) ? frameAt(bytes, at, known) : mark.equals(BLOCK_MARK) ? blockAt(bytes, at, known) : undefined;
    if (found === undefined) continue;
    const place = "end" in found ? physicalOf(found.offset) : found.block * BLOCK_BYTES;
    const of = "end" in found ? { frame: found, block: undefined } : { frame: undefined, block: found };
    yield { at: start + at, shift: start + at - place, ...of };
  }
}

function frameAt(bytes: Buffer, at: number, { seed, least, most }: Known): Frame | undefined {
  if (at + FRAME_HEADER_BYTES > bytes.length) return undefined;
  const low = (initialOf(bytes, at, at + HEADER_CRC_AT, bytes.readUInt32LE(at + HEADER_CRC_AT)) ^ seed) >>> 0;
  const offset = least + ((((low - least) % U32) + U32) % U32);
  return offset > most ? undefined : getFrame(bytes, at, { offset, seed });
}

function blockAt(bytes: Buffer, at: number, { seed }: Known): BlockHeader | undefined {
  if (at + BLOCK_HEADER_BYTES > bytes.length) return undefined;
  const block = bytes.readUInt32LE(at + 4);
  return block === 0 ? undefined : getBlockHeader(bytes, at, block, seed);
}

/** Whether the body of `frame` is what its header says; of a COMMIT its table. `file` has it at its own place. */
export async function hasSoundBody(file: LogicalFile, frame: Frame): Promise<boolean> {
  if (frame.type === FRAME.commit) return (await readTable(file, frame)) !== undefined;
  const body = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
  return body !== undefined && crc32(body, 0, body.length) === frame.tableCrc;
}

function markOf(magic: number): Buffer {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(magic);
  return mark;
}
