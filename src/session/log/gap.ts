import { crc32, getU64, putU64, viewOf } from "../bytes/index.js";
import type { Frame } from "../codec/index.js";
import { FRAME, FRAME_HEADER_BYTES } from "../codec/index.js";
import type { LogicalFile } from "./logical-file.js";

/** Commits that a repair could not save: gone for good, told then, no damage any more. */
export interface Gap {
  readonly first: number;
  readonly last: number;
}

const GAP_BYTES = 16;

export function gapBody(gap: Gap): Buffer {
  const body = Buffer.alloc(GAP_BYTES);
  putU64(viewOf(body), 0, gap.first);
  putU64(viewOf(body), 8, gap.last);
  return body;
}

/** What a GAP frame says; `undefined` unless its body is whole and names seqs in order. */
function gapIn(frame: Frame, body: Buffer): Gap | undefined {
  if (body.length !== GAP_BYTES || crc32(body, 0, GAP_BYTES) !== frame.tableCrc) return undefined;
  const first = getU64(viewOf(body), 0);
  const last = getU64(viewOf(body), 8);
  return first >= 1 && last >= first ? { first, last } : undefined;
}

export async function readGap(file: LogicalFile, frame: Frame): Promise<Gap | undefined> {
  if (frame.type !== FRAME.gap || frame.bodyLen !== GAP_BYTES) return undefined;
  const body = await file.read(frame.offset + FRAME_HEADER_BYTES, GAP_BYTES);
  return body && gapIn(frame, body);
}
