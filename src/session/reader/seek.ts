import type { CommitTable } from "../codec/index.js";
import { blockOf, FRAME } from "../codec/index.js";
import type { LogicalFile, Tail } from "../log/index.js";
import { FrameWalk, readTable } from "../log/index.js";
import type { Cursor } from "./commits.js";

/** Where to start so that no commit for which `isBefore` is false is missed: a binary search over blocks. */
export async function seek(file: LogicalFile, tail: Pick<Tail, "offset">, isBefore: (commit: CommitTable) => boolean): Promise<Cursor> {
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
