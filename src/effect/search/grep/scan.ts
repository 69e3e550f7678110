import { err, ok, utf8Length } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, GrepInput } from "../../../schema/index.js";
import type { BytePath } from "../../paths/index.js";
import { displayPath } from "../../paths/index.js";
import type { LinePattern } from "../pattern/index.js";
import { compileLinePattern } from "../pattern/index.js";
import type { SearchScope, StopFlag } from "../task.js";
import { limitOf, SEARCH_BOUNDS } from "../task.js";
import type { ShownLine } from "./context-lines.js";
import { createContextLines } from "./context-lines.js";
import type { FileVerdict } from "./search-file.js";
import { createFileReader } from "./search-file.js";
import type { TextSearch } from "./search-text.js";

/** What one file has to show. */
export interface FoundFile {
  readonly path: string;
  readonly lines: readonly ShownLine[];
  readonly count: number;
  /** It has more to show than fits. */
  readonly isCut: boolean;
}

export type Skipped = Record<Exclude<FileVerdict, "searched">, number>;

export const nothingSkipped = (): Skipped => ({ binary: 0, tooLarge: 0, unreadable: 0, split: 0 });

/** What came of some files. No more is shown than one answer holds; all is counted. */
export interface BatchResult {
  readonly files: readonly FoundFile[];
  /** Matches, shown or not, and files that have them. */
  readonly matches: number;
  readonly matchedFiles: number;
  readonly skipped: Skipped;
  /** Every file was searched to its end. */
  readonly isWhole: boolean;
}

export interface Scan {
  /** The pattern asks for a line end and is matched line by line. */
  readonly spansLines: boolean;
  run(paths: readonly BytePath[]): BatchResult;
}

export interface ScanDeps {
  readonly stop: StopFlag;
  /** Told the path before anything runs that may never end. */
  readonly began: (path: BytePath) => void;
}

export const grepMode = (input: GrepInput): "lines" | "files" | "count" => input.mode ?? "lines";

/** What bounds an answer: matches, or files where only those are asked for. */
export const grepLimit = (input: GrepInput): number => limitOf(input.limit, SEARCH_BOUNDS.matches, SEARCH_BOUNDS.mostMatches);

/** Lines around a match. */
export const grepContext = (input: GrepInput): number => Math.min(Math.max(0, Math.trunc(input.context ?? 0)), SEARCH_BOUNDS.context);

/** Searches files as `input` says. */
export function createScan(input: GrepInput, scope: SearchScope, deps: ScanDeps): Result<Scan, Diagnostic> {
  const pattern = compileLinePattern(input);
  if (!pattern.ok) return err(pattern.error);
  const reader = createFileReader(deps.began);
  const compiled = pattern.value;
  return ok({
    spansLines: compiled.spansLines,
    run(paths) {
      const batch = newBatch(input);
      for (const path of paths) {
        if (deps.stop() !== "none") return { ...batch, isWhole: false };
        const search = searchOf(input, compiled, { batch, stop: deps.stop });
        const verdict = reader.run(path, search);
        if (verdict !== "searched") batch.skipped[verdict] += 1;
        if (verdict !== "unreadable") keep(batch, search, () => displayPath(path, scope.cwd));
      }
      return { ...batch, isWhole: deps.stop() === "none" };
    },
  });
}

interface Batch {
  readonly mode: "lines" | "files" | "count";
  readonly limit: number;
  readonly files: FoundFile[];
  readonly skipped: Skipped;
  matches: number;
  matchedFiles: number;
  bytes: number;
}

const newBatch = (input: GrepInput): Batch => ({
  mode: grepMode(input),
  limit: grepLimit(input),
  files: [],
  skipped: nothingSkipped(),
  matches: 0,
  matchedFiles: 0,
  bytes: 0,
});

function searchOf(input: GrepInput, pattern: LinePattern, { batch, stop }: { readonly batch: Batch; readonly stop: StopFlag }): TextSearch {
  const isLines = batch.mode === "lines";
  const context = isLines ? grepContext(input) : 0;
  const lines = createContextLines(context);
  const search: TextSearch = {
    pattern,
    lines,
    context,
    stop,
    isFull: () => !isLines || batch.matches + search.count > batch.limit || batch.bytes + lines.bytes > SEARCH_BOUNDS.bytes,
    firstOnly: batch.mode === "files",
    passedLines: 0,
    count: 0,
  };
  return search;
}

function keep(batch: Batch, search: TextSearch, shown: () => string): void {
  if (search.count === 0) return;
  show(batch, search, shown);
  batch.matches += search.count;
  batch.matchedFiles += 1;
}

function show(batch: Batch, search: TextSearch, shown: () => string): void {
  if (batch.bytes > SEARCH_BOUNDS.bytes || batch.files.length >= batch.limit) return;
  if (batch.mode === "lines" && search.lines.shown.length === 0) return;
  const path = shown();
  batch.files.push({ path, lines: search.lines.shown, count: search.count, isCut: batch.mode === "lines" && search.isFull() });
  batch.bytes += utf8Length(path) + search.lines.bytes;
}
