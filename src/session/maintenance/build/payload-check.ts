import { crc32 } from "../../bytes/index.js";
import type { Descriptor } from "../../codec/index.js";
import { FRAME_HEADER_BYTES } from "../../codec/index.js";
import type { LogicalFile } from "../../log/index.js";
import { chunkFrames } from "../../log/index.js";
import type { RawCommit } from "./raw-commit.js";
import { inlineBytes } from "./raw-commit.js";

/** Whether all stored bytes of the given records pass their checksums. Nothing is unpacked. */
export async function hasSoundPayloads(source: RawCommit, records: readonly number[], chunks: LogicalFile): Promise<boolean> {
  const { table } = source;
  for (const index of records) {
    const [first, count] = table.span(index);
    for (let at = first; at < first + count; at += 1) {
      const descriptor = table.descriptor(at);
      const isSound = descriptor.isChunked
        ? await hasSoundChunks(source, descriptor, chunks)
        : crc32(inlineBytes(source, descriptor), 0, descriptor.stored) === descriptor.crc;
      if (!isSound) return false;
    }
  }
  return true;
}

async function hasSoundChunks({ table }: RawCommit, descriptor: Descriptor, file: LogicalFile): Promise<boolean> {
  const frames = await chunkFrames(file, table, descriptor);
  for (const frame of frames ?? []) {
    const body = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
    if (body === undefined || crc32(body, 0, body.length) !== frame.tableCrc) return false;
  }
  return frames !== undefined;
}
