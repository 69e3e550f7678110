import type { Required } from "./literal.js";
import { requiredLiterals } from "./literal.js";
import type { Token } from "./tokens.js";
import { tokensOf } from "./tokens.js";

/** A pattern, prepared for finding the lines that match it. */
export interface LinePattern {
  /** What every matching line holds. */
  readonly required: Required | undefined;
  /** Judges one line. */
  readonly line: RegExp;
  /**
   * Finds, in a text of many lines, a place in every line that matches: global, never takes a line's end. Some of what it finds
   * may not match. `undefined`: each line has to be judged.
   */
  readonly many: RegExp | undefined;
  /** Judging a line takes at most its length to this power steps; 0: in proportion to it; infinite: nobody knows. */
  readonly power: number;
}

export function preparePattern(pattern: RegExp): LinePattern {
  const line = new RegExp(pattern.source, pattern.flags.replace(/[dgy]/gu, ""));
  return { required: requiredLiterals(pattern), line, many: overLines(line), power: powerOf(line) };
}

/** A pattern begins anywhere and repeats single pieces independently of each other. Repeated groups can take any number of steps. */
function powerOf({ source, flags }: RegExp): number {
  if (flags.includes("v")) return Number.POSITIVE_INFINITY;
  const tokens = tokensOf(source);
  const repeats = tokens.filter(({ type }) => type === "quantifier").length;
  const isOpen = tokens.some(
    ({ type, text }, index) => (type === "close" && tokens[index + 1]?.type === "quantifier") || /^\\[k\d]/u.test(text),
  );
  if (isOpen) return Number.POSITIVE_INFINITY;
  return repeats === 0 ? 0 : repeats + 1;
}

const LOOKAROUND = /^\(\?<?[=!]/u;

/**
 * The pattern with every piece kept from taking a line's end, and with `^` and `$` at all of them. Then whatever matches a
 * line alone also matches where the line stands among others, because there it can take the same steps. That does not
 * hold for patterns that look around: they see the other lines.
 */
function overLines(pattern: RegExp): RegExp | undefined {
  if (pattern.flags.includes("v")) return undefined;
  const tokens = tokensOf(pattern.source);
  if (tokens.some(({ type, text }) => (type === "open" ? LOOKAROUND.test(text) || isModifier(text) : text === "\n"))) return undefined;
  try {
    return new RegExp(tokens.map((token) => inLine(token, pattern)).join(""), `${pattern.flags.replace("m", "")}gm`);
  } catch {
    // A form of the language that is not known here: each line is judged.
    return undefined;
  }
}

/** `(?i:` and the like. */
const isModifier = (text: string): boolean => /^\(\?[a-z-]+:/u.test(text);

const NO_END = String.raw`(?!\n)`;
/** A class of visible characters and escapes that never stand for a line's end. */
const PLAIN_CLASS = /^\[(?!\^)(?:[^\p{Cc}\\]|\\[dwS]|\\[^\p{L}\p{N}])*\]$/u;

function inLine({ type, text }: Token, { dotAll }: RegExp): string {
  switch (type) {
    case "dot":
      return dotAll ? String.raw`[^\n]` : text;
    case "escape":
      if (/^\\[dwS]$/u.test(text)) return text;
      return text === String.raw`\s` ? String.raw`[^\S\n]` : `(?:${NO_END}${text})`;
    case "class":
      if (text.startsWith("[^")) return String.raw`[^\n${text.slice(2)}`;
      return PLAIN_CLASS.test(text) ? text : `(?:${NO_END}${text})`;
    case "literal":
    case "assertion":
    case "open":
    case "close":
    case "or":
    case "quantifier":
    case "other":
      return text;
  }
}
