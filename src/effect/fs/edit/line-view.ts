/** A text with its line ends taken for what they mean. */
export interface LineView {
  /** The text with every line end as `\n`. */
  readonly text: string;
  /** What most lines of the file end with. */
  readonly lineEnd: LineEnd;
  /** Whether lines end in more than one way, so that each has to be looked at. */
  readonly isMixed: boolean;
  /** Another text as it is compared with this one. */
  plain(other: string): string;
  /** Index in the file of an index in `text`; before the line end when it points at one. */
  unitAt(index: number): number;
}

export type LineEnd = "\n" | "\r\n" | "\r";

/**
 * `\r\n` is a line end, and `\n`. A `\r` alone is one only in a file that has no other; everywhere else it is a character like any
 * other, since tools show it as one.
 */
export function createLineView(units: string): LineView {
  if (!units.includes("\n") && units.includes("\r")) {
    const plain = (other: string): string => other.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    return { text: units.replaceAll("\r", "\n"), lineEnd: "\r", isMixed: false, plain, unitAt: (index) => index };
  }
  const plain = (other: string): string => other.replaceAll("\r\n", "\n");
  const text = plain(units);
  const pairs = units.length - text.length;
  if (pairs === 0) return { text, lineEnd: "\n", isMixed: false, plain, unitAt: (index) => index };
  const ends = new Float64Array(pairs);
  for (let at = units.indexOf("\r\n"), count = 0; at >= 0; at = units.indexOf("\r\n", at + 2), count += 1) ends[count] = at - count;
  const lines = countLineFeeds(text);
  return {
    text,
    lineEnd: pairs * 2 > lines ? "\r\n" : "\n",
    isMixed: pairs !== lines,
    plain,
    unitAt: (index) => index + countBelow(ends, index),
  };
}

function countLineFeeds(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** How many of the ascending numbers are smaller than `bound`. */
function countBelow(ascending: Float64Array, bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
