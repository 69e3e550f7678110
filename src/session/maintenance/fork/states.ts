import type { Result } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { CommitTable } from "../../codec/index.js";
import { KINDS, placeOf } from "../../codec/index.js";
import { stateName } from "../../live/index.js";
import type { Damage, LogicalFile } from "../../log/index.js";
import { peekEntry, readEntry } from "../../log/index.js";
import { CommitWalk } from "../../reader/index.js";
import { interrupted } from "../diagnostics.js";

/**
 * Places of the session state a fork begins with: of every key the newest record before `end`, when it holds a value that was
 * declared to be copied and is not bound to work, which stays with the source.
 */
export async function copiedStates(
  file: LogicalFile,
  { end, signal }: { readonly end: number; readonly signal: AbortSignal | undefined },
  refuse: (damage: Damage) => Diagnostic,
): Promise<Result<ReadonlySet<number>, Diagnostic>> {
  let refusal: Diagnostic | undefined;
  const walk = new CommitWalk(file, { offset: 0, seq: 0 }, end, (damage) => {
    refusal ??= refuse(damage);
  });
  const newest = new Map<string, number>();
  while (refusal === undefined) {
    const table = walk.peek() ?? (await walk.next());
    if (signal?.aborted === true) return err(interrupted("fork"));
    if (table === undefined) break;
    for (let index = 0; index < table.records; index += 1) {
      if (table.kind(index) !== KINDS.state.kind) continue;
      if (!(await take(file, table, index, newest))) refusal ??= refuse(lossOf(table));
    }
  }
  return refusal === undefined ? ok(new Set(newest.values())) : err(refusal);
}

async function take(file: LogicalFile, table: CommitTable, index: number, newest: Map<string, number>): Promise<boolean> {
  const entry = peekEntry(file, table, index) ?? (await readEntry(file, table, index));
  if (entry === "damaged") return false;
  if (entry.type !== "state") return true;
  const name = stateName(entry.owner, entry.key);
  const isCopied = entry.operation === "put" && entry.fork === "copy" && entry.work === undefined;
  if (isCopied) newest.set(name, placeOf(table.frame.offset, index));
  else newest.delete(name);
  return true;
}

const lossOf = ({ frame }: CommitTable): Damage => ({
  firstSeq: frame.seq,
  lastSeq: frame.seq,
  from: frame.offset,
  to: frame.end,
});
