import { crc32, getU64, putU64, viewOf } from "../bytes/index.js";
import { FRAME_HEADER_BYTES, MAX_BODY_BYTES } from "./layout.js";

/** "SmF" and the version byte, as a little-endian u32. */
export const FRAME_MAGIC = 0x01_46_6d_53;
const CRC_AT = 28;

export const FRAME = { commit: 1, blob: 2, checkpoint: 3, ack: 4, summary: 5, close: 6, gap: 7 } as const;
/** Frames about commits, written only when those are durable, and made again from them when lost. */
export const DERIVED_FRAMES: ReadonlySet<number> = new Set([FRAME.checkpoint, FRAME.ack, FRAME.summary, FRAME.close]);
/** Flag bit 15: a reader that does not know the frame's type must not write. */
export const CRITICAL = 0x8000;
export const CODEC_MASK = 0xf;

export interface FrameFields {
  readonly type: number;
  readonly flags: number;
  readonly bodyLen: number;
  readonly tableLen: number;
  readonly tableCrc: number;
  readonly seq: number;
}

/** A frame header that validated at its logical `offset`. */
export interface Frame extends FrameFields {
  readonly offset: number;
  /** Logical offset after the body. */
  readonly end: number;
}

const seedAt = (seed: number, offset: number): number => (seed ^ ((offset % 4_294_967_296) | 0)) >>> 0;

/** Writes a frame header at `at`; `offset` is the frame's logical offset, which seeds its checksum. */
export function putFrameHeader(
  bytes: Buffer,
  at: number,
  fields: FrameFields,
  seal: { readonly offset: number; readonly seed: number },
): void {
  const view = viewOf(bytes);
  view.setUint32(at, FRAME_MAGIC, true);
  view.setUint32(at + 4, fields.bodyLen, true);
  view.setUint16(at + 8, fields.type, true);
  view.setUint16(at + 10, fields.flags, true);
  view.setUint32(at + 12, fields.tableCrc, true);
  putU64(view, at + 16, fields.seq);
  view.setUint32(at + 24, fields.tableLen, true);
  view.setUint32(at + CRC_AT, crc32(bytes, at, at + CRC_AT, seedAt(seal.seed, seal.offset)), true);
}

/** The frame whose header is at `bytes[at]` and whose logical offset is `offset`; `undefined` when it does not validate there. */
export function getFrame(bytes: Buffer, at: number, place: { readonly offset: number; readonly seed: number }): Frame | undefined {
  if (bytes.length < at + FRAME_HEADER_BYTES) return undefined;
  if (bytes.readUInt32LE(at) !== FRAME_MAGIC) return undefined;
  if (crc32(bytes, at, at + CRC_AT, seedAt(place.seed, place.offset)) !== bytes.readUInt32LE(at + CRC_AT)) return undefined;
  const bodyLen = bytes.readUInt32LE(at + 4);
  const type = bytes.readUInt16LE(at + 8);
  const tableLen = bytes.readUInt32LE(at + 24);
  const seq = getU64(viewOf(bytes), at + 16);
  if (bodyLen > MAX_BODY_BYTES || Number.isNaN(seq)) return undefined;
  if (type === FRAME.commit && tableLen > bodyLen) return undefined;
  return {
    type,
    flags: bytes.readUInt16LE(at + 10),
    bodyLen,
    tableLen,
    tableCrc: bytes.readUInt32LE(at + 12),
    seq,
    offset: place.offset,
    end: place.offset + FRAME_HEADER_BYTES + bodyLen,
  };
}
