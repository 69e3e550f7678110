import type { LinePattern } from "../pattern/index.js";
import type { StopFlag } from "../task.js";

/** A line of a text that matches. Offsets are into the text; `end` is that of the line without its terminator. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
  /** Of the first match, from `start` on. */
  readonly at: number;
}

/** Lines that are looked at one by one between two looks at the clock. */
const LINES_BETWEEN_LOOKS = 2048;

function lineAround(text: string, at: number): { readonly start: number; readonly end: number; readonly next: number } {
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  return { start, ...lineFrom(text, start) };
}

/** The line that starts there, without its terminator, and where the next one starts. */
export function lineFrom(text: string, start: number): { readonly end: number; readonly next: number } {
  const feed = text.indexOf("\n", start);
  const whole = feed < 0 ? text.length : feed;
  const end = whole > start && text.charCodeAt(whole - 1) === 13 ? whole - 1 : whole;
  return { end, next: whole + 1 };
}

/** The first line from `from` on that matches; `from` is where a line starts. */
export function nextMatch(text: string, from: number, pattern: LinePattern, stop: StopFlag): Match | undefined {
  if (pattern.literal !== undefined) return nextLiteral(text, from, pattern.literal);
  if (pattern.candidates !== undefined) return nextCandidate(text, from, { ...pattern, candidates: pattern.candidates }, stop);
  let count = 0;
  for (let start = from; start < text.length;) {
    const { end, next } = lineFrom(text, start);
    const at = pattern.search(text.slice(start, end));
    if (at >= 0) return { start, end, next, at };
    start = next;
    count += 1;
    if (count % LINES_BETWEEN_LOOKS === 0 && stop() !== "none") return undefined;
  }
  return undefined;
}

function nextLiteral(text: string, from: number, literal: string): Match | undefined {
  for (let start = from; start < text.length;) {
    const found = text.indexOf(literal, start);
    if (found < 0) return undefined;
    const line = lineAround(text, found);
    if (found + literal.length <= line.end) return { ...line, at: found - line.start };
    start = found + literal.length > line.next ? line.next : Math.max(line.next, found + 1);
  }
  return undefined;
}

function nextCandidate(
  text: string,
  from: number,
  { candidates, search }: LinePattern & { readonly candidates: RegExp },
  stop: StopFlag,
): Match | undefined {
  let count = 0;
  for (let start = from; start < text.length;) {
    candidates.lastIndex = start;
    const found = candidates.exec(text);
    if (found === null || found.index >= text.length) return lastLine(text, start, found, search);
    const line = lineAround(text, found.index);
    const at = search(text.slice(line.start, line.end));
    if (at >= 0) return { ...line, at };
    start = line.next;
    count += 1;
    if (count % LINES_BETWEEN_LOOKS === 0 && stop() !== "none") return undefined;
  }
  return undefined;
}

/** An empty match at the very end is one of the last line, unless that has ended. */
function lastLine(text: string, from: number, found: RegExpExecArray | null, search: LinePattern["search"]): Match | undefined {
  if (found === null || text.endsWith("\n") || from >= text.length) return undefined;
  const line = lineAround(text, text.length);
  const at = search(text.slice(line.start, line.end));
  return at < 0 ? undefined : { ...line, at };
}

/** Counts line ends in a stretch of a text. */
export function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let feed = text.indexOf("\n", from); feed >= 0 && feed < to; feed = text.indexOf("\n", feed + 1)) count += 1;
  return count;
}
