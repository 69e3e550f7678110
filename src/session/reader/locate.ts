import type { AnyId, EntryId } from "../../base/index.js";
import type { CommitTable } from "../codec/index.js";
import { ID_BYTES, idTime, putId } from "../codec/index.js";
import type { LogicalFile, Tail } from "../log/index.js";
import { LogicalFile as Logical, readCommit, SEQUENTIAL } from "../log/index.js";
import type { Cursor } from "./commits.js";
import { CommitWalk } from "./commits.js";
import type { Coverage } from "./fences.js";
import { commitsOfId, fencesOf } from "./fences.js";
import { seek } from "./seek.js";
import type { Source } from "./source.js";

/** A record: the COMMIT that holds it and its index there. */
export interface Place {
  readonly table: CommitTable;
  readonly index: number;
}

export function idBytes(id: AnyId): Uint8Array {
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
/** They are not looked for further back than this. */
const NEAR_BYTES = 512 * 1024;

/** What is looked for, where, and how far. */
interface Search {
  readonly source: Source;
  readonly file: LogicalFile;
  readonly tail: Tail;
  readonly id: EntryId;
  readonly wanted: Uint8Array;
}

/**
 * Finds an entry: where it was met before, else among the newest commits, else by the index of the checkpoints and what came
 * after them. Where the index has holes: by the time in its id (a search over blocks, then forward), else from the beginning.
 * `undefined` when no readable commit holds it.
 */
export async function locate(source: Source, file: LogicalFile, tail: Tail, id: EntryId): Promise<Place | undefined> {
  const search = { source, file, tail, id, wanted: idBytes(id) };
  const known = await placeAt(search, source.places.get(id));
  if (known !== undefined) return known;
  const near = await searchBack(search);
  if (near !== undefined) return near;
  const coverage = await fencesOf(source.places).as(file, tail);
  const found = (await searchIndex(search, coverage)) ?? (coverage.isComplete ? undefined : await searchAll(search));
  if (found !== undefined) source.places.set(id, found.table.frame.offset);
  return found;
}

/** The place in the COMMIT at `offset`, when it is there. */
async function placeAt({ file, wanted }: Search, offset: number | undefined): Promise<Place | undefined> {
  const table = offset === undefined ? undefined : await readCommit(file, offset);
  const index = table === undefined ? -1 : indexOf(table, wanted);
  return table !== undefined && index >= 0 ? { table, index } : undefined;
}

async function searchBack({ file, tail, wanted }: Search): Promise<Place | undefined> {
  let offset = tail.commit;
  for (let count = 0; offset !== undefined && count < NEAR_COMMITS && tail.offset - offset < NEAR_BYTES; count += 1) {
    const table = await readCommit(file, offset);
    if (table === undefined) return undefined;
    const index = indexOf(table, wanted);
    if (index >= 0) return { table, index };
    offset = table.previousBack === 0 ? undefined : offset - table.previousBack;
  }
  return undefined;
}

/** Everything the checkpoints cover, then everything after the newest of them. */
async function searchIndex(search: Search, coverage: Coverage): Promise<Place | undefined> {
  const { source, file, tail, id, wanted } = search;
  const newest = coverage.checkpoints[0];
  const isKnown = source.recent !== undefined && source.recent.newest === newest?.frame.offset;
  const recent = isKnown ? await placeAt(search, source.recent?.commitOf(wanted)) : undefined;
  if (recent !== undefined) return recent;
  for (const offset of await commitsOfId(file, coverage, { id, bytes: wanted })) {
    const place = await placeAt(search, offset);
    if (place !== undefined) return place;
  }
  return isKnown ? undefined : searchForward(search, cursorAfter(newest), tail.offset);
}

/** Where the commits begin that a checkpoint does not cover. */
export const cursorAfter = (checkpoint: Coverage["checkpoints"][number] | undefined): Cursor =>
  checkpoint === undefined ? { offset: 0, seq: 0 } : { offset: checkpoint.rest, seq: checkpoint.frame.seq };

/** From where the time in the id leads, then all before that. */
async function searchAll(search: Search): Promise<Place | undefined> {
  const { file, tail, id } = search;
  const time = idTime(id);
  const cursor = await seek(file, tail, (commit) => commit.time < time);
  const found = await searchForward(search, cursor, tail.offset);
  return found ?? (cursor.offset === 0 ? undefined : searchForward(search, { offset: 0, seq: 0 }, cursor.offset));
}

async function searchForward(search: Search, cursor: Cursor, until: number): Promise<Place | undefined> {
  const { source, wanted } = search;
  const walk = new CommitWalk(new Logical(source.file, source.seed, SEQUENTIAL), cursor, until, () => undefined);
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined) return undefined;
    // Read again through the caller's file: what this walk hands out ends with it.
    if (indexOf(table, wanted) >= 0) return placeAt(search, table.frame.offset);
  }
}
