import type { EntryId } from "../../base/index.js";
import type { CommitTable } from "../codec/index.js";
import { blockOf, FRAME, ID_BYTES, idTime, putId } from "../codec/index.js";
import type { LogicalFile, Tail } from "../log/index.js";
import { FrameWalk, LogicalFile as Logical, readCommit, readTable, SEQUENTIAL } from "../log/index.js";
import type { Cursor } from "./commits.js";
import { CommitWalk } from "./commits.js";
import type { Source } from "./source.js";

/** A record: the COMMIT that holds it and its index there. */
export interface Place {
  readonly table: CommitTable;
  readonly index: number;
}

export function idBytes(id: EntryId): Uint8Array {
  const bytes = new Uint8Array(ID_BYTES);
  putId(bytes, 0, id);
  return bytes;
}

/** Index of the record with this id, newest first; -1 when the commit does not hold it. */
export function indexOf(table: CommitTable, id: Uint8Array): number {
  for (let index = table.records - 1; index >= 0; index -= 1) if (table.hasId(index, id)) return index;
  return -1;
}

/** Commits before the end that are looked into before anything is searched for: a leaf is hardly ever older. */
const NEAR_COMMITS = 64;

/**
 * Finds an entry: where it was met before, else among the newest commits, else by the time in its id (a search over blocks,
 * then forward), else from the beginning. `undefined` when no readable commit holds it.
 */
export async function locate(source: Source, file: LogicalFile, tail: Tail, id: EntryId): Promise<Place | undefined> {
  const wanted = idBytes(id);
  const known = source.places.get(id);
  if (known !== undefined) {
    const table = await readCommit(file, known);
    const index = table === undefined ? -1 : indexOf(table, wanted);
    if (table !== undefined && index >= 0) return { table, index };
  }
  const near = await searchBack(file, tail, wanted);
  if (near !== undefined) return near;
  const time = idTime(id);
  const cursor = await seek(file, tail, (commit) => commit.time < time);
  const found = await searchForward(source, cursor, { until: tail.offset, wanted });
  const offset =
    found ?? (cursor.offset === 0 ? undefined : await searchForward(source, { offset: 0, seq: 0 }, { until: cursor.offset, wanted }));
  if (offset === undefined) return undefined;
  source.places.set(id, offset);
  const table = await readCommit(file, offset);
  return table && { table, index: indexOf(table, wanted) };
}

async function searchBack(file: LogicalFile, tail: Tail, wanted: Uint8Array): Promise<Place | undefined> {
  let offset = tail.commit;
  for (let count = 0; offset !== undefined && count < NEAR_COMMITS; count += 1) {
    const table = await readCommit(file, offset);
    if (table === undefined) return undefined;
    const index = indexOf(table, wanted);
    if (index >= 0) return { table, index };
    offset = table.previousBack === 0 ? undefined : offset - table.previousBack;
  }
  return undefined;
}

async function searchForward(
  source: Source,
  cursor: Cursor,
  search: { readonly until: number; readonly wanted: Uint8Array },
): Promise<number | undefined> {
  const walk = new CommitWalk(new Logical(source.file, source.seed, SEQUENTIAL), cursor, search.until, () => undefined);
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined) return undefined;
    if (indexOf(table, search.wanted) >= 0) return table.frame.offset;
  }
}

/** Where to start so that no commit for which `isBefore` is false is missed: a binary search over blocks. */
export async function seek(file: LogicalFile, tail: Tail, isBefore: (commit: CommitTable) => boolean): Promise<Cursor> {
  let low = 0;
  let high = blockOf(Math.max(tail.offset - 1, 0));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const commit = await firstCommit(file, middle, tail.offset);
    if (commit !== undefined && isBefore(commit)) low = middle;
    else high = middle - 1;
  }
  const header = await file.blockHeader(low);
  return header === undefined ? { offset: 0, seq: 0 } : { offset: header.frame, seq: header.lastSeq };
}

/** The first readable commit that starts in `block` or after it. */
async function firstCommit(file: LogicalFile, block: number, end: number): Promise<CommitTable | undefined> {
  const header = await file.blockHeader(block);
  if (header === undefined) return undefined;
  const walk = new FrameWalk(file, header.frame, end);
  for (;;) {
    const step = await walk.next();
    if (step === undefined) return undefined;
    if (step.type !== "frame" || step.frame.type !== FRAME.commit || step.frame.seq <= header.lastSeq) continue;
    const table = await readTable(file, step.frame);
    if (table !== undefined) return table;
  }
}
