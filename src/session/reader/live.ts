import type { Checkpoint, CommitTable } from "../codec/index.js";
import { typeOfKind } from "../codec/index.js";
import type { Foldable, LiveState } from "../live/index.js";
import { CheckpointLog, decodeFold, foldableOf, foldingOf, isTransition, LiveFold } from "../live/index.js";
import type { Damage, LogicalFile, OpenFile, Tail } from "../log/index.js";
import { LogicalFile as Logical, peekEntry, readEntry, SCATTERED, SEQUENTIAL } from "../log/index.js";
import type { Ending } from "./checkpoints.js";
import { CheckpointChain, readState } from "./checkpoints.js";
import type { Cursor } from "./commits.js";
import { CommitWalk } from "./commits.js";
import { cursorAfter } from "./locate.js";
import type { Source } from "./source.js";

/** Where folding begins: the newest checkpoint whose live state can be read, or the first commit. */
interface Start {
  readonly fold: LiveFold;
  readonly cursor: Cursor;
  /** Newest valid checkpoint, which may carry no live state. */
  readonly newest: Checkpoint | undefined;
}

async function startOf(file: LogicalFile, ending: Ending): Promise<Start> {
  const chain = new CheckpointChain(file, ending);
  let newest: Checkpoint | undefined;
  for (let found = await chain.next(); found !== undefined; found = await chain.next()) {
    newest ??= found;
    const state = await readState(file, found);
    const fold = state && decodeFold(state);
    if (fold !== undefined && fold.seq === found.frame.seq) return { fold, cursor: cursorAfter(found), newest };
  }
  return { fold: new LiveFold(), cursor: cursorAfter(undefined), newest };
}

/**
 * What of a commit is folded, and whether any of it could not be read: then nothing of a transition it was part of is. Long
 * payloads are read through `away`, which may be `file`.
 */
export async function foldables(
  { file, away }: { readonly file: LogicalFile; readonly away: LogicalFile },
  table: CommitTable,
): Promise<{ readonly entries: readonly Foldable[]; readonly isDamaged: boolean }> {
  const entries: Foldable[] = [];
  const rest: Foldable[] = [];
  let isDamaged = false;
  let isHalf = false;
  for (let index = 0; index < table.records; index += 1) {
    const type = typeOfKind(table.kind(index));
    const folding = foldingOf(type, () => table.record(index).sub);
    if (folding === "nothing") continue;
    const isPart = isTransition({ kind: table.kind(index), flags: table.flags(index) });
    const entry = await foldableAt({ file, away }, table, { index, folding, isAlone: type === "tool-result" });
    if (entry === "damaged") {
      isDamaged = true;
      isHalf ||= isPart;
    } else if (entry !== undefined) {
      entries.push(entry);
      if (!isPart) rest.push(entry);
    }
  }
  return { entries: isHalf ? rest : entries, isDamaged };
}

/** `isAlone`: where its payloads cannot be read, its record is folded all the same. */
async function foldableAt(
  { file, away }: { readonly file: LogicalFile; readonly away: LogicalFile },
  table: CommitTable,
  { index, folding, isAlone }: { readonly index: number; readonly folding: "entry" | "record"; readonly isAlone: boolean },
): Promise<Foldable | "damaged" | undefined> {
  if (folding === "record") return foldableOf(table.record(index));
  const entry = peekEntry(file, table, index) ?? (await readEntry(away, table, index));
  return entry === "damaged" && isAlone ? foldableOf(table.record(index)) : entry;
}

/** Calls back for every readable commit from `cursor` to `until`, with what of it is folded. */
async function foldForward(
  file: LogicalFile,
  span: { readonly cursor: Cursor; readonly until: number },
  each: { readonly commit: (table: CommitTable, entries: readonly Foldable[]) => void; readonly lose: (damage: Damage) => void },
): Promise<void> {
  // Commits missing right behind a checkpoint may have been declared gone before it; whoever walks the file tells.
  const { cursor, until } = span;
  const walk = new CommitWalk(file, cursor, until, (damage) => {
    if (cursor.offset === 0 || damage.firstSeq > cursor.seq + 1) each.lose(damage);
  });
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined) return;
    const { entries, isDamaged } = await foldables({ file, away: file }, table);
    const { seq, offset, end } = table.frame;
    if (isDamaged) each.lose({ firstSeq: seq, lastSeq: seq, from: offset, to: end });
    each.commit(table, entries);
  }
}

/** The log a writer goes on with: live state as of the tail, and ids and keys since the newest checkpoint. */
export async function loadLog(file: OpenFile, seed: number, tail: Tail): Promise<CheckpointLog> {
  const { fold, cursor, newest } = await startOf(new Logical(file, seed, SCATTERED), tail);
  const log = new CheckpointLog({
    fold,
    indexedSeq: newest?.frame.seq ?? 0,
    newest: newest?.frame.offset,
    end: newest?.rest ?? 0,
  });
  const commit = (table: CommitTable, entries: readonly Foldable[]): void => {
    log.add({ seq: table.frame.seq, offset: table.frame.offset, records: table.recordBytes, count: table.records }, entries);
  };
  const span = { cursor, until: tail.offset };
  await foldForward(new Logical(file, seed, SEQUENTIAL), span, { commit, lose: () => undefined });
  return log;
}

/** Beyond this it is cheaper to begin again at a checkpoint. */
const FAR_BYTES = 16 * 1024 * 1024;

/** Live state for an observer: goes on from the last answer. */
export class LiveCursor {
  readonly #source: Source;
  #fold: LiveFold | undefined;
  #next = 0;
  #running: Promise<unknown> = Promise.resolve();

  constructor(source: Source) {
    this.#source = source;
  }

  /** `ending` never goes back from call to call. */
  at(ending: Ending): Promise<LiveState> {
    const state = this.#running.then(() => this.#advance(ending));
    this.#running = state.catch(() => undefined);
    return state;
  }

  async #advance(ending: Ending): Promise<LiveState> {
    const { file, seed, damage } = this.#source;
    if (this.#fold === undefined || ending.offset - this.#next > FAR_BYTES) {
      const { fold, cursor } = await startOf(new Logical(file, seed, SCATTERED), ending);
      if (this.#fold === undefined || fold.seq > this.#fold.seq) {
        this.#fold = fold;
        this.#next = cursor.offset;
      }
    }
    const live = this.#fold;
    const span = { cursor: { offset: this.#next, seq: live.seq }, until: ending.offset };
    await foldForward(new Logical(file, seed, SEQUENTIAL), span, {
      commit: (table, entries) => {
        live.advance(table.frame.seq);
        for (const entry of entries) live.apply(entry);
        this.#next = table.frame.end;
      },
      lose: damage.add.bind(damage),
    });
    return live.state();
  }
}
