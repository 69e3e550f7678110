import type { EntryId } from "../../../base/index.js";
import { putU64, viewOf } from "../../bytes/index.js";
import type { CommitTable, Descriptor, Frame } from "../../codec/index.js";
import {
  DESCRIPTOR_BYTES,
  FLAG,
  FRAME,
  FRAME_HEADER_BYTES,
  KINDS,
  parseCommitTable,
  PRELUDE_BYTES,
  putId,
  RECORD_BYTES,
} from "../../codec/index.js";
import type { Foldable } from "../../live/index.js";
import type { LogicalFile } from "../../log/index.js";
import { readFrame } from "../../log/index.js";
import type { FileBuilder } from "./file-builder.js";
import { putLeaf } from "./file-builder.js";

/** A COMMIT as it lies in its file. Borrowed: valid until the file it came from is read again. */
export interface RawCommit {
  readonly frame: Frame;
  readonly table: CommitTable;
  readonly body: Buffer;
}

/** The COMMIT of a frame; `undefined` when its table does not validate. */
export async function readRawCommit(file: LogicalFile, frame: Frame): Promise<RawCommit | undefined> {
  const at = frame.offset + FRAME_HEADER_BYTES;
  const body = file.peek(at, frame.bodyLen) ?? (await file.read(at, frame.bodyLen));
  const table = body && parseCommitTable(frame, body);
  return body && table && { frame, table, body };
}

/** Position in the body of record `index`, where its id begins. */
export const recordAt = (index: number): number => PRELUDE_BYTES + RECORD_BYTES * index;
export const PARENT_AT = 16;
export const PAIRING_AT = 32;
export const OWNER_AT = 48;

const descriptorAt = (table: CommitTable, index: number): number => PRELUDE_BYTES + RECORD_BYTES * table.records + DESCRIPTOR_BYTES * index;

/** Stored bytes of an inline payload. */
export const inlineBytes = ({ frame, body }: RawCommit, descriptor: Descriptor): Buffer => {
  const at = frame.tableLen + descriptor.offset;
  return body.subarray(at, at + descriptor.stored);
};

/** A history entry that is gone. A LOST record in its place keeps the branch together. */
export interface LostMark {
  readonly id: EntryId;
  readonly parent: EntryId | undefined;
  readonly time: number;
  /** Kind of the record that was there, 0 when not known. */
  readonly kind: number;
  readonly isSource: boolean;
}

/** What of a commit goes into the new file, and as what. */
export interface Copy {
  readonly seq: number;
  /** Numbers of the records to take, ascending, with marks where records are gone; at least one of either. */
  readonly records: readonly (number | LostMark)[];
  /** Marks the records as inherited. */
  readonly isSource: boolean;
  readonly leaf: EntryId | undefined;
  readonly entries: readonly Foldable[];
}

/**
 * Copies a commit with some or all of its records; stored payload bytes stay as they are. `chunks` reads its BLOB frames and
 * must not be the file the commit is borrowed from. False, and nothing that counts is put, when a BLOB is not where it belongs.
 */
export async function copyCommit(builder: FileBuilder, source: RawCommit, copy: Copy, chunks: LogicalFile): Promise<boolean> {
  const plan = planOf(source, copy);
  const blobs = await copyChunks(builder, source, plan.chunks, chunks);
  if (blobs === undefined) return false;
  putLeaf(plan.table, copy.leaf);
  const { seq, entries } = copy;
  builder.putCommit({ seq, table: plan.table, payloads: plan.payloads, firstBlob: blobs.first, flags: source.frame.flags, entries });
  if (builder.isHeavy) await builder.drain();
  return true;
}

interface Plan {
  readonly table: Buffer;
  readonly payloads: readonly Uint8Array[];
  /** Chunk ordinals of the source to take, as spans. */
  readonly chunks: readonly (readonly [number, number])[];
}

