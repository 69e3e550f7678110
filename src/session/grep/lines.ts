import type { Required } from "./literal.js";
import type { LinePattern } from "./pattern.js";

const LINE_END = 0x0a;
const RETURN = 0x0d;
/** Bytes decoded at once, more only for a longer line. */
const SEGMENT_BYTES = 256 * 1024;

/** A line's beginning: byte offset and number, from 1. */
interface LinePlace {
  readonly byte: number;
  readonly line: number;
}

/** A matching line: bytes `[start, end)` without its end. */
export interface LineHit {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export interface Budget {
  readonly hits: number;
  readonly bytes: number;
}

/** Steps that may still be taken; undefined: any number. */
export interface Allowance {
  steps: number | undefined;
}

/**
 * The matching lines of one text, found in portions. A portion that is stopped in the middle loses nothing: what it found is in
 * `hits`, and the next one goes on after that.
 */
export class LineSearch {
  readonly raw: Buffer;
  /** Found and not taken yet, in order. */
  #hits: LineHit[] = [];
  #place: LinePlace = { byte: 0, line: 1 };
  #isDone = false;
  /** `raw` is borrowed until the search is done. */
  constructor(raw: Buffer) {
    this.raw = raw;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Takes what was found. */
  take(): readonly LineHit[] {
    const hits = this.#hits;
    const last = hits.at(-1);
    if (last !== undefined && last.end >= this.#place.byte) this.#place = { byte: last.end + 1, line: last.line + 1 };
    this.#hits = [];
    return hits;
  }

  /**
   * Searches on until the budget is used up or the text is done. False when it stopped before a step that may take more than
   * it is allowed.
   */
  run(pattern: LinePattern, budget: Budget, allowance: Allowance): boolean {
    const until = this.#place.byte + budget.bytes;
    while (this.#place.byte < this.raw.length) {
      const next =
        pattern.required?.isFolded === false
          ? this.#byLiteral(pattern, pattern.required, allowance)
          : this.#segment(pattern, budget.hits, allowance);
      if (next === "costly") return false;
      if (next === undefined) break;
      this.#place = next;
      if (this.#hits.length >= budget.hits || next.byte >= until) return true;
    }
    this.#isDone = true;
    return true;
  }

  /** Judges the next line that holds one of the literals. */
  #byLiteral(pattern: LinePattern, { literals }: Required, allowance: Allowance): LinePlace | "costly" | undefined {
    const { raw } = this;
    const from = this.#place;
    const found = firstOf(raw, literals, from.byte);
    if (found === -1) return undefined;
    const start = Math.max(from.byte, raw.lastIndexOf(LINE_END, found) + 1);
    const line = from.line + countEnds(raw, from.byte, start);
    const end = endOfLine(raw, found);
    if (!isAllowed(allowance, pattern, end - start)) return "costly";
    if (pattern.line.test(textOf(raw, start, end))) this.#hits.push({ start, end, line });
    return { byte: end + 1, line: line + 1 };
  }

  /** Judges the lines of one segment; stops early after `most` hits. */
  #segment(pattern: LinePattern, most: number, allowance: Allowance): LinePlace | "costly" {
    const { raw } = this;
    // How long its lines are is not known yet.
    if (pattern.power > 0 && allowance.steps !== undefined) return "costly";
    const end = endOfSegment(raw, this.#place.byte);
    const text = raw.toString("utf8", this.#place.byte, end);
    const isAscii = text.length === end - this.#place.byte;
    let place = this.#place;
    for (let index = 0; index < text.length && this.#hits.length < most;) {
      const start = pattern.many === undefined ? nextLine(pattern.line, text, index) : nextCandidate(pattern.many, text, index);
      if (start === undefined) return { byte: end, line: place.line + countEnds(raw, place.byte, end) };
      place = advanced(raw, place, isAscii ? start - index : countIn(text, index, start), isAscii);
      const lineEnd = endOfLine(raw, place.byte);
      if (pattern.line.test(textOf(raw, place.byte, lineEnd))) this.#hits.push({ start: place.byte, end: lineEnd, line: place.line });
      place = { byte: lineEnd + 1, line: place.line + 1 };
      index = afterLine(text, start);
    }
    return place;
  }
}

function isAllowed(allowance: Allowance, { power }: LinePattern, length: number): boolean {
  if (allowance.steps === undefined || power === 0) return true;
  const steps = length ** power;
  if (steps > allowance.steps) return false;
  allowance.steps -= steps;
  return true;
}

/** The line without its end; a carriage return belongs to the end. */
export function textOf(raw: Buffer, start: number, end: number): string {
  return raw.toString("utf8", start, end > start && raw[end - 1] === RETURN ? end - 1 : end);
}

/** Up to `count` lines before the one that starts at `start`. */
export function linesBefore(raw: Buffer, start: number, count: number): readonly string[] {
  const lines: string[] = [];
  for (let end = start - 1; end >= 0 && lines.length < count;) {
    const from = end === 0 ? 0 : raw.lastIndexOf(LINE_END, end - 1) + 1;
    lines.push(textOf(raw, from, end));
    end = from - 1;
  }
  return lines.reverse();
}

/** Up to `count` lines after the one that ends at `end`. */
export function linesAfter(raw: Buffer, end: number, count: number): readonly string[] {
  const lines: string[] = [];
  for (let from = end + 1; from < raw.length && lines.length < count;) {
    const to = endOfLine(raw, from);
    lines.push(textOf(raw, from, to));
    from = to + 1;
  }
  return lines;
}

function firstOf(raw: Buffer, literals: readonly Buffer[], from: number): number {
  let first = -1;
  for (const literal of literals) {
    const found = raw.indexOf(literal, from);
    if (found !== -1 && (first === -1 || found < first)) first = found;
  }
  return first;
}

function endOfLine(raw: Buffer, from: number): number {
  const end = raw.indexOf(LINE_END, from);
  return end === -1 ? raw.length : end;
}

/** Segments end after a line's end. */
function endOfSegment(raw: Buffer, from: number): number {
  if (raw.length - from <= SEGMENT_BYTES) return raw.length;
  const end = raw.lastIndexOf(LINE_END, from + SEGMENT_BYTES - 1);
  return Math.min(raw.length, (end >= from ? end : endOfLine(raw, from + SEGMENT_BYTES)) + 1);
}

function countEnds(raw: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (raw[at] === LINE_END) count += 1;
  return count;
}

function countIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The place some bytes (or, not ASCII, some lines) further on. */
function advanced(raw: Buffer, place: LinePlace, distance: number, isBytes: boolean): LinePlace {
  if (isBytes) return { byte: place.byte + distance, line: place.line + countEnds(raw, place.byte, place.byte + distance) };
  let { byte } = place;
  for (let lines = 0; lines < distance; lines += 1) byte = endOfLine(raw, byte) + 1;
  return { byte, line: place.line + distance };
}

/** Where the first line at or after `index` begins in which `many` finds something. */
function nextCandidate(many: RegExp, text: string, index: number): number | undefined {
  many.lastIndex = index;
  const found = many.exec(text);
  if (found === null || (found.index === text.length && text.endsWith("\n"))) return undefined;
  return Math.max(index, found.index === 0 ? 0 : text.lastIndexOf("\n", found.index - 1) + 1);
}

/** Where the first line at or after `index` begins that matches. */
function nextLine(line: RegExp, text: string, index: number): number | undefined {
  for (let start = index; start < text.length; start = afterLine(text, start)) {
    const end = afterLine(text, start) - 1;
    if (line.test(text.slice(start, text.charCodeAt(end - 1) === RETURN && end > start ? end - 1 : end))) return start;
  }
  return undefined;
}

function afterLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return (end === -1 ? text.length : end) + 1;
}
