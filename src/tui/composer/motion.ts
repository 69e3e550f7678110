import { graphemes } from "../text/index.js";

/** Placeholders of folded pastes by label: one unit for every motion and deletion. */
export type Chips = ReadonlyMap<string, string>;

const WORD = /[\p{L}\p{N}_]/u;
/** Graphemes longer than this are cut: nothing real is. */
const LOOK_BACK = 64;

function chipEndingAt(text: string, at: number, chips: Chips): string | undefined {
  for (const label of chips.keys()) if (at >= label.length && text.startsWith(label, at - label.length)) return label;
  return undefined;
}

function chipStartingAt(text: string, at: number, chips: Chips): string | undefined {
  for (const label of chips.keys()) if (text.startsWith(label, at)) return label;
  return undefined;
}

/** Start of the unit before `at`. */
export function unitLeft(text: string, at: number, chips: Chips): number {
  if (at <= 0) return 0;
  const chip = chipEndingAt(text, at, chips);
  if (chip !== undefined) return at - chip.length;
  if (text.charCodeAt(at - 1) === 10) return at - 1;
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  let last = "";
  for (const cluster of graphemes(text.slice(Math.max(lineStart, at - LOOK_BACK), at))) last = cluster;
  return at - Math.max(1, last.length);
}

/** End of the unit after `at`. */
export function unitRight(text: string, at: number, chips: Chips): number {
  if (at >= text.length) return text.length;
  const chip = chipStartingAt(text, at, chips);
  if (chip !== undefined) return at + chip.length;
  if (text.charCodeAt(at) === 10) return at + 1;
  const next = graphemes(text.slice(at, at + LOOK_BACK)).next();
  return at + (next.done === true ? 1 : next.value.length);
}

/** Where a word motion to the left ends: over blanks and marks, then over the word. */
export function wordLeft(text: string, at: number, chips: Chips): number {
  let position = at;
  while (position > 0) {
    const before = unitLeft(text, position, chips);
    if (isWord(text.slice(before, position))) break;
    position = before;
  }
  if (chipEndingAt(text, position, chips) !== undefined) return unitLeft(text, position, chips);
  while (position > 0) {
    const before = unitLeft(text, position, chips);
    if (!isWord(text.slice(before, position)) || chipEndingAt(text, position, chips) !== undefined) break;
    position = before;
  }
  return position;
}

export function wordRight(text: string, at: number, chips: Chips): number {
  let position = at;
  while (position < text.length) {
    const after = unitRight(text, position, chips);
    if (isWord(text.slice(position, after))) break;
    position = after;
  }
  if (chipStartingAt(text, position, chips) !== undefined) return unitRight(text, position, chips);
  while (position < text.length) {
    const after = unitRight(text, position, chips);
    if (!isWord(text.slice(position, after)) || chipStartingAt(text, position, chips) !== undefined) break;
    position = after;
  }
  return position;
}

/** Ctrl-W's word: everything back to the blank before it, as shells do. */
export function blankWordLeft(text: string, at: number, chips: Chips): number {
  let position = at;
  while (position > 0 && /[ \t]/.test(text.charAt(position - 1))) position -= 1;
  if (position > 0 && text.charAt(position - 1) === "\n" && position === at) return position - 1;
  while (position > 0 && !/\s/.test(text.charAt(position - 1))) {
    position = unitLeft(text, position, chips);
  }
  return position;
}

const isWord = (unit: string): boolean => WORD.test(unit);

export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
