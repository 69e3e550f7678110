import { crc32 } from "../../bytes/index.js";
import type { Frame } from "../../codec/index.js";
import { FRAME_HEADER_BYTES } from "../../codec/index.js";
import type { LogicalFile } from "../../log/index.js";
import type { FileBuilder } from "./file-builder.js";

/** Copies a frame of a later version byte for byte. False, with nothing put, when its body fails its checksum. */
export async function copyUnknown(builder: FileBuilder, file: LogicalFile, frame: Frame): Promise<boolean> {
  const body = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
  if (body === undefined || crc32(body, 0, body.length) !== frame.tableCrc) return false;
  builder.putFrame(frame, body);
  if (builder.isHeavy) await builder.drain();
  return true;
}
