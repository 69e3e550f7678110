/** Sections 1 to 4 of the format document: blocks, the file header, block headers and the header of a frame. */
import { crc32 } from "./crc32.mjs";

export const BLOCK = 65_536;
export const FILE_HEADER = 256;
export const BLOCK_HEADER = 32;
export const FRAME_HEADER = 32;
export const MAX_BODY = 4 * 1024 * 1024;
const CAP0 = BLOCK - FILE_HEADER;
const CAP = BLOCK - BLOCK_HEADER;
const MAGIC = [0x89, 0x53, 0x4d, 0x53, 0x0d, 0x0a, 0x1a, 0x0a];
const MARK = [0x53, 0x6d, 0x46, 0x01];

export const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const startsWith = (bytes, expected) => expected.every((byte, index) => bytes[index] === byte);

export function u64(view, at) {
  const value = view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** An id in hyphenated form, undefined for none. */
export function idAt(bytes, at) {
  const hex = Buffer.from(bytes.subarray(at, at + 16)).toString("hex");
  if (/^0+$/u.test(hex)) return undefined;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const blockOf = (offset) => (offset < CAP0 ? 0 : 1 + Math.floor((offset - CAP0) / CAP));
export const blockStart = (index) => (index === 0 ? 0 : CAP0 + (index - 1) * CAP);
export const physicalOf = (offset) => offset + FILE_HEADER + BLOCK_HEADER * blockOf(offset);

/** Everything between the block headers, in one piece. */
export function logicalStream(file) {
  const parts = [];
  for (let at = 0; at < file.length; at += BLOCK)
    parts.push(file.subarray(Math.min(file.length, at + (at === 0 ? FILE_HEADER : BLOCK_HEADER)), Math.min(file.length, at + BLOCK)));
  return Buffer.concat(parts);
}

/** The first copy that holds, or the reason why the file is no session that this reader knows. */
export function readFileHeader(file) {
  if (file.length < FILE_HEADER) return { refused: "shorter than a file header" };
  for (const copy of [file.subarray(0, 128), file.subarray(128, 256)]) {
    const view = viewOf(copy);
    if (!startsWith(copy, MAGIC) || crc32(copy.subarray(0, 124)) !== view.getUint32(124, true)) continue;
    const major = view.getUint16(8, true);
    if (major !== 1) return { refused: `major version ${major}` };
    if (view.getUint32(12, true) !== FILE_HEADER || copy[88] !== 16) return { refused: "another geometry" };
    return {
      version: { major, minor: view.getUint16(10, true) },
      session: idAt(copy, 16),
      created: u64(view, 32),
      generation: Buffer.from(copy.subarray(40, 56)).toString("hex"),
      seed: view.getUint32(40, true),
      epoch: view.getUint32(56, true),
      incompatible: view.getUint32(60, true),
      source: idAt(copy, 64),
      forkPoint: u64(view, 80),
    };
  }
  return { refused: "no copy of the file header holds" };
}

/** The header of block `index` (not 0), undefined when it does not hold. */
export function readBlockHeader(file, seed, index) {
  return readBlockHeaderOf(file.subarray(index * BLOCK, index * BLOCK + BLOCK_HEADER), seed, index);
}

export function readBlockHeaderOf(bytes, seed, index) {
  if (bytes.length < BLOCK_HEADER) return undefined;
  const view = viewOf(bytes);
  if (!startsWith(bytes, [0x53, 0x6d, 0x42, 0x6b]) || view.getUint32(28, true) !== crc32(bytes.subarray(0, 28), seed)) return undefined;
  const inProgress = u64(view, 8);
  const first = view.getUint32(16, true);
  const lastCommit = u64(view, 20);
  if (view.getUint32(4, true) !== index || inProgress === undefined || lastCommit === undefined || first >= BLOCK) return undefined;
  return { inProgress, lastCommit, firstFrame: first === 0 ? undefined : blockStart(index) + first - BLOCK_HEADER };
}

/**
 * The frame header at an offset of `stream`, undefined when it does not hold. The body may still reach beyond the stream. `place`
 * is its logical offset where the stream does not begin with the file.
 */
export function readFrameHeader(stream, seed, offset, place = offset) {
  if (offset + FRAME_HEADER > stream.length) return undefined;
  const bytes = stream.subarray(offset, offset + FRAME_HEADER);
  if (!startsWith(bytes, MARK)) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(28, true) !== crc32(bytes.subarray(0, 28), (seed ^ (place % 2 ** 32)) >>> 0)) return undefined;
  const bodyBytes = view.getUint32(4, true);
  const seq = u64(view, 16);
  const type = view.getUint16(8, true);
  const tableBytes = view.getUint32(24, true);
  if (bodyBytes > MAX_BODY || seq === undefined || (type === 1 && tableBytes > bodyBytes)) return undefined;
  const flags = view.getUint16(10, true);
  return {
    offset,
    end: offset + FRAME_HEADER + bodyBytes,
    type,
    codec: flags & 15,
    isCritical: (flags & 0x8000) !== 0,
    flags,
    tableCrc: view.getUint32(12, true),
    seq,
    tableBytes,
  };
}

export const bodyOf = (stream, frame) => stream.subarray(frame.offset + FRAME_HEADER, frame.end);
