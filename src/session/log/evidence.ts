import type { Frame } from "../codec/index.js";
import { BLOCK_BYTES, DERIVED_FRAMES, FRAME, FRAME_HEADER_BYTES, FRAME_MAGIC, getFrame, physicalOf } from "../codec/index.js";
import { shifted } from "./byte-source.js";
import { displacedAnchors, hasSoundBody } from "./displaced.js";
import { readGap } from "./gap.js";
import { LogicalFile, SCATTERED } from "./logical-file.js";
import { readTable } from "./walk.js";

const MAGIC = Buffer.alloc(4);
MAGIC.writeUInt32LE(FRAME_MAGIC);

/**
 * Searches the rest `[from, end)` of a file, where the judged part ends, and returns the highest seq it proves to have been
 * acknowledged, 0 for none. Evidence only: what it finds tells damage from a torn tail and is never adopted.
 */
export async function findEvidence(file: LogicalFile, from: number, end: number): Promise<number> {
  return Math.max(await findInPlace(file, from, end), await findDisplaced(file, from, end));
}

/** By frames that validate at exactly their offset. */
async function findInPlace(file: LogicalFile, from: number, end: number): Promise<number> {
  let proven = 0;
  for (let start = from; start + FRAME_HEADER_BYTES <= end; start += BLOCK_BYTES) {
    // Each window reaches a header's length into the next one, so that no header is cut in two.
    const length = Math.min(BLOCK_BYTES + FRAME_HEADER_BYTES - 1, end - start);
    const bytes = await file.read(start, length);
    if (bytes === undefined) return proven;
    for (const frame of framesIn(Buffer.from(bytes), start, file.seed)) {
      proven = Math.max(proven, await provenBy(file, frame));
    }
  }
  return proven;
}

/**
 * By frames and block headers that belong into this rest and lie elsewhere in it: bytes were put in or taken out before them. No
 * copy of the file in a payload says as much: when it was taken, nothing of this rest was acknowledged.
 */
async function findDisplaced(file: LogicalFile, from: number, end: number): Promise<number> {
  let proven = 0;
  const span = { from: physicalOf(from), to: physicalOf(end - 1) + 1, least: from };
  let view = { shift: 0, file };
  for await (const { shift, frame, block } of displacedAnchors(file.source, file.seed, span)) {
    if (shift === 0) continue;
    if (block !== undefined) proven = Math.max(proven, block.lastSeq);
    if (frame === undefined) continue;
    if (view.shift !== shift) view = { shift, file: new LogicalFile(shifted(file.source, shift), file.seed, SCATTERED) };
    proven = Math.max(proven, await provenBy(view.file, frame));
  }
  return proven;
}

/** A body that fails says nothing about who wrote it. */
async function provenBy(file: LogicalFile, frame: Frame): Promise<number> {
  if (frame.type === FRAME.gap) return (await readGap(file, frame))?.last ?? 0;
  if (!DERIVED_FRAMES.has(frame.type)) return (await readTable(file, frame))?.durableSeq ?? 0;
  return (await hasSoundBody(file, frame)) ? frame.seq : 0;
}

function* framesIn(bytes: Buffer, start: number, seed: number) {
  for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) {
    const frame = getFrame(bytes, at, { offset: start + at, seed });
    if (frame !== undefined) yield frame;
  }
}
