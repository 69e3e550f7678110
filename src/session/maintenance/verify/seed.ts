import { initialOf } from "../../bytes/index.js";
import {
  BLOCK_BYTES,
  BLOCK_HEADER_BYTES,
  FILE_HEADER_BYTES,
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  getBlockHeader,
  logicalOf,
} from "../../codec/index.js";
import { getFrame } from "../../codec/index.js";
import type { OpenFile } from "../../log/index.js";

const HEADER_CRC_AT = 28;
/** Blocks that are looked into. */
const MAX_BLOCKS = 16;
/** Headers that must agree: one alone may be a copy that lies in a payload. */
const MIN_VOTES = 2;

/**
 * The seed of a file whose two headers are lost, from frame and block headers that are left: a checksum over known bytes has
 * one initial value. Needs two headers that agree.
 */
export async function recoverSeed(file: OpenFile, size: number): Promise<number | undefined> {
  const votes = new Map<number, number>();
  for (let block = 0; block < MAX_BLOCKS && block * BLOCK_BYTES < size; block += 1) {
    const bytes = Buffer.alloc(BLOCK_BYTES);
    const got = await file.read(bytes, block * BLOCK_BYTES);
    for (const seed of candidates(bytes.subarray(0, got), block)) votes.set(seed, (votes.get(seed) ?? 0) + 1);
  }
  const [best] = [...votes].sort((left, right) => right[1] - left[1]);
  return best !== undefined && best[1] >= MIN_VOTES ? best[0] : undefined;
}

function* candidates(bytes: Buffer, block: number): Generator<number> {
  if (block > 0 && bytes.length >= BLOCK_HEADER_BYTES) {
    const seed = initialOf(bytes, 0, HEADER_CRC_AT, bytes.readUInt32LE(HEADER_CRC_AT));
    if (getBlockHeader(bytes, 0, block, seed) !== undefined) yield seed;
  }
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(FRAME_MAGIC);
  const begin = block === 0 ? FILE_HEADER_BYTES : BLOCK_HEADER_BYTES;
  for (let at = bytes.indexOf(magic, begin); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    if (at + FRAME_HEADER_BYTES > bytes.length) return;
    const offset = logicalOf(block, at);
    const seed = (initialOf(bytes, at, at + HEADER_CRC_AT, bytes.readUInt32LE(at + HEADER_CRC_AT)) ^ (offset % 4_294_967_296)) >>> 0;
    if (getFrame(bytes, at, { offset, seed }) !== undefined) yield seed;
  }
}
