import type { Entry } from "../../schema/index.js";
import { crc32, unpack } from "../bytes/index.js";
import type { CommitTable, Descriptor, Frame, PayloadView } from "../codec/index.js";
import { CHUNK_BYTES, CODEC_MASK, entryFromRecord, FRAME, FRAME_HEADER_BYTES } from "../codec/index.js";
import type { LogicalFile } from "./logical-file.js";
import { readFrame } from "./walk.js";

/** `damaged`: stored bytes that fail their checksum, do not unpack or are not where the table says. */
export type Damaged = "damaged";

const inlineOffset = (table: CommitTable, descriptor: Descriptor): number =>
  table.frame.offset + FRAME_HEADER_BYTES + table.frame.tableLen + descriptor.offset;

function checked(stored: Buffer, descriptor: Descriptor): Buffer | undefined {
  return crc32(stored, 0, stored.length) === descriptor.crc ? unpack(stored, descriptor.codec, descriptor.raw) : undefined;
}

/** The entry of record `index` when all its bytes are at hand; `undefined` when they must be read first. */
export function peekEntry(file: LogicalFile, table: CommitTable, index: number): Entry | Damaged | undefined {
  const [first, count] = table.span(index);
  const payloads: PayloadView[] = [];
  for (let at = first; at < first + count; at += 1) {
    const descriptor = table.descriptor(at);
    const stored = descriptor.isChunked ? undefined : file.peek(inlineOffset(table, descriptor), descriptor.stored);
    if (stored === undefined) return undefined;
    const bytes = checked(stored, descriptor);
    if (bytes === undefined) return "damaged";
    payloads.push({ role: descriptor.role, encoding: descriptor.encoding, bytes });
  }
  return entryFromRecord(table.record(index), payloads);
}

/** The entry of record `index`. The table is detached first, so it stays valid. */
export async function readEntry(file: LogicalFile, table: CommitTable, index: number): Promise<Entry | Damaged> {
  const held = peekEntry(file, table, index);
  if (held !== undefined) return held;
  table.detach();
  const [first, count] = table.span(index);
  const payloads: PayloadView[] = [];
  for (let at = first; at < first + count; at += 1) {
    const descriptor = table.descriptor(at);
    const bytes = await readPayload(file, table, descriptor);
    if (bytes === undefined) return "damaged";
    payloads.push({ role: descriptor.role, encoding: descriptor.encoding, bytes });
  }
  return entryFromRecord(table.record(index), payloads);
}

/** Verified raw bytes of one payload, owned by the caller. The table must be detached. */
export async function readPayload(file: LogicalFile, table: CommitTable, descriptor: Descriptor): Promise<Buffer | undefined> {
  if (descriptor.isChunked) return readChunks(file, table, descriptor);
  const stored = await file.read(inlineOffset(table, descriptor), descriptor.stored);
  const bytes = stored && checked(stored, descriptor);
  return bytes && Buffer.from(bytes);
}

/** Finds the chunk frames first and checks that they hold the declared length, only then allocates it. */
async function readChunks(file: LogicalFile, table: CommitTable, descriptor: Descriptor): Promise<Buffer | undefined> {
  const frames = await chunkFrames(file, table, descriptor);
  if (frames === undefined) return undefined;
  const raw = Buffer.allocUnsafe(descriptor.raw);
  let at = 0;
  for (const frame of frames) {
    const stored = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
    if (stored === undefined || crc32(stored, 0, stored.length) !== frame.tableCrc) return undefined;
    const chunk = unpack(stored, frame.flags & CODEC_MASK, frame.tableLen);
    if (chunk === undefined) return undefined;
    at += chunk.copy(raw, at);
  }
  return crc32(raw, 0, raw.length) === descriptor.crc ? raw : undefined;
}

/** The BLOB frames of a long payload, in order and of the declared length; nothing of them is checked but their headers. */
export async function chunkFrames(file: LogicalFile, table: CommitTable, descriptor: Descriptor): Promise<readonly Frame[] | undefined> {
  const frames: Frame[] = [];
  const last = descriptor.offset + descriptor.stored;
  let raw = 0;
  let offset = table.frame.offset - table.groupBack;
  for (let ordinal = 0; ordinal < last; ordinal += 1) {
    const frame = await readFrame(file, offset);
    if (frame?.type !== FRAME.blob || frame.seq !== ordinal || frame.end > table.frame.offset) return undefined;
    offset = frame.end;
    if (ordinal < descriptor.offset) continue;
    if (frame.tableLen > CHUNK_BYTES) return undefined;
    raw += frame.tableLen;
    frames.push(frame);
  }
  return raw === descriptor.raw ? frames : undefined;
}

/** Whether every payload of the commit is there and sound. The table is detached first. */
export async function isWhole(file: LogicalFile, table: CommitTable): Promise<boolean> {
  table.detach();
  for (let index = 0; index < table.descriptors; index += 1) {
    if ((await readPayload(file, table, table.descriptor(index))) === undefined) return false;
  }
  return true;
}
