/**
 * Addressing of format v1: the file is cut into blocks, each of which starts with a header; the rest of all blocks,
 * concatenated, is the logical stream that frames live in. Everything here maps between the two. All values are bytes.
 */
export const BLOCK_BYTES = 65_536;
export const FILE_HEADER_BYTES = 256;
export const BLOCK_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 32;
export const PRELUDE_BYTES = 64;
/** Where the prelude of a COMMIT names the selected leaf. */
export const PRELUDE_LEAF_AT = 48;
export const RECORD_BYTES = 96;
export const DESCRIPTOR_BYTES = 32;

/** Bounds of the format; the writer refuses more, the reader calls more damage. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
export const MAX_RECORDS = 4096;
export const MAX_DESCRIPTORS = 16_384;
export const MAX_INLINE_BYTES = 3 * 1024 * 1024;
/** A payload above this is stored as BLOB frames of this many raw bytes each. */
export const CHUNK_BYTES = 65_536;
/** Raw bytes of one payload, and of all payloads of one commit. */
export const MAX_RAW_BYTES = 96 * 1024 * 1024;

const FIRST_CAPACITY = BLOCK_BYTES - FILE_HEADER_BYTES;
const CAPACITY = BLOCK_BYTES - BLOCK_HEADER_BYTES;

/** Block that holds logical offset `logical`. */
export const blockOf = (logical: number): number => (logical < FIRST_CAPACITY ? 0 : 1 + Math.floor((logical - FIRST_CAPACITY) / CAPACITY));

/** Logical offset of the first stream byte of a block. */
export const blockStart = (block: number): number => (block === 0 ? 0 : FIRST_CAPACITY + (block - 1) * CAPACITY);

/** File offset of the stream byte at `logical`. */
export const physicalOf = (logical: number): number =>
  logical < FIRST_CAPACITY ? FILE_HEADER_BYTES + logical : logical + FILE_HEADER_BYTES + BLOCK_HEADER_BYTES * blockOf(logical);

/** Where a write (or a truncation) to `logical` begins: before the block header when the offset starts a block. */
export function cutAt(logical: number): number {
  const block = blockOf(logical);
  return block > 0 && blockStart(block) === logical ? block * BLOCK_BYTES : physicalOf(logical);
}

/** Logical length of a file of `size` bytes. */
export function logicalSize(size: number): number {
  const block = Math.floor(size / BLOCK_BYTES);
  const header = block === 0 ? FILE_HEADER_BYTES : BLOCK_HEADER_BYTES;
  return blockStart(block) + Math.max(0, (size % BLOCK_BYTES) - header);
}

/** Logical offset of byte `offset` inside `block`; the offset is at or after the block's header. */
export const logicalOf = (block: number, offset: number): number =>
  blockStart(block) + offset - (block === 0 ? FILE_HEADER_BYTES : BLOCK_HEADER_BYTES);
