import { setImmediate } from "node:timers/promises";
import type { Deadline } from "./deadline.js";
import type { Allowance, Budget, LineHit } from "./lines.js";
import { LineSearch } from "./lines.js";
import type { LinePattern } from "./pattern.js";
import type { PlacedText } from "./texts.js";

/** What is searched before matches are handed out and signals are heard. */
const PORTION: Budget = { hits: 512, bytes: 4 * 1024 * 1024 };
/** What is searched without a deadline: a fraction of a second. */
const QUICK_STEPS = 10_000_000;
/** Texts on which the pattern may run out of time before the whole search is given up. */
const MOST_LATE = 3;

export interface MatcherParts {
  readonly pattern: LinePattern;
  readonly deadline: Deadline;
  readonly signal: AbortSignal | undefined;
}

/** A matching line, or a text whose rest was given up because the pattern took too long. */
export type Matched = { readonly text: PlacedText; readonly hit: LineHit } | { readonly text: PlacedText; readonly hit: undefined };

/** Runs one pattern over texts, many to a run as long as it is quick, and stops what takes too long. Serves one whole search. */
export class Matcher {
  readonly #parts: MatcherParts;
  /** A run of many was stopped once: from then on every text has the whole time for itself. */
  #isSlow = false;
  #late = 0;

  constructor(parts: MatcherParts) {
    this.#parts = parts;
  }

  /** Given up: it would go on like this. */
  get isExhausted(): boolean {
    return this.#late >= MOST_LATE;
  }

  get isStopped(): boolean {
    return this.isExhausted || this.#parts.signal?.aborted === true;
  }

  /** Matching lines of the texts, in order. Ends early when aborted or exhausted. */
  async *match(texts: readonly PlacedText[]): AsyncGenerator<Matched, void, undefined> {
    let searches = texts.map((text) => ({ text, search: new LineSearch(text.raw) }));
    while (searches.length > 0) {
      const together = this.#isSlow ? searches.slice(0, 1) : searches;
      const isInTime = this.#run(together.map(({ search }) => search));
      for (const { text, search } of together) {
        for (const hit of search.take()) {
          yield { text, hit };
          if (this.isStopped) return;
        }
      }
      const [first] = searches;
      if (!isInTime && this.#isSlow && first !== undefined) {
        this.#late += 1;
        yield { text: first.text, hit: undefined };
        searches = searches.slice(1);
      }
      this.#isSlow ||= !isInTime;
      searches = searches.filter(({ search }) => !search.isDone);
      // Signals are heard here, when one text keeps this thread busy for long.
      if (searches.length > 0) await setImmediate();
      if (this.isStopped) return;
    }
  }

  #run(searches: readonly LineSearch[]): boolean {
    const { pattern, deadline } = this.#parts;
    const run = (allowance: Allowance): boolean => {
      for (const search of searches) {
        if (!search.isDone && !search.run(pattern, PORTION, allowance)) return false;
        if (!search.isDone) return true;
      }
      return true;
    };
    // Most searches never come to a line that could take long, and a deadline costs more than they do.
    return run({ steps: QUICK_STEPS }) || deadline(() => run({ steps: undefined }));
  }
}
