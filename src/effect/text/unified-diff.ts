import { plural } from "../../base/index.js";
import { lineChanges } from "./line-diff.js";
import { type Span, spanBetween } from "./spans.js";

export interface DiffReport {
  /**
   * Unified diff with `---` and `+++` lines; empty when nothing changed. At most about {@link MAX_DIFF_CHARACTERS}: hunks beyond it
   * are left out whole, or one is cut, and a last line that begins with a backslash says so.
   */
  readonly diff: string;
  /** Of the whole change, also where the diff is cut. */
  readonly addedLines: number;
  readonly removedLines: number;
}

const CONTEXT_LINES = 3;
export const MAX_DIFF_CHARACTERS = 64 * 1024;
/** A line longer than this is shown cut, which is told like a cut hunk. */
const MAX_LINE_CHARACTERS = 4096;

export interface DiffRequest {
  /** Shown name. */
  readonly path: string;
  /** Undefined when the file is new. */
  readonly before: string | undefined;
  /** Undefined when it is deleted. */
  readonly after: string | undefined;
  /** Where the texts differ, when that is known; outside they must be the same. */
  readonly spans?: readonly Span[];
  /** Makes readable text of a part of either one. Default: they are text. */
  readonly decode?: (units: string) => string;
}

/**
 * The change as a unified diff: it always leads from one text to the other, line by line and line ends with it, though not always
 * by the shortest way. Bounded in time by the size of the change; only lines that changed are compared.
 */
