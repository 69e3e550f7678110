import type { EntryType } from "../../schema/index.js";
import type { CommitTable, Frame, SummaryFields } from "../codec/index.js";
import { blockOf, decodeSummary, FRAME, FRAME_HEADER_BYTES, foldSummary, INPUT_SOURCE, typeOfKind } from "../codec/index.js";
import type { OpenFile, Tail } from "../log/index.js";
import { FrameWalk, LogicalFile, readEntry, readTable, SCATTERED } from "../log/index.js";

const TOLD: ReadonlySet<EntryType> = new Set<EntryType>(["session-info", "user-message", "assistant"]);

export interface SummaryRequest {
  readonly file: OpenFile;
  readonly seed: number;
  readonly tail: Tail;
  /** What the tail was read through, when that is still there: its blocks are at hand. */
  readonly through?: LogicalFile;
  /** Blocks before the end in which a SUMMARY is looked for; bounds the reading. */
  readonly maxBlocks: number;
}

/**
 * What listing shows: the newest SUMMARY and whatever was committed after it. Without one within reach: what the first and
 * the last blocks tell, and no number of turns.
 */
export async function summarize(request: SummaryRequest): Promise<SummaryFields> {
  const file = request.through ?? new LogicalFile(request.file, request.seed, SCATTERED);
  const { tail } = request;
  if (tail.summary !== undefined) {
    const known = await readSummary(file, tail.summary);
    if (known !== undefined) return tail.summary.seq >= tail.seq ? known : fold(file, known, [tail.summary.end, tail.offset]);
  }
  const block = Math.max(0, blockOf(tail.offset) - request.maxBlocks);
  const header = await file.blockHeader(block);
  const start = header?.frame ?? 0;
  const newest = await newestSummary(file, start, tail.offset);
  const known = newest && (await readSummary(file, newest));
  if (newest !== undefined && known !== undefined) return fold(file, known, [newest.end, tail.offset]);
  if (start === 0) return fold(file, {}, [0, Math.min(tail.offset, HEAD_BYTES + request.maxBlocks * HEAD_BYTES)]);
  const head = await fold(file, {}, [0, HEAD_BYTES]);
  const { turns: _unknown, ...rest } = await fold(file, head, [start, tail.offset]);
  return rest;
}

const HEAD_BYTES = 65_536;

async function readSummary(file: LogicalFile, frame: Frame): Promise<SummaryFields | undefined> {
  const body = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
  return body && decodeSummary(Buffer.from(body));
}

async function newestSummary(file: LogicalFile, start: number, end: number): Promise<Frame | undefined> {
  const walk = new FrameWalk(file, start, end);
  let newest: Frame | undefined;
  for (;;) {
    const step = await walk.next();
    if (step === undefined) return newest;
    if (step.type === "frame" && step.frame.type === FRAME.summary) newest = step.frame;
  }
}

async function fold(file: LogicalFile, before: SummaryFields, [start, end]: readonly [number, number]): Promise<SummaryFields> {
  const walk = new FrameWalk(file, start, end);
  let summary = before;
  for (;;) {
    const step = await walk.next();
    if (step === undefined) return summary;
    if (step.type !== "frame" || step.frame.type !== FRAME.commit) continue;
    const table = await readTable(file, step.frame);
    if (table !== undefined) summary = await foldCommit(file, summary, table);
  }
}

async function foldCommit(file: LogicalFile, before: SummaryFields, table: CommitTable): Promise<SummaryFields> {
  let summary = before;
  for (let index = 0; index < table.records; index += 1) {
    const type = typeOfKind(table.kind(index));
    if (!TOLD.has(type)) continue;
    if (rawBytes(table, index) > LONG_BYTES) {
      if (type === "user-message" && INPUT_SOURCE.decode(table.record(index).sub) === "prompt")
        summary = { ...summary, turns: (summary.turns ?? 0) + 1 };
      continue;
    }
    const entry = await readEntry(file, table, index);
    if (entry !== "damaged") summary = foldSummary(summary, entry);
  }
  return summary;
}

/** Texts beyond this are not read for the few words a summary shows: the cost of listing must not follow them. */
const LONG_BYTES = 1024 * 1024;

function rawBytes(table: CommitTable, index: number): number {
  const [first, count] = table.span(index);
  let bytes = 0;
  for (let at = first; at < first + count; at += 1) bytes += table.descriptor(at).raw;
  return bytes;
}
