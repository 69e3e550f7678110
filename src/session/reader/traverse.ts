import type { EntryId } from "../../base/index.js";
import type { Entry, EntryType, LostEntry, Position } from "../../schema/index.js";
import type { CommitTable, RecordView } from "../codec/index.js";
import { FLAG, typeOfKind } from "../codec/index.js";
import { branchBroken, positionForeign } from "../diagnostics.js";
import type { LogicalFile, Tail } from "../log/index.js";
import { ClosedError, LogicalFile as Logical, peekEntry, readCommit, readEntry, SCATTERED, SEQUENTIAL } from "../log/index.js";
import type { CommittedChange } from "../types.js";
import { SessionStorageError } from "../types.js";
import { CommitWalk } from "./commits.js";
import type { Place } from "./locate.js";
import { idBytes, indexOf, locate } from "./locate.js";
import { seek } from "./seek.js";
import type { GrowthWatch, Source } from "./source.js";

export interface ChangesOptions {
  readonly from?: Position;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

export const lose = (source: Source, table: CommitTable): void => {
  const { seq, offset, end } = table.frame;
  source.damage.add({ firstSeq: seq, lastSeq: seq, from: offset, to: end });
};

/**
 * The places of the branch that ends at a leaf, newest first, along parent distances; metadata only. A repaired file may have
 * lost the rest of a branch: there the walk ends, everywhere else it throws SessionStorageError.
 */
export async function* walkBranch(source: Source, from: EntryId | undefined): AsyncGenerator<BranchPlace, void, undefined> {
  const tail = await source.refresh();
  const leaf = from ?? tail.leaf;
  if (leaf === undefined) return;
  const file = new Logical(source.file, source.seed, SCATTERED);
  let id = leaf;
  let place = await locate(source, file, tail, id);
  for (let isFirst = true; ; isFirst = false) {
    if (place === undefined) {
      // What a repair could not save is gone for good and was told then.
      if (!isFirst && source.epoch > 0) return;
      throw new SessionStorageError(branchBroken(source.id, id));
    }
    const { table, index } = place;
    const record = table.record(index);
    source.places.set(id, table.frame.offset);
    if ((record.flags & FLAG.history) !== 0) yield { file, table, index };
    if (record.parent === undefined) return;
    id = record.parent;
    place = await parentOf(source, file, { tail, place, parent: id, back: record.parentBack });
  }
}

/** A history record of a branch. Borrowed: valid until the walk goes on. */
export interface BranchPlace extends Place {
  readonly file: LogicalFile;
}

/**
 * The branch that ends at `leaf`, newest first; where the content of an entry is damaged, what its record says of its place.
 * Throws SessionStorageError where the branch is broken.
 */
export async function* readBranch(source: Source, from: EntryId | undefined): AsyncGenerator<Entry, void, undefined> {
  for await (const { file, table, index } of walkBranch(source, from)) {
    const entry = await readEntry(file, table, index);
    if (entry === "damaged") {
      lose(source, table);
      yield lostEntry(table.record(index));
      continue;
    }
    yield entry;
  }
}

const lostEntry = ({ id, parent, time, kind, flags }: RecordView): LostEntry => ({
  type: "lost",
  id,
  ...(parent === undefined ? {} : { parent }),
  time,
  ...((flags & FLAG.source) === 0 ? {} : { inherited: true }),
  kind,
  unrepaired: true,
});

interface Link {
  readonly tail: Tail;
  readonly place: Place;
  readonly parent: EntryId;
  readonly back: number;
}

/** Follows the distance a record gives; it is a hint, so the id is checked and searched for when it does not match. */
async function parentOf(source: Source, file: LogicalFile, link: Link): Promise<Place | undefined> {
  const { table, index } = link.place;
  const wanted = idBytes(link.parent);
  const near = link.back === 0 ? table : await readCommit(file, table.frame.offset - link.back);
  const at = near === undefined ? -1 : indexOf(near, wanted);
  const found = near !== undefined && at >= 0 ? { table: near, index: at } : await locate(source, file, link.tail, link.parent);
  if (found === undefined) return undefined;
  const isEarlier =
    found.table.frame.offset < table.frame.offset || (found.table.frame.offset === table.frame.offset && found.index < index);
  return isEarlier ? found : undefined;
}

/**
 * Committed changes in order. Damaged ones are skipped and recorded in the source's damage log. Following ends when the
 * session is closed.
 */
export async function* readChanges(source: Source, options: ChangesOptions): AsyncGenerator<CommittedChange, void, undefined> {
  const { from, signal } = options;
  const watch = options.follow === true ? source.watch() : undefined;
  try {
    let tail = await source.refresh();
    const walk = await openWalk(source, tail, from);
    for (;;) {
      yield* readToBoundary(source, walk, { after: from?.seq ?? 0, signal });
      if (watch === undefined || isAborted(signal)) return;
      tail = await grownTail(source, watch, { boundary: tail.offset, signal });
      walk.extend(tail.offset);
    }
  } catch (error) {
    if (watch === undefined || !(error instanceof ClosedError)) throw error;
  } finally {
    watch?.close();
  }
}

async function* readToBoundary(
  source: Source,
  walk: CommitWalk,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal | undefined },
): AsyncGenerator<CommittedChange, void, undefined> {
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined || isAborted(signal)) return;
    if (table.frame.seq <= after) continue;
    const change = await readChange(source, walk.file, table);
    if (change !== undefined) yield change;
  }
}