export function unifiedDiff({ path, before, after, spans, decode = (units) => units }: DiffRequest): DiffReport {
  const texts = { old: before ?? "", fresh: after ?? "" };
  const hunks = hunksOf(texts, regionsOf(texts, spans ?? spanBetween(texts.old, texts.fresh)));
  const header = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ ${after === undefined ? "/dev/null" : `b/${path}`}\n`;
  const written = writeHunks(texts, hunks, decode);
  // A file that came or went is a change even when it is empty.
  const isSame = written.text === "" && (before === undefined) === (after === undefined);
  return { diff: isSame ? "" : header + written.text, addedLines: written.added, removedLines: written.removed };
}

interface Texts {
  readonly old: string;
  readonly fresh: string;
}

/** Changed lines, as places in the texts; whole lines, with their ends. */
type Region = Span;

/** Grows spans to whole lines; what touches then is one region. */
function* regionsOf({ old, fresh }: Texts, spans: readonly Span[]): Generator<Region> {
  let open: Region | undefined;
  for (const span of spans) {
    const start = old.lastIndexOf("\n", span.oldStart - 1) + 1;
    const head = span.oldStart === 0 ? 0 : span.oldStart - start;
    const grown = lineEndOf(old, fresh, { ...span, oldStart: span.oldStart - head, newStart: span.newStart - head });
    if (open === undefined) open = grown;
    else if (grown.oldStart < open.oldEnd || grown.newStart < open.newEnd) {
      open = { ...open, oldEnd: grown.oldEnd, newEnd: grown.newEnd };
    } else {
      yield open;
      open = grown;
    }
  }
  if (open !== undefined) yield open;
}

/** A span that ends inside a line ends with that line: the rest of it is the same on both sides. */
function lineEndOf(old: string, fresh: string, span: Region): Region {
  const isLineStart = (text: string, at: number): boolean => at === 0 || text[at - 1] === "\n";
  if (isLineStart(old, span.oldEnd) && isLineStart(fresh, span.newEnd)) return span;
  const end = old.indexOf("\n", span.oldEnd);
  const rest = (end < 0 ? old.length : end + 1) - span.oldEnd;
  return { ...span, oldEnd: span.oldEnd + rest, newEnd: span.newEnd + rest };
}

/** Lines of a part, each with its end. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    lines.push(text.slice(at, next));
    at = next;
  }
  return lines;
}

/** One change within a hunk: lines that go, lines that come, and where in the texts they are. */
interface Change extends Span {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

interface Hunk {
  readonly changes: readonly Change[];
  /** Line of the old and the new text where the first change is, from 0. */
  readonly oldLine: number;
  readonly newLine: number;
}

function* changesOf({ old, fresh }: Texts, regions: Iterable<Region>): Generator<Change> {
  for (const region of regions) {
    const before = linesOf(old.slice(region.oldStart, region.oldEnd));
    const after = linesOf(fresh.slice(region.newStart, region.newEnd));
    const oldAt = offsetsOf(before, region.oldStart);
    const newAt = offsetsOf(after, region.newStart);
    for (const change of lineChanges(before, after)) {
      yield {
        removed: before.slice(change.oldStart, change.oldEnd),
        added: after.slice(change.newStart, change.newEnd),
        oldStart: oldAt[change.oldStart] ?? region.oldEnd,
        oldEnd: oldAt[change.oldEnd] ?? region.oldEnd,
        newStart: newAt[change.newStart] ?? region.newEnd,
        newEnd: newAt[change.newEnd] ?? region.newEnd,
      };
    }
  }
}

function offsetsOf(lines: readonly string[], start: number): readonly number[] {
  const offsets = [start];
  let at = start;
  for (const line of lines) offsets.push((at += line.length));
  return offsets;
}

/** Changes that are near enough to share their context are one hunk. */
function* hunksOf(texts: Texts, regions: Iterable<Region>): Generator<Hunk> {
  let open: Change[] = [];
  let place = { at: 0, oldLine: 0, newLine: 0 };
  let start = { oldLine: 0, newLine: 0 };
  for (const change of changesOf(texts, regions)) {
    const between = countLines(texts.old, place.at, change.oldStart);
    if (open.length > 0 && between > CONTEXT_LINES * 2) {
      yield { changes: open, ...start };
      open = [];
    }
    if (open.length === 0) start = { oldLine: place.oldLine + between, newLine: place.newLine + between };
    open.push(change);
    place = {
      at: change.oldEnd,
      oldLine: place.oldLine + between + change.removed.length,
      newLine: place.newLine + between + change.added.length,
    };
  }
  if (open.length > 0) yield { changes: open, ...start };
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

interface Written {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

function writeHunks(texts: Texts, hunks: Iterable<Hunk>, decode: (units: string) => string): Written {
  let text = "";
  let added = 0;
  let removed = 0;
  let shown = 0;
  let total = 0;
  let isCut = false;
  for (const hunk of hunks) {
    total += 1;
    for (const change of hunk.changes) {
      added += change.added.length;
      removed += change.removed.length;
    }
    if (isCut) continue;
    const page = pageOf(texts, hunk, { decode, room: MAX_DIFF_CHARACTERS - text.length });
    isCut = page.isCut;
    // The first hunk is shown in part rather than not at all.
    if (isCut && shown > 0) continue;
    text += page.text;
    shown += 1;
  }
  if (isCut)
    text += `\\ Cut: ${shown} of ${plural(total, "hunk")} shown${shown === 1 ? ", in part" : ""}; the whole change is +${added} -${removed} lines\n`;
  return { text, added, removed };
}

interface PageBounds {
  readonly decode: (units: string) => string;
  readonly room: number;
}

/** One hunk as text; cut where it would outgrow the room. */
function pageOf(texts: Texts, hunk: Hunk, { decode, room }: PageBounds): { readonly text: string; readonly isCut: boolean } {
  const lines = bodyOf(texts, hunk);
  const oldCount = lines.filter(({ sign }) => sign !== "+").length;
  const newCount = lines.filter(({ sign }) => sign !== "-").length;
  const before = lines.findIndex(({ sign }) => sign !== " ");
  const range = (first: number, count: number): string => `${count === 0 ? first : first + 1}${count === 1 ? "" : `,${count}`}`;
  let text = `@@ -${range(hunk.oldLine - before, oldCount)} +${range(hunk.newLine - before, newCount)} @@\n`;
  for (const { sign, line } of lines) {
    const hasEnd = line.endsWith("\n");
    const isLong = line.length > MAX_LINE_CHARACTERS;
    const body = decode(isLong ? line.slice(0, MAX_LINE_CHARACTERS) : hasEnd ? line.slice(0, -1) : line);
    const more = `${sign}${body}\n${isLong ? `\\ Cut: this line has ${line.length} characters\n` : ""}${hasEnd ? "" : "\\ No newline at end of file\n"}`;
    if (text.length + more.length > room) return { text, isCut: true };
    text += more;
  }
  return { text, isCut: false };
}

interface SignedLine {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

function bodyOf({ old }: Texts, { changes }: Hunk): readonly SignedLine[] {
  const lines: SignedLine[] = [];
  const context = (text: string): void => {
    for (const line of linesOf(text)) lines.push({ sign: " ", line });
  };
  const first = changes[0];
  const last = changes.at(-1);
  if (first === undefined || last === undefined) return lines;
  context(old.slice(linesAbove(old, first.oldStart), first.oldStart));
  let at = first.oldStart;
  for (const change of changes) {
    context(old.slice(at, change.oldStart));
    for (const line of change.removed) lines.push({ sign: "-", line });
    for (const line of change.added) lines.push({ sign: "+", line });
    at = change.oldEnd;
  }
  context(old.slice(at, linesBelow(old, at)));
  return lines;
}

function linesAbove(text: string, at: number): number {
  let start = at;
  for (let count = 0; count < CONTEXT_LINES && start > 0; count += 1) start = start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  return start;
}

function linesBelow(text: string, at: number): number {
  let end = at;
  for (let count = 0; count < CONTEXT_LINES && end < text.length; count += 1) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  }
  return end;
}
