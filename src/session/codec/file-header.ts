import type { SessionId } from "../../base/index.js";
import { crc32, getU64, putU64, viewOf } from "../bytes/index.js";
import { BLOCK_BYTES, BLOCK_HEADER_BYTES, FILE_HEADER_BYTES } from "./layout.js";
import { getId, putId } from "./uuid.js";

const MAGIC = Buffer.from([0x89, 0x53, 0x4d, 0x53, 0x0d, 0x0a, 0x1a, 0x0a]);
const COPY_BYTES = 128;
const CRC_AT = 124;
const BLOCK_LOG2 = 16;
/** Incompat bits this version understands: none are defined in v1. */
const KNOWN_FEATURES = 0;

export interface FileHeader {
  readonly id: SessionId;
  readonly createdAt: number;
  /** 16 random bytes of this incarnation of the file. */
  readonly generation: Uint8Array;
  readonly epoch: number;
  /** Source of a fork or import, and the commit of it up to which entries were taken. */
  readonly origin?: { readonly session: SessionId; readonly seq: number };
}

export type HeaderReading =
  | { readonly type: "sound"; readonly header: FileHeader; readonly seed: number; readonly writable: boolean; readonly mirrored: boolean }
  | { readonly type: "damaged" }
  | { readonly type: "unsupported"; readonly major: number };

/** First 4 bytes of the generation: the seed of every header checksum of the file. */
export const generationSeed = (generation: Uint8Array): number => viewOf(generation).getUint32(0, true);

/** The 256 bytes a file begins with: the same 128 twice. */
export function encodeFileHeader(header: FileHeader): Buffer {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES);
  const view = viewOf(bytes);
  MAGIC.copy(bytes, 0);
  view.setUint16(8, 1, true);
  view.setUint16(10, 0, true);
  view.setUint32(12, FILE_HEADER_BYTES, true);
  putId(bytes, 16, header.id);
  putU64(view, 32, header.createdAt);
  bytes.set(header.generation, 40);
  view.setUint32(56, header.epoch, true);
  if (header.origin !== undefined) {
    putId(bytes, 64, header.origin.session);
    putU64(view, 80, header.origin.seq);
  }
  view.setUint8(88, BLOCK_LOG2);
  view.setUint32(CRC_AT, crc32(bytes, 0, CRC_AT), true);
  bytes.copy(bytes, COPY_BYTES, 0, COPY_BYTES);
  return bytes;
}

/** Reads the first sound copy. `mirrored` is false when one of the two copies is damaged. */
export function decodeFileHeader(bytes: Buffer): HeaderReading {
  const sound = [0, COPY_BYTES].filter((at) => isSoundCopy(bytes, at));
  const at = sound[0];
  if (at === undefined) return { type: "damaged" };
  const view = viewOf(bytes);
  const major = view.getUint16(at + 8, true);
  if (major !== 1) return { type: "unsupported", major };
  const id = getId<SessionId>(bytes, at + 16);
  const createdAt = getU64(view, at + 32);
  if (id === undefined || Number.isNaN(createdAt) || view.getUint8(at + 88) !== BLOCK_LOG2) return { type: "damaged" };
  const source = getId<SessionId>(bytes, at + 64);
  const sourceSeq = getU64(view, at + 80);
  if (Number.isNaN(sourceSeq)) return { type: "damaged" };
  const generation = Uint8Array.from(bytes.subarray(at + 40, at + 56));
  return {
    type: "sound",
    header: {
      id,
      createdAt,
      generation,
      epoch: view.getUint32(at + 56, true),
      ...(source === undefined ? {} : { origin: { session: source, seq: sourceSeq } }),
    },
    seed: generationSeed(generation),
    writable: (view.getUint32(at + 60, true) & ~KNOWN_FEATURES) === 0,
    mirrored: sound.length === 2,
  };
}

function isSoundCopy(bytes: Buffer, at: number): boolean {
  if (bytes.length < at + COPY_BYTES || bytes.compare(MAGIC, 0, MAGIC.length, at, at + MAGIC.length) !== 0) return false;
  return crc32(bytes, at, at + CRC_AT) === viewOf(bytes).getUint32(at + CRC_AT, true);
}

/** "SmBk" as a little-endian u32. */
export const BLOCK_MAGIC = 0x6b_42_6d_53;
const BLOCK_CRC_AT = 28;

export interface BlockHeader {
  readonly block: number;
  /** Logical offset of the frame in progress at, or beginning exactly at, the block's first stream byte. */
  readonly frame: number;
  /** Offset inside the block where the first frame that starts in it begins; 0 when none does. */
  readonly firstFrame: number;
  /** Seq of the last COMMIT that ends at or before the block's first stream byte. */
  readonly lastSeq: number;
}

export function putBlockHeader(bytes: Buffer, at: number, header: BlockHeader, seed: number): void {
  const view = viewOf(bytes);
  view.setUint32(at, BLOCK_MAGIC, true);
  view.setUint32(at + 4, header.block, true);
  putU64(view, at + 8, header.frame);
  view.setUint32(at + 16, header.firstFrame, true);
  putU64(view, at + 20, header.lastSeq);
  view.setUint32(at + BLOCK_CRC_AT, crc32(bytes, at, at + BLOCK_CRC_AT, seed), true);
}

/** The header of `block`, or `undefined` when it is not one of this file at this place. */
export function getBlockHeader(bytes: Buffer, at: number, block: number, seed: number): BlockHeader | undefined {
  if (bytes.length < at + BLOCK_HEADER_BYTES) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(at, true) !== BLOCK_MAGIC || view.getUint32(at + 4, true) !== block) return undefined;
  if (crc32(bytes, at, at + BLOCK_CRC_AT, seed) !== view.getUint32(at + BLOCK_CRC_AT, true)) return undefined;
  const header = {
    block,
    frame: getU64(view, at + 8),
    firstFrame: view.getUint32(at + 16, true),
    lastSeq: getU64(view, at + 20),
  };
  const placed = header.firstFrame === 0 || (header.firstFrame >= BLOCK_HEADER_BYTES && header.firstFrame < BLOCK_BYTES);
  return placed && Number.isSafeInteger(header.frame) && Number.isSafeInteger(header.lastSeq) ? header : undefined;
}
