import { crc32, unpack } from "../../bytes/index.js";
import type { Descriptor } from "../../codec/index.js";
import { isTransition } from "../../live/index.js";
import type { LogicalFile } from "../../log/index.js";
import { readPayload } from "../../log/index.js";
import type { RawCommit } from "../build/raw-commit.js";
import { inlineBytes } from "../build/raw-commit.js";

/**
 * Numbers of the records of a commit that can be kept. A record with a damaged payload cannot. History and evidence stand for
 * themselves; queue, work, receipts and state of one change are kept together or not at all, because half a transition is none.
 */
export async function soundRecords(source: RawCommit, chunks: LogicalFile): Promise<readonly number[]> {
  const { table } = source;
  const all = Array.from({ length: table.records }, (_, index) => index);
  const damaged = new Set<number>();
  for (const index of all) if (!(await isSound(source, index, chunks))) damaged.add(index);
  if (damaged.size === 0) return all;
  const isPart = (index: number): boolean => isTransition({ kind: table.kind(index), flags: table.flags(index) });
  const isBroken = [...damaged].some(isPart);
  return all.filter((index) => !damaged.has(index) && !(isBroken && isPart(index)));
}

async function isSound(source: RawCommit, index: number, chunks: LogicalFile): Promise<boolean> {
  const [first, count] = source.table.span(index);
  for (let at = first; at < first + count; at += 1) {
    const descriptor = source.table.descriptor(at);
    const raw = descriptor.isChunked ? await longPayload(source, descriptor, chunks) : shortPayload(source, descriptor);
    if (raw === undefined) return false;
  }
  return true;
}

function shortPayload(source: RawCommit, descriptor: Descriptor): Buffer | undefined {
  const stored = inlineBytes(source, descriptor);
  return crc32(stored, 0, stored.length) === descriptor.crc ? unpack(stored, descriptor.codec, descriptor.raw) : undefined;
}

async function longPayload({ table }: RawCommit, descriptor: Descriptor, chunks: LogicalFile): Promise<Buffer | undefined> {
  table.detach();
  return table.groupBack === 0 ? undefined : readPayload(chunks, table, descriptor);
}
