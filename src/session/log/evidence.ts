import { BLOCK_BYTES, FRAME, FRAME_HEADER_BYTES, FRAME_MAGIC, getFrame } from "../codec/index.js";
import type { LogicalFile } from "./logical-file.js";
import { readTable } from "./walk.js";

const MAGIC = Buffer.alloc(4);
MAGIC.writeUInt32LE(FRAME_MAGIC);

/**
 * Searches `[from, end)` for frames that validate at exactly their offset and returns the highest seq they prove to have
 * been acknowledged, 0 for none. Evidence only: what it finds tells damage from a torn tail and is never adopted.
 */
export async function findEvidence(file: LogicalFile, from: number, end: number): Promise<number> {
  let proven = 0;
  for (let start = from; start + FRAME_HEADER_BYTES <= end; start += BLOCK_BYTES) {
    // Each window reaches a header's length into the next one, so that no header is cut in two.
    const length = Math.min(BLOCK_BYTES + FRAME_HEADER_BYTES - 1, end - start);
    const bytes = await file.read(start, length);
    if (bytes === undefined) return proven;
    for (const frame of framesIn(Buffer.from(bytes), start, file.seed)) {
      const isDerived = frame.type === FRAME.ack || frame.type === FRAME.close;
      if (isDerived) proven = Math.max(proven, frame.seq);
      else proven = Math.max(proven, (await readTable(file, frame))?.durableSeq ?? 0);
    }
  }
  return proven;
}

function* framesIn(bytes: Buffer, start: number, seed: number) {
  for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) {
    const frame = getFrame(bytes, at, { offset: start + at, seed });
    if (frame !== undefined) yield frame;
  }
}
