import type { EntryId, SubmissionId } from "../../base/index.js";
import type { EntryType, Position, ReceiptEntry, StateFields, SubmissionEntry } from "../../schema/index.js";
import type { CommitTable } from "../codec/index.js";
import { FLAG, idTime, typeOfKind } from "../codec/index.js";
import type { LiveState } from "../live/index.js";
import { keyHash, stateName } from "../live/index.js";
import type { LogicalFile } from "../log/index.js";
import { LogicalFile as Logical, readCommit, readEntry, SCATTERED, SEQUENTIAL } from "../log/index.js";
import type { Ending } from "./checkpoints.js";
import { CommitWalk } from "./commits.js";
import { commitsOfKey, fencesOf } from "./fences.js";
import { LiveCursor } from "./live.js";
import { cursorAfter, idBytes } from "./locate.js";
import type { Source } from "./source.js";
import { checkPosition, getEntry, lose, walkBranch, walkFrom } from "./traverse.js";

/** What a commit holds of what is looked for: a promise only when it has to be read. */
type Look<Found> = (file: LogicalFile, table: CommitTable) => Promise<Found | undefined> | undefined;

async function firstOf<Found>(walk: CommitWalk, look: Look<Found>): Promise<Found | undefined> {
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined) return undefined;
    const pending = look(walk.file, table);
    const found = pending === undefined ? undefined : await pending;
    if (found !== undefined) return found;
  }
}

/** Indexes of own records of a type. */
function ownRecords(table: CommitTable, type: EntryType): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < table.records; index += 1) {
    if (typeOfKind(table.kind(index)) === type && (table.flags(index) & FLAG.source) === 0) found.push(index);
  }
  return found;
}

/** The admission made with a key: by the index of keys, then in what came after it; where it has holes, in every table. */
export async function findAdmission(source: Source, given: string): Promise<SubmissionEntry | undefined> {
  // As it is stored: no text of a file has a lone surrogate.
  const key = given.toWellFormed();
  const tail = await source.refresh();
  const file = new Logical(source.file, source.seed, SCATTERED);
  const hash = keyHash(key);
  const look: Look<SubmissionEntry> = (from, table) => {
    const records = ownRecords(table, "submission");
    return records.length === 0 ? undefined : admissionIn(source, from, { table, records, key });
  };
  const coverage = await fencesOf(source.places).as(file, tail);
  const newest = coverage.checkpoints[0];
  const isKnown = source.recent !== undefined && source.recent.newest === newest?.frame.offset;
  const recent = isKnown ? (source.recent?.keyed(hash) ?? []) : [];
  for (const offset of [...recent, ...(await commitsOfKey(file, coverage, hash))]) {
    const table = await readCommit(file, offset);
    const found = table && (await look(file, table));
    if (found !== undefined) return found;
  }
  if (!coverage.isComplete) return firstOf(await walkFrom(source, tail, undefined), look);
  if (isKnown) return undefined;
  return firstOf(
    new CommitWalk(new Logical(source.file, source.seed, SEQUENTIAL), cursorAfter(newest), tail.offset, () => undefined),
    look,
  );
}

async function admissionIn(
  source: Source,
  file: LogicalFile,
  { table, records, key }: { readonly table: CommitTable; readonly records: readonly number[]; readonly key: string },
): Promise<SubmissionEntry | undefined> {
  for (const index of records) {
    const entry = await readEntry(file, table, index);
    if (entry === "damaged") lose(source, table);
    else if (entry.type === "submission" && entry.key === key) return entry;
  }
  return undefined;
}

/**
 * Terminal receipt of an own submission. It is younger than the submission, and so than the time in its id; where a clock went
 * back it is older than that, and found in what lies before.
 */
export async function findReceipt(
  source: Source,
  submission: SubmissionId,
  live: () => Promise<LiveState>,
): Promise<ReceiptEntry | undefined> {
  const wanted = idBytes(submission);
  const look: Look<ReceiptEntry> = (file, table) => {
    const index = ownRecords(table, "receipt").find((candidate) => table.hasPairing(candidate, wanted));
    return index === undefined ? undefined : receiptAt(source, file, { table, index });
  };
  const open = await live();
  if (open.submissions.has(submission)) return undefined;
  const tail = await source.refresh();
  const time = idTime(submission);
  const found = await firstOf(await walkFrom(source, tail, (commit) => commit.time < time), look);
  return found ?? firstOf(await walkFrom(source, tail, undefined), look);
}

async function receiptAt(
  source: Source,
  file: LogicalFile,
  { table, index }: { readonly table: CommitTable; readonly index: number },
): Promise<ReceiptEntry | undefined> {
  const entry = await readEntry(file, table, index);
  if (entry === "damaged") lose(source, table);
  return entry !== "damaged" && entry.type === "receipt" ? entry : undefined;
}

const fieldsOf = ({ owner, key, version, fork, operation, value }: StateFields): StateFields => ({
  owner,
  key,
  version,
  fork,
  operation,
  ...(value === undefined ? {} : { value }),
});

/** Session state as of a position (default: now). What ended with its work is gone from then on. */
export async function findState(
  source: Source,
  name: { readonly owner: string; readonly key: string; readonly at: Position | undefined },
  live: () => Promise<LiveState>,
): Promise<StateFields | undefined> {
  const { at } = name;
  const { states } = at === undefined ? await live() : await liveAsOf(source, at);
  const item = states.get(stateName(name.owner, name.key));
  const entry = item && (await getEntry(source, item.entry));
  return entry?.type === "state" ? fieldsOf(entry) : undefined;
}

async function liveAsOf(source: Source, at: Position): Promise<LiveState> {
  const tail = await source.refresh();
  checkPosition(source, tail, at);
  const walk = await walkFrom(source, tail, (commit) => commit.frame.seq <= at.seq);
  let ending: Ending = { commit: undefined, offset: 0, seq: 0 };
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined || table.frame.seq > at.seq) return new LiveCursor(source).at(ending);
    ending = { commit: table.frame.offset, offset: table.frame.end, seq: table.frame.seq };
  }
}

/** Branch state as of a leaf: the newest change on the way back. */
export async function findBranchState(
  source: Source,
  owner: string,
  key: string,
  leaf: EntryId | undefined,
): Promise<StateFields | undefined> {
  for await (const { file, table, index } of walkBranch(source, leaf)) {
    if (typeOfKind(table.kind(index)) !== "branch-state") continue;
    const entry = await readEntry(file, table, index);
    if (entry === "damaged") lose(source, table);
    else if (entry.type === "branch-state" && entry.owner === owner && entry.key === key) {
      return entry.operation === "delete" ? undefined : fieldsOf(entry);
    }
  }
  return undefined;
}
