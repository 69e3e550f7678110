import type { Frame } from "../../codec/index.js";
import { BLOCK_BYTES, FRAME_HEADER_BYTES, FRAME_MAGIC, getFrame } from "../../codec/index.js";
import type { LogicalFile } from "../../log/index.js";
import { hasSoundBody } from "../../log/index.js";

const MAGIC = Buffer.alloc(4);
MAGIC.writeUInt32LE(FRAME_MAGIC);

/**
 * Frames in bytes whose framing is lost: the first one when a single bit of its header is to blame, and those that validate at
 * exactly their offset, with a body that does too, one behind the other. A frame that only lies inside a payload does not: its checksum names another place. Only repair does this, and
 * only into a new file.
 */
export async function* salvage(file: LogicalFile, from: number, to: number): AsyncGenerator<Frame, void, undefined> {
  const mended = await mendFrame(file, from, to);
  if (mended !== undefined) yield mended;
  let offset = mended?.end ?? from + 1;
  while (offset + FRAME_HEADER_BYTES <= to) {
    // Each window reaches a header's length into the next one, so that no header is cut in two.
    const length = Math.min(BLOCK_BYTES + FRAME_HEADER_BYTES - 1, to - offset);
    const bytes = await file.read(offset, length);
    if (bytes === undefined) return;
    const frame = firstFrame(bytes, { offset, seed: file.seed }, to);
    if (frame === undefined) {
      offset += Math.max(1, length - FRAME_HEADER_BYTES + 1);
      continue;
    }
    const isSound = await hasSoundBody(file, frame);
    if (isSound) yield frame;
    offset = isSound ? frame.end : frame.offset + 1;
  }
}

/** The frame at `from` when one bit of its header is wrong: a checksum of 32 bits over so few names the bit. */
async function mendFrame(file: LogicalFile, from: number, to: number): Promise<Frame | undefined> {
  const found = await file.read(from, FRAME_HEADER_BYTES);
  if (found === undefined) return undefined;
  const header = Buffer.from(found);
  for (let bit = 0; bit < FRAME_HEADER_BYTES * 8; bit += 1) {
    const byte = bit >> 3;
    header[byte] = (header[byte] ?? 0) ^ (1 << (bit & 7));
    const frame = getFrame(header, 0, { offset: from, seed: file.seed });
    if (frame !== undefined && frame.end <= to && (await hasSoundBody(file, frame))) return frame;
    header[byte] = (header[byte] ?? 0) ^ (1 << (bit & 7));
  }
  return undefined;
}

function firstFrame(bytes: Buffer, place: { readonly offset: number; readonly seed: number }, to: number): Frame | undefined {
  for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) {
    const frame = getFrame(bytes, at, { offset: place.offset + at, seed: place.seed });
    if (frame !== undefined && frame.end <= to) return frame;
  }
  return undefined;
}
