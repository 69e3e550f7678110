/** Everything that could act on a terminal or turn text around: C0 but tab and newline, DEL, C1, directional marks. */
const ACTING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const EACH_ACTING = new RegExp(ACTING, "gu");

/**
 * `text` with nothing in it that can act on a terminal: control characters are shown as their pictures (ESC as ␛), others by
 * number. Tabs and line ends stay; a carriage return before a line end, or at the very end, is dropped. Each piece of a stream
 * may be passed alone: no character that starts a sequence is ever let through.
 */
export function visible(text: string): string {
  return ACTING.test(text) ? text.replace(/\r(?=\n|$)/gu, "").replace(EACH_ACTING, picture) : text;
}

/** The same on one line: line ends and tabs become blanks. */
export const visibleLine = (text: string): string => visible(text).replace(/[\n\t]+/gu, " ");

/** What can act on a terminal and JSON leaves as it is; with the line ends that some readers of lines know and JSON does not. */
const LEFT_BY_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** `record` as one line of JSON, its end included, in which nothing can act on a terminal. Reads back as the same data. */
export const jsonLine = (record: object): string => safeJsonLine(JSON.stringify(record));

/** The same for a record that is JSON already, without its line end. */
export const safeJsonLine = (json: string): string =>
  `${json.replace(LEFT_BY_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : `\\u{${code.toString(16)}}`;
}

/** At most `width` columns, the last one an ellipsis when something was cut. Wide characters are counted as two. */
export function clipColumns(text: string, width: number): string {
  let used = 0;
  let cut = 0;
  for (const character of text) {
    used += columnsOf(character);
    if (used > width) return `${text.slice(0, cut)}…`;
    if (used < width) cut += character.length;
  }
  return text;
}

/** Hangul, CJK, emoji and all else from there on may be two columns wide; for clipping it is enough never to count too few. */
const columnsOf = (character: string): number => ((character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1);
