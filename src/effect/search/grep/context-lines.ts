import { utf8Length } from "../../../base/index.js";
import type { GrepOutput } from "../../../schema/index.js";
import { SEARCH_BOUNDS } from "../task.js";

export type ShownLine = GrepOutput["files"][number]["lines"][number];

/** Bytes a line takes in an answer. */
export const bytesOfLine = (line: ShownLine): number => utf8Length(line.text) + 8;

/** The lines of one file that are shown: matches and `context` lines around them, each once. */
export interface ContextLines {
  readonly shown: readonly ShownLine[];
  /** Of all that is shown. */
  readonly bytes: number;
  match(line: number, text: string, at: number): void;
  pass(line: number, text: string): void;
  /** Lines were left out from here on: what waits to be context is none of the next match. */
  skip(): void;
}

export function createContextLines(context: number): ContextLines {
  const shown: ShownLine[] = [];
  const before: ShownLine[] = [];
  let after = 0;
  let bytes = 0;
  const show = (line: ShownLine): void => {
    shown.push(line);
    bytes += bytesOfLine(line);
  };
  return {
    shown,
    get bytes() {
      return bytes;
    },
    match(line, text, at) {
      for (const earlier of before.splice(0)) show(earlier);
      show({ line, ...excerpt(text, at), match: true });
      after = context;
    },
    pass(line, text) {
      if (context === 0) return;
      const passed = { line, ...excerpt(text, 0), match: false };
      if (after > 0) {
        after -= 1;
        show(passed);
        return;
      }
      before.push(passed);
      if (before.length > context) before.shift();
    },
    skip() {
      before.length = 0;
      after = 0;
    },
  };
}

const BEFORE_MATCH = 100;

/** A long line is a window around its match: where it begins and how long the line is, in UTF-16 units; no half characters. */
export function excerpt(text: string, at: number): Pick<ShownLine, "text" | "cut"> {
  const size = SEARCH_BOUNDS.lineCharacters;
  // A text with a NUL far behind its beginning is still a text; terminals and models get no NUL.
  const clean = (part: string): string => part.replace(/\0/gu, "\ufffd");
  if (text.length <= size) return { text: clean(text) };
  const wanted = at + BEFORE_MATCH < size ? 0 : Math.min(at - BEFORE_MATCH, text.length - size);
  const from = isInside(text, wanted) ? wanted + 1 : wanted;
  const end = Math.min(wanted + size, text.length);
  return { text: clean(text.slice(from, isInside(text, end) ? end - 1 : end)), cut: { length: text.length, from } };
}

/** Between the halves of one character. */
const isInside = (text: string, at: number): boolean => at > 0 && isHigh(text, at - 1) && isLow(text, at);
const isHigh = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
