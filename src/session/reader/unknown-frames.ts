import { crc32 } from "../bytes/index.js";
import { FRAME, FRAME_HEADER_BYTES } from "../codec/index.js";
import { FrameWalk, LogicalFile, SEQUENTIAL } from "../log/index.js";
import type { UnknownFrame } from "../types.js";
import type { Source } from "./source.js";

const KNOWN: ReadonlySet<number> = new Set(Object.values(FRAME));

/** Frames of later versions in file order; one whose body fails its checksum is left out. */
export async function* readUnknownFrames(source: Source): AsyncGenerator<UnknownFrame, void, undefined> {
  const tail = await source.refresh();
  const file = new LogicalFile(source.file, source.seed, SEQUENTIAL);
  const walk = new FrameWalk(file, 0, tail.offset);
  let after = 0;
  for (;;) {
    const step = walk.peek() ?? (await walk.next());
    if (step === undefined) return;
    if (step.type !== "frame") continue;
    const { type, flags, seq, tableLen, tableCrc, offset, bodyLen } = step.frame;
    if (type === FRAME.commit) after = Math.max(after, seq);
    if (KNOWN.has(type)) continue;
    const body = await file.read(offset + FRAME_HEADER_BYTES, bodyLen);
    if (body === undefined || crc32(body, 0, body.length) !== tableCrc) continue;
    yield { type, flags, seq, tableLen, after, body: Uint8Array.from(body) };
  }
}
