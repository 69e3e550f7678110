/** Longest value a header of any server takes; a token is far shorter. */
export const MAX_VALUE_CHARACTERS = 16_384;

/** What keeps a value from being one, in words that do not show it. */
export type ValueFault = "it holds a line break or another control character" | "it holds characters other than ASCII" | "it is too long";

/** A value as it is sent: without blanks around it. Undefined where it is blank. */
export function trimmed(text: string | undefined): string | undefined {
  const value = text?.trim();
  return value === "" ? undefined : value;
}

/** Whether a trimmed value can stand in a header. */
export function faultOf(value: string): ValueFault | undefined {
  if (value.length > MAX_VALUE_CHARACTERS) return "it is too long";
  if (/[\x00-\x1f\x7f-\x9f]/u.test(value)) return "it holds a line break or another control character";
  return /^[\x20-\x7e]*$/u.test(value) ? undefined : "it holds characters other than ASCII";
}

/** From this length on, six characters tell one value from another and nothing else. */
const SHOWN_FROM = 24;

/** `sk-…AAA`, so that a person recognizes a value. Undefined where it is too short for any part of it to be shown. */
export const maskOf = (value: string): string | undefined =>
  value.length < SHOWN_FROM ? undefined : `${value.slice(0, 3)}…${value.slice(-3)}`;

/** Values shorter than this are words of every text; taking them out would garble it and hide nothing. */
const SHORTEST = 4;
const MARK = "[redacted]";
const MAX_WORDS = 300;

/** As long as a key is; one has letters and digits. */
const LONG_WORD = /[\w+=-]{16,}/gu;

const hideKey = (word: string): string => (/\d/u.test(word) && /[A-Za-z]/u.test(word) ? MARK : word);

/** Words of a program or a server that may hold a value: on one line, of bounded length, without what is a value or looks like one. */
export function shownWords(text: string, values: Iterable<string>): string {
  let shown = text;
  const longestFirst = [...values].filter((value) => value.length >= SHORTEST).toSorted((one, other) => other.length - one.length);
  for (const value of longestFirst) shown = shown.replaceAll(value, MARK);
  const line = shown
    .replace(LONG_WORD, hideKey)
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/gu, " ")
    .trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}