function planOf(source: RawCommit, copy: Copy): Plan {
  const { table: old, body } = source;
  const taken = copy.records.filter((record) => typeof record === "number");
  const isWhole = taken.length === old.records;
  const descriptors = isWhole ? old.descriptors : taken.reduce((sum, index) => sum + old.span(index)[1], 0);
  const table = Buffer.alloc(PRELUDE_BYTES + RECORD_BYTES * copy.records.length + DESCRIPTOR_BYTES * descriptors);
  const view = viewOf(table);
  body.copy(table, 0, 0, PRELUDE_BYTES);
  view.setUint32(40, copy.records.length, true);
  view.setUint32(44, descriptors, true);
  const payloads: Uint8Array[] = isWhole ? [body.subarray(source.frame.tableLen)] : [];
  const chunks: (readonly [number, number])[] = [];
  const next = { record: PRELUDE_BYTES, descriptor: 0, inline: 0, chunk: 0 };
  for (const index of copy.records) {
    if (typeof index !== "number") {
      putMark(table, next.record, index, next.descriptor);
      next.record += RECORD_BYTES;
      continue;
    }
    const [first, count] = old.span(index);
    body.copy(table, next.record, recordAt(index), recordAt(index + 1));
    view.setUint32(next.record + 80, next.descriptor, true);
    if (copy.isSource) view.setUint16(next.record + 74, old.flags(index) | FLAG.source, true);
    next.record += RECORD_BYTES;
    for (let at = first; at < first + count; at += 1) {
      const descriptor = old.descriptor(at);
      const place = PRELUDE_BYTES + RECORD_BYTES * copy.records.length + DESCRIPTOR_BYTES * next.descriptor;
      body.copy(table, place, descriptorAt(old, at), descriptorAt(old, at + 1));
      view.setUint32(place + 16, descriptor.isChunked ? next.chunk : next.inline, true);
      next.descriptor += 1;
      if (descriptor.isChunked) {
        chunks.push([descriptor.offset, descriptor.offset + descriptor.stored]);
        next.chunk += descriptor.stored;
      } else {
        if (!isWhole) payloads.push(inlineBytes(source, descriptor));
        next.inline += descriptor.stored;
      }
    }
  }
  return { table, payloads, chunks };
}

/** The record at `pos` of a table of zeros. */
function putMark(table: Buffer, pos: number, { id, parent, time, kind, isSource }: LostMark, descriptor: number): void {
  const view = viewOf(table);
  putId(table, pos, id);
  putId(table, pos + PARENT_AT, parent);
  putU64(view, pos + 64, time);
  view.setUint16(pos + 72, KINDS.lost.kind, true);
  view.setUint16(pos + 74, KINDS.lost.flags | (isSource ? FLAG.source : 0), true);
  view.setUint16(pos + 76, kind, true);
  view.setUint32(pos + 80, descriptor, true);
}

/** Puts the wanted BLOB frames, renumbered. The offset of the first is `undefined` when there are none. */
async function copyChunks(
  builder: FileBuilder,
  { table, frame: commit }: RawCommit,
  spans: Plan["chunks"],
  file: LogicalFile,
): Promise<{ readonly first: number | undefined } | undefined> {
  let first: number | undefined;
  let ordinal = 0;
  let count = 0;
  let offset = commit.offset - table.groupBack;
  const { groupBack } = table;
  for (const [from, to] of spans) {
    for (; ordinal < to; ordinal += 1) {
      const frame = groupBack === 0 ? undefined : await readFrame(file, offset);
      if (frame?.type !== FRAME.blob || frame.seq !== ordinal || frame.end > commit.offset) return undefined;
      offset = frame.end;
      if (ordinal < from) continue;
      const body = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
      if (body === undefined) return undefined;
      const { type, flags, tableLen, tableCrc } = frame;
      const put = builder.putFrame({ type, flags, tableLen, tableCrc, seq: count }, body);
      first ??= put;
      count += 1;
      if (builder.isHeavy) await builder.drain();
    }
  }
  return { first };
}
