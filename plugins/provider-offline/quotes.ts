/** Stands for one character of quoted text, so that no rule of the grammar can match inside quotes. */
const FILLER = "\u0001";
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["\u201c", "\u201d"],
  ["\u2018", "\u2019"],
  ["\u00ab", "\u00bb"],
]);

interface Span {
  /** Just after the closing mark. */
  readonly end: number;
  readonly inner: string;
}

/** The text with every quoted span, marks included, overwritten by filler; same length as the text. */
export function maskQuotes(text: string): string {
  let masked = "";
  while (masked.length < text.length) {
    const span = spanAt(text, masked.length);
    masked += span === undefined ? text.charAt(masked.length) : FILLER.repeat(span.end - masked.length);
  }
  return masked;
}

/** The content of a text that is one quoted span as a whole; nothing when it is not. */
export function quoted(text: string): string | undefined {
  const span = spanAt(text, 0);
  return span?.end === text.length ? span.inner : undefined;
}

/** The content of the quoted span that a text begins with, whatever follows it. */
export const leadingQuote = (text: string): string | undefined => spanAt(text, 0)?.inner;

/**
 * Matches on the masked text and returns the groups as they are in the text itself. The groups of `pattern` must tile the
 * whole text from its start; a group that did not take part counts as empty.
 */
export function matchParts(text: string, pattern: RegExp, mask = maskQuotes(text)): readonly string[] | undefined {
  const match = pattern.exec(mask);
  if (match === null) return undefined;
  let at = 0;
  return match.slice(1).map((group: string | undefined) => {
    const from = at;
    at += group?.length ?? 0;
    return text.slice(from, at);
  });
}

function spanAt(text: string, at: number): Span | undefined {
  const before = text.charAt(at - 1);
  if (before !== "" && !/[\s([{:,=]/u.test(before)) return undefined;
  const sign = text.charAt(at);
  if (sign === "`") return backticks(text, at);
  const closer = CLOSERS.get(sign);
  return closer === undefined ? undefined : marks(text, at, closer);
}

/** A run of backticks ends at the next run of the same length; three or more on a line of their own hold lines. */
function backticks(text: string, at: number): Span | undefined {
  const run = /^`+/u.exec(text.slice(at))?.[0] ?? "";
  const pattern = new RegExp(`(?<!\`)${run}(?!\`)`, "gu");
  pattern.lastIndex = at + run.length;
  const close = pattern.exec(text);
  if (close === null) return undefined;
  const inner = text.slice(at + run.length, close.index);
  const isFence = run.length >= 3 && /^[^\n`]*\n/u.test(inner);
  return { end: close.index + run.length, inner: isFence ? inner.replace(/^[^\n]*\n/u, "") : inner };
}

/** The closing mark is followed by a blank, by punctuation or by nothing; so an apostrophe closes nothing. */
function marks(text: string, at: number, closer: string): Span | undefined {
  for (let end = text.indexOf(closer, at + 1); end >= 0; end = text.indexOf(closer, end + 1)) {
    if (text.charAt(end - 1) === "\\" || !/^(?:$|[\s.,;:!?)\]}])/u.test(text.charAt(end + 1))) continue;
    return { end: end + 1, inner: text.slice(at + 1, end).replaceAll(`\\${closer}`, closer) };
  }
  return undefined;
}
