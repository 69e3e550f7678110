import type { StructuredPatchHunk } from "diff";

export interface DiffReport {
  /** Unified diff with `---` and `+++` lines, at most {@link MAX_DIFF_CHARACTERS}; empty when nothing changed. */
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
}

const CONTEXT_LINES = 3;
/** Changed part compared line by line; beyond it both sides are only counted. */
const MAX_COMPARED = 512 * 1024;
const MAX_DIFF_CHARACTERS = 64 * 1024;
const TIMEOUT_MS = 300;

export interface DiffRequest {
  /** Shown name. */
  readonly path: string;
  /** Undefined when the file is new. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * The change as a unified diff. Lines that both ends of the file share are cut away first, so a small change in a large
 * file stays cheap; a change too large (or too slow) to compare is summed up in one line.
 */
export async function unifiedDiff({ path, before, after }: DiffRequest): Promise<DiffReport> {
  const old = before ?? "";
  if (before === after) return { diff: "", addedLines: 0, removedLines: 0 };
  const header = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n`;
  const changed = changedPart(old, after);
  const hunks = changed.old.length + changed.fresh.length > MAX_COMPARED ? undefined : await compare(changed.old, changed.fresh);
  if (hunks === undefined) return summary(header, changed);
  let addedLines = 0;
  let removedLines = 0;
  for (const line of hunks.flatMap((hunk) => hunk.lines)) {
    if (line.startsWith("+")) addedLines += 1;
    else if (line.startsWith("-")) removedLines += 1;
  }
  const body = hunks.map((hunk) => hunkText(hunk, changed.skippedLines)).join("");
  if (body.length > MAX_DIFF_CHARACTERS) return { ...summary(header, changed), addedLines, removedLines };
  return { diff: header + body, addedLines, removedLines };
}

// The package is loaded at the first change, not at start.
async function compare(old: string, fresh: string): Promise<readonly StructuredPatchHunk[] | undefined> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("a", "b", old, fresh, undefined, undefined, { context: CONTEXT_LINES, timeout: TIMEOUT_MS });
  return patch?.hunks;
}

function hunkText(hunk: StructuredPatchHunk, skipped: number): string {
  const range = (start: number, count: number): string => {
    const first = count === 0 ? start - 1 : start;
    return `${first + skipped}${count === 1 ? "" : `,${count}`}`;
  };
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@\n${hunk.lines.map((line) => `${line}\n`).join("")}`;
}

interface ChangedPart {
  readonly old: string;
  readonly fresh: string;
  /** Lines before the part. */
  readonly skippedLines: number;
}

/** Both texts without the lines they share at either end, but for the lines of context. */
function changedPart(old: string, fresh: string): ChangedPart {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old.charCodeAt(head) === fresh.charCodeAt(head)) head += 1;
  let tail = 0;
  while (tail < most - head && old.charCodeAt(old.length - 1 - tail) === fresh.charCodeAt(fresh.length - 1 - tail)) tail += 1;
  const start = lineStartBefore(old, head, CONTEXT_LINES);
  const keptTail = old.length - lineEndAfter(old, old.length - tail, CONTEXT_LINES);
  return {
    old: old.slice(start, old.length - keptTail),
    fresh: fresh.slice(start, fresh.length - keptTail),
    skippedLines: countLines(old.slice(0, start)),
  };
}

/** Start of the line `lines` above the one that holds `at`. */
function lineStartBefore(text: string, at: number, lines: number): number {
  let start = at;
  for (let count = 0; count <= lines && start > 0; count += 1) start = text.lastIndexOf("\n", start - (count === 0 ? 1 : 2)) + 1;
  return Math.max(0, start);
}

function lineEndAfter(text: string, at: number, lines: number): number {
  let end = at;
  for (let count = 0; count <= lines && end < text.length; count += 1) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  }
  return end;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

const allLines = (text: string): number => countLines(text) + (text === "" || text.endsWith("\n") ? 0 : 1);

function summary(header: string, { old, fresh, skippedLines }: ChangedPart): DiffReport {
  const removedLines = allLines(old);
  const addedLines = allLines(fresh);
  const place = `from line ${skippedLines + 1}: ${removedLines} lines became ${addedLines}`;
  return { diff: `${header}\\ too large to show; ${place}\n`, addedLines, removedLines };
}