/**
 * The tail once it reaches beyond `boundary`, or as it is when `signal` aborts. Throws when the file was replaced or removed,
 * but only after everything that is in it was taken.
 */
async function grownTail(
  source: Source,
  watch: GrowthWatch,
  { boundary, signal }: { readonly boundary: number; readonly signal: AbortSignal | undefined },
): Promise<Tail> {
  let tail = await source.refresh();
  while (tail.offset <= boundary && !isAborted(signal)) {
    await watch.grown(signal);
    const fate = watch.fate?.();
    tail = await source.refresh();
    if (fate !== undefined && tail.offset <= boundary) throw new SessionStorageError(fate);
  }
  return tail;
}

async function openWalk(source: Source, tail: Tail, from: Position | undefined): Promise<CommitWalk> {
  if (from === undefined) return walkFrom(source, tail, undefined);
  checkPosition(source, tail, from);
  return walkFrom(source, tail, (commit) => commit.frame.seq <= from.seq);
}

/** Throws SessionStorageError for a position of another session, another epoch or the future, and for what cannot be one. */
export function checkPosition(source: Source, tail: Tail, position: Position): void {
  const { seq } = position;
  const isPlace = Number.isSafeInteger(seq) && seq >= 0 && seq <= tail.seq;
  if (isPlace && position.session === source.id && position.epoch === source.epoch) return;
  throw new SessionStorageError(positionForeign(source.id, `${position.session}/${position.epoch}/${position.seq}`));
}

/** A walk to the end that misses no commit for which `isBefore` is false; without it from the first one. */
export async function walkFrom(
  source: Source,
  tail: Pick<Tail, "offset">,
  isBefore: ((commit: CommitTable) => boolean) | undefined,
): Promise<CommitWalk> {
  const scattered = new Logical(source.file, source.seed, SCATTERED);
  const cursor = isBefore === undefined ? { offset: 0, seq: 0 } : await seek(scattered, tail, isBefore);
  const file = new Logical(source.file, source.seed, SEQUENTIAL);
  return new CommitWalk(file, cursor, tail.offset, source.damage.add.bind(source.damage));
}

async function readChange(source: Source, file: LogicalFile, table: CommitTable): Promise<CommittedChange | undefined> {
  const entries: Entry[] = [];
  for (let index = 0; index < table.records; index += 1) {
    const entry = peekEntry(file, table, index) ?? (await readEntry(file, table, index));
    if (entry === "damaged") {
      lose(source, table);
      return undefined;
    }
    if ((table.flags(index) & FLAG.history) !== 0) source.places.set(entry.id, table.frame.offset);
    entries.push(entry);
  }
  const position = { session: source.id, epoch: source.epoch, seq: table.frame.seq };
  return { position, time: table.time, leaf: table.leaf, entries };
}

/** Entries of some types in committed order; the payloads of all others are neither checked nor decoded. */
export async function* scanEntries(
  source: Source,
  types: ReadonlySet<EntryType>,
  { since = 0, until = Number.POSITIVE_INFINITY }: { readonly since?: number; readonly until?: number } = {},
): AsyncGenerator<Entry, void, undefined> {
  const tail = await source.refresh();
  const walk = await walkFrom(source, tail, since === 0 ? undefined : (commit) => commit.time < since);
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined || table.frame.seq > until) return;
    if (table.time < since) continue;
    for (const index of indexesOf(table, types)) {
      const entry = await entryAt(walk.file, table, index);
      if (entry === "damaged") lose(source, table);
      else yield entry;
    }
  }
}

const entryAt = (file: LogicalFile, table: CommitTable, index: number): Entry | "damaged" | Promise<Entry | "damaged"> =>
  peekEntry(file, table, index) ?? readEntry(file, table, index);

function indexesOf(table: CommitTable, types: ReadonlySet<EntryType>): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < table.records; index += 1) if (types.has(typeOfKind(table.kind(index)))) found.push(index);
  return found;
}

export async function getEntry(source: Source, id: EntryId): Promise<Entry | undefined> {
  const tail = await source.refresh();
  const file = new Logical(source.file, source.seed, SCATTERED);
  const place = await locate(source, file, tail, id);
  if (place === undefined || place.index < 0) return undefined;
  const entry = await readEntry(file, place.table, place.index);
  if (entry !== "damaged") return entry;
  lose(source, place.table);
  return undefined;
}
