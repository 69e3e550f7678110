/** A text that is looked for. */
export interface Pattern {
  readonly text: string;
}

export interface Match<Found extends Pattern> {
  readonly start: number;
  readonly end: number;
  readonly pattern: Found;
}

const BLOCK = 3;
const TABLE = 1 << 15;

/**
 * Looks for many texts at once (Wu and Manber, "A fast algorithm for multi-pattern searching", 1994): it looks at the end of a window as
 * long as the shortest text and moves on as far as no text can begin, so most characters are never looked at.
 */
export class Matcher<Found extends Pattern> {
  /** Longest first, so that of those that begin at the same place the longest is found. */
  readonly #patterns: readonly Found[];
  readonly #window: number;
  readonly longest: number;
  readonly #shift: Uint8Array;
  readonly #candidates = new Map<number, Found[]>();
  readonly #beginnings = new Map<number, Found[]>();

  /** Every text has at least `BLOCK` units. */
  constructor(patterns: readonly Found[]) {
    this.#patterns = patterns.toSorted((one, other) => other.text.length - one.text.length || (one.text < other.text ? -1 : 1));
    this.longest = this.#patterns[0]?.text.length ?? 0;
    this.#window = Math.min(255, this.#patterns.at(-1)?.text.length ?? BLOCK);
    this.#shift = new Uint8Array(TABLE).fill(this.#window - BLOCK + 1);
    for (const pattern of this.#patterns) this.#add(pattern);
  }

  #add(pattern: Found): void {
    const { text } = pattern;
    for (let end = BLOCK - 1; end < this.#window; end += 1) {
      const block = blockAt(text, end);
      this.#shift[block] = Math.min(this.#shift[block] ?? 0, this.#window - 1 - end);
    }
    const last = blockAt(text, this.#window - 1);
    push(this.#candidates, last, pattern);
    push(this.#beginnings, beginningOf(text, 0), pattern);
  }

  /** The first match that begins at `from` or later and before `until`; the longest of those that begin there. */
  next(text: string, from: number, until = text.length): Match<Found> | undefined {
    const last = this.#window - 1;
    for (let at = from + last; at < text.length && at - last < until;) {
      const block = blockAt(text, at);
      const shift = this.#shift[block] ?? 1;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - last;
      const pattern = this.#candidates.get(block)?.find((one) => text.startsWith(one.text, start));
      if (pattern !== undefined) return { start, end: start + pattern.text.length, pattern };
      at += 1;
    }
    return undefined;
  }

  /** Where the longest end of `text` begins that is the start of a searched text and not all of it; its length where there is none. */
  waitingFrom(text: string): number {
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length; at += 1) {
      const open = at + 1 < text.length ? this.#beginnings.get(beginningOf(text, at)) : this.#patterns;
      if (open?.some((one) => beginsWith(one.text, text, at)) === true) return at;
    }
    return text.length;
  }
}

function push<Value>(map: Map<number, Value[]>, key: number, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Of the block that ends at `end`. */
const blockAt = (text: string, end: number): number =>
  ((text.charCodeAt(end - 2) << 10) ^ (text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & (TABLE - 1);

const beginningOf = (text: string, at: number): number => text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);

/** Whether `whole` begins with the end of `text` from `at` on, and is longer. */
function beginsWith(whole: string, text: string, at: number): boolean {
  const length = text.length - at;
  if (whole.length <= length) return false;
  for (let index = 0; index < length; index += 1) {
    if (whole.charCodeAt(index) !== text.charCodeAt(at + index)) return false;
  }
  return true;
}
