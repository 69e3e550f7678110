import { plural, utf8Length } from "../../../base/index.js";
import type { GrepInput, GrepOutput } from "../../../schema/index.js";
import { SEARCH_BOUNDS } from "../task.js";
import { bytesOfLine } from "./context-lines.js";
import type { BatchResult, FoundFile, Skipped } from "./scan.js";
import { grepContext, grepLimit, grepMode, nothingSkipped } from "./scan.js";

/** How a search came to its end. `early`: the answer was full and enough was counted. */
export type GrepEnd = "all" | "early" | "late";

export interface GrepMerge {
  /** Batches count from 0 in the order of paths and come in any order. True once those that follow cannot change the answer. */
  add(index: number, result: BatchResult): boolean;
  /** `notes`: of what was walked. The same for the same tree, however the threads ran, unless it was late. */
  finish(end: GrepEnd, notes: readonly string[]): GrepOutput;
}

const COUNTED_BATCHES = SEARCH_BOUNDS.countedFiles / SEARCH_BOUNDS.batchFiles;

export function createGrepMerge(input: GrepInput): GrepMerge {
  const batches: (BatchResult | undefined)[] = [];
  const answer = newAnswer(input);
  /** Batches from the first on that are all there. */
  let known = 0;
  return {
    add(index, result) {
      batches[index] = result;
      for (let next = batches[known]; next !== undefined && !isEnough(known, answer); next = batches[known]) {
        take(answer, next);
        known += 1;
      }
      return isEnough(known, answer);
    },
    finish(end, notes) {
      // A search that was ended shows what is there, also behind what is missing.
      if (end === "late") for (const batch of batches.slice(known)) if (batch !== undefined) take(answer, batch);
      return outputOf(answer, end, notes);
    },
  };
}

interface Answer {
  readonly mode: "lines" | "files" | "count";
  readonly limit: number;
  readonly context: number;
  readonly files: GrepOutput["files"][number][];
  readonly skipped: Skipped;
  bytes: number;
  /** Lines shown that match. */
  shown: number;
  matches: number;
  matchedFiles: number;
  /** Something was left out. */
  isFull: boolean;
  isFullOfBytes: boolean;
}

const newAnswer = (input: GrepInput): Answer => ({
  mode: grepMode(input),
  limit: grepLimit(input),
  context: grepContext(input),
  files: [],
  skipped: nothingSkipped(),
  bytes: 0,
  shown: 0,
  matches: 0,
  matchedFiles: 0,
  isFull: false,
  isFullOfBytes: false,
});

const isEnough = (known: number, answer: Answer): boolean => answer.isFull && known >= COUNTED_BATCHES;

function take(answer: Answer, batch: BatchResult): void {
  for (const file of batch.files) {
    if (answer.isFull) break;
    if (answer.mode === "lines") takeLines(answer, file);
    else takeName(answer, file);
  }
  // The batch itself had more than it could hold.
  if (batch.files.length < batch.matchedFiles) answer.isFull = true;
  answer.matches += batch.matches;
  answer.matchedFiles += batch.matchedFiles;
  for (const key of ["binary", "tooLarge", "unreadable", "split"] as const) answer.skipped[key] += batch.skipped[key];
}

function takeName(answer: Answer, { path, count }: FoundFile): void {
  const bytes = utf8Length(path) + 8;
  answer.isFullOfBytes = answer.bytes + bytes > SEARCH_BOUNDS.bytes;
  answer.isFull = answer.isFullOfBytes || answer.files.length >= answer.limit;
  if (answer.isFull) return;
  answer.bytes += bytes;
  answer.files.push({ path, lines: [], ...(answer.mode === "count" ? { count } : {}) });
}

function takeLines(answer: Answer, { path, lines, isCut }: FoundFile): void {
  let kept = 0;
  let lastMatch = -1;
  let bytes = answer.bytes + utf8Length(path);
  for (const line of lines) {
    bytes += bytesOfLine(line);
    answer.isFullOfBytes = bytes > SEARCH_BOUNDS.bytes;
    answer.isFull = answer.isFullOfBytes || (line.match && answer.shown >= answer.limit);
    if (answer.isFull) break;
    if (line.match) {
      answer.shown += 1;
      lastMatch = kept;
    }
    kept += 1;
  }
  // What would have been context of a match that is not shown goes with it.
  const end = answer.isFull ? Math.min(kept, lastMatch + 1 + answer.context) : kept;
  if (lastMatch >= 0) {
    answer.bytes = bytes;
    answer.files.push({ path, lines: lines.slice(0, end) });
  }
  answer.isFull ||= isCut;
}

function outputOf(answer: Answer, end: GrepEnd, notes: readonly string[]): GrepOutput {
  const shown = answer.mode === "lines" && answer.isFull ? answer.shown : shownMatches(answer);
  return {
    files: answer.files,
    matchCount: shown,
    truncated: answer.isFull || end === "late",
    total: { matches: answer.matches, files: answer.matchedFiles, isExact: end === "all" },
    notes: [...(answer.isFullOfBytes ? [`cut at ${String(SEARCH_BOUNDS.bytes)} bytes`] : []), ...notes, ...skippedNotes(answer.skipped)],
  };
}

/** Matches of the files that are shown. */
function shownMatches(answer: Answer): number {
  if (answer.mode !== "count" || !answer.isFull) return answer.mode === "files" ? answer.files.length : answer.matches;
  return answer.files.reduce((sum, { count }) => sum + (count ?? 0), 0);
}

function skippedNotes(skipped: Skipped): readonly string[] {
  const notes: string[] = [];
  if (skipped.binary > 0) notes.push(`${plural(skipped.binary, "binary file")} passed over`);
  if (skipped.tooLarge > 0) notes.push(`${plural(skipped.tooLarge, "file")} over ${String(SEARCH_BOUNDS.fileBytes)} bytes passed over`);
  if (skipped.unreadable > 0) notes.push(`${plural(skipped.unreadable, "file")} could not be read`);
  if (skipped.split > 0)
    notes.push(`${plural(skipped.split, "file")} with a line over ${String(SEARCH_BOUNDS.lineBytes)} bytes searched in pieces`);
  return notes;
}
