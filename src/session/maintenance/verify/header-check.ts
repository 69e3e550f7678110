import type { Result, SessionId } from "../../../base/index.js";
import { err, ok, shortId } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { FileHeader, HeaderReading } from "../../codec/index.js";
import { BLOCK_BYTES, decodeFileHeader, FILE_HEADER_BYTES, FRAME_MAGIC } from "../../codec/index.js";
import { sessionUnreadable, sessionUnsupported } from "../../diagnostics.js";
import type { OpenFile } from "../../log/index.js";
import type { Findings } from "./findings.js";
import { recoverSeed } from "./seed.js";

const COPY_BYTES = FILE_HEADER_BYTES / 2;
/** The first byte of a header. */
const MAGIC_START = 0x89;

export interface CheckedHeader {
  /** Absent when both copies are lost. */
  readonly header: FileHeader | undefined;
  readonly seed: number;
  /** Without features that this version does not know. */
  readonly writable: boolean;
}

/** Checks both copies of a file's header. Where both are lost, one may lie elsewhere before all frames; else the seed is recovered. */
export async function checkHeader(
  file: OpenFile,
  about: { readonly path: string; readonly id: SessionId; readonly findings: Findings },
): Promise<Result<CheckedHeader, Diagnostic>> {
  const { path, id, findings } = about;
  const bytes = Buffer.alloc(FILE_HEADER_BYTES);
  if ((await file.read(bytes, 0)) < FILE_HEADER_BYTES) {
    return err(sessionUnreadable(path, `It is shorter than the header of ${FILE_HEADER_BYTES} bytes that a session file begins with.`));
  }
  const copies = [bytes.subarray(0, COPY_BYTES), bytes.subarray(COPY_BYTES)] as const;
  copies.forEach((copy, index) => {
    const alone = Buffer.concat([copy, Buffer.alloc(COPY_BYTES)]);
    if (decodeFileHeader(alone).type !== "damaged") return;
    damagedHeader(findings, "A copy of the header of the file fails its checksum.", index);
  });
  const inPlace = decodeFileHeader(bytes);
  const reading = inPlace.type === "damaged" ? await displacedHeader(file) : inPlace;
  if (reading.type === "unsupported") return err(sessionUnsupported(path, reading.major));
  if (reading.type === "damaged") {
    const seed = await recoverSeed(file, (await file.facts()).size);
    if (seed !== undefined) return ok({ header: undefined, seed, writable: true });
    return err(sessionUnreadable(path, "Both copies of its header are lost, and too little is left of it to tell how it was written."));
  }
  if (reading.mirrored && !copies[0].equals(copies[1])) damagedHeader(findings, "The two copies of the header differ.", 1);
  const { header, seed, writable } = reading;
  if (header.id !== id) damagedHeader(findings, `The file is named for session ${shortId(id)} but holds session ${shortId(header.id)}.`, 0);
  return ok({ header, seed, writable });
}

/** A copy of the header that bytes put in or taken out before it displaced. Behind the first frame it may be in a payload. */
async function displacedHeader(file: OpenFile): Promise<HeaderReading> {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  const got = await file.read(bytes, 0);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(FRAME_MAGIC);
  const frame = bytes.indexOf(mark);
  const head = bytes.subarray(0, frame === -1 ? got : frame);
  for (let at = head.indexOf(MAGIC_START); at !== -1; at = head.indexOf(MAGIC_START, at + 1)) {
    const reading = decodeFileHeader(Buffer.concat([head.subarray(at, at + COPY_BYTES), Buffer.alloc(COPY_BYTES)]));
    if (reading.type !== "damaged") return reading;
  }
  return { type: "damaged" };
}

function damagedHeader(findings: Findings, what: string, copy: number): void {
  findings.add({ severity: "damage", what, offset: copy * COPY_BYTES, end: (copy + 1) * COPY_BYTES });
}
