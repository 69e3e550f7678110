import type { LinePattern } from "../pattern/index.js";
import type { StopFlag } from "../task.js";
import type { ContextLines } from "./context-lines.js";
import { countLines, lineFrom, nextMatch } from "./matches.js";

/** What is done with one file. Grows while its text comes in pieces of whole lines. */
export interface TextSearch {
  readonly pattern: LinePattern;
  readonly lines: ContextLines;
  readonly context: number;
  readonly stop: StopFlag;
  /** No more lines are shown; they are counted. */
  isFull(): boolean;
  /** One match is enough. */
  readonly firstOnly: boolean;
  /** Lines before the piece. */
  passedLines: number;
  /** Matching lines; in multiline mode matches. */
  count: number;
}

/** Searches one piece, line by line. */
export function searchLines(text: string, search: TextSearch): void {
  let at = 0;
  let line = search.passedLines + 1;
  while (at < text.length) {
    const match = nextMatch(text, at, search.pattern, search.stop);
    const until = match?.start ?? text.length;
    line = passLines({ text, from: at, until, line }, search);
    if (match === undefined) break;
    search.count += 1;
    if (!search.isFull()) search.lines.match(line, text.slice(match.start, match.end), match.at);
    if (search.firstOnly) return;
    at = match.next;
    if (at <= text.length) line += 1;
  }
  search.passedLines = line - 1;
}

interface Stretch {
  readonly text: string;
  readonly from: number;
  readonly until: number;
  readonly line: number;
}

/** Lines without a match: only those near one are of use. Returns the number of the line at `until`. */
function passLines({ text, from, until, line }: Stretch, search: TextSearch): number {
  if (search.context === 0 || search.isFull()) return line + countLines(text, from, until);
  let number = line;
  for (let start = from; start < until;) {
    const { end, next } = lineFrom(text, start);
    search.lines.pass(number, text.slice(start, end));
    if (next <= text.length) number += 1;
    start = next;
  }
  return number;
}

/** Searches a whole text with matches that may go over lines; every line of a match is shown as one. */
export function searchWhole(text: string, whole: RegExp, search: TextSearch): void {
  let place = { at: 0, line: 1 };
  whole.lastIndex = 0;
  for (let found = whole.exec(text); found !== null && search.stop() === "none"; found = whole.exec(text)) {
    const width = found[0].length;
    if (width === 0) whole.lastIndex += codePointWidth(text, found.index);
    // Behind the last line end there is no line.
    if (found.index >= text.length && (text === "" || text.endsWith("\n"))) break;
    search.count += 1;
    if (search.firstOnly) return;
    if (!search.isFull()) place = showMatch({ text, from: found.index, until: found.index + Math.max(1, width) }, place, search);
  }
  passLines({ text, from: place.at, until: text.length, line: place.line }, search);
}

/** The start of a line, and its number. */
interface LinePlace {
  readonly at: number;
  readonly line: number;
}

/** Shows what is not shown yet of the lines of a match. Returns where the next line starts. */
function showMatch({ text, from, until }: Omit<Stretch, "line">, place: LinePlace, search: TextSearch): LinePlace {
  let at = Math.max(place.at, lineStart(text, from));
  let line = passLines({ text, from: place.at, until: at, line: place.line }, search);
  for (; at < until && at < text.length; line += 1) {
    const { end, next } = lineFrom(text, at);
    search.lines.match(line, text.slice(at, end), Math.max(0, from - at));
    at = next;
  }
  return { at, line };
}

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);
const codePointWidth = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
