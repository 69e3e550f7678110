import { crc32 } from "./crc32.mjs";
import { physicalOf } from "./addressing.mjs";

/** A frame of the file's own generation, valid at a logical offset: what a later version might write. */
export function frameAt(
  offset: number,
  seed: number,
  frame: { readonly type: number; readonly flags?: number; readonly seq: number; readonly body: Uint8Array },
): Buffer {
  const header = Buffer.alloc(32);
  header.writeUInt32LE(0x01466d53, 0);
  header.writeUInt32LE(frame.body.length, 4);
  header.writeUInt16LE(frame.type, 8);
  header.writeUInt16LE(frame.flags ?? 0, 10);
  header.writeUInt32LE(crc32(frame.body), 12);
  header.writeUInt32LE(frame.seq, 16);
  header.writeUInt32LE(frame.body.length, 24);
  header.writeUInt32LE(crc32(header.subarray(0, 28), (seed ^ (offset % 2 ** 32)) >>> 0), 28);
  return Buffer.concat([header, frame.body]);
}

/** The file, cut at a logical offset inside its first block, with frames behind it. */
export function withFrames(file: Buffer, offset: number, frames: readonly ((offset: number) => Buffer)[]): Buffer {
  let at = offset;
  const parts = [file.subarray(0, physicalOf(offset))];
  for (const make of frames) {
    const bytes = make(at);
    parts.push(bytes);
    at += bytes.length;
  }
  return Buffer.concat(parts);
}

/**
 * The file with the body of one frame of its first block changed and every checksum over it made right again: damage that
 * no checksum finds. `header` edits the frame's own 32 bytes.
 */
export function resealed(
  file: Buffer,
  seed: number,
  frame: { readonly offset: number; readonly end: number },
  edit: { readonly body?: (body: Buffer) => void; readonly header?: (header: Buffer) => void },
): Buffer {
  const bytes = Buffer.from(file);
  const at = physicalOf(frame.offset);
  const header = bytes.subarray(at, at + 32);
  const body = bytes.subarray(at + 32, physicalOf(frame.end));
  edit.body?.(body);
  const isCommit = header.readUInt16LE(8) === 1;
  header.writeUInt32LE(crc32(isCommit ? body.subarray(0, header.readUInt32LE(24)) : body), 12);
  edit.header?.(header);
  header.writeUInt32LE(crc32(header.subarray(0, 28), (seed ^ (frame.offset % 2 ** 32)) >>> 0), 28);
  return bytes;
}
