import { formsOf, lineTag, linesIn } from "./forms.js";
import { Matcher, type Match, type Pattern } from "./matcher.js";
import { referenceText } from "./reference.js";
import type { Secret } from "./types.js";

/** One written form of one secret, or a reference that must stay as it is although a value is in it. */
interface Hidden extends Pattern {
  readonly replacement: string;
  /** What stands for the rest of it where its beginning is in another secret's end. */
  readonly rest?: (from: number) => string;
}

export interface Replaced {
  readonly text: string;
  /** How much of the given text is in it. */
  readonly taken: number;
}

/** Replaces every form of some secrets by references: what begins first goes first, and of what begins together the longest. */
export class Concealer {
  readonly #matcher: Matcher<Hidden>;
  /** Whether a number could be one of them. */
  readonly hasDigits: boolean;

  constructor(secrets: readonly Secret[]) {
    const patterns = new Map<string, Hidden>();
    for (const secret of secrets) {
      for (const { tag, text } of formsOf(secret.value)) {
        if (!patterns.has(text)) patterns.set(text, hiddenForm(secret, tag, text));
      }
    }
    const values = new Matcher([...patterns.values()]);
    const kept = [...patterns.values()].flatMap(({ replacement }) =>
      values.next(replacement, 0) === undefined ? [] : [{ text: replacement, replacement }],
    );
    this.#matcher = kept.length === 0 ? values : new Matcher([...patterns.values(), ...kept]);
    this.hasDigits = secrets.some(({ value }) => /^[\d.eE+-]+$/u.test(value));
  }

  /** All of a text; the same text where nothing is in it. */
  whole(text: string): string {
    return this.#matcher.next(text, 0) === undefined ? text : this.#replace(text, text.length).text;
  }

  /** The part of a text that what follows cannot change. */
  sure(text: string): Replaced {
    const waits = this.#matcher.waitingFrom(text);
    return this.#replace(text, waits);
  }

  /** Matches that begin before `until`. One that reaches beyond it waits where more is to come: another could begin within it. */
  #replace(text: string, until: number): Replaced {
    const isLast = until === text.length;
    let shown = "";
    let from = 0;
    let match = this.#matcher.next(text, 0, until);
    while (match !== undefined) {
      if (!isLast && match.end > until) return { text: shown + text.slice(from, match.start), taken: match.start };
      shown += text.slice(from, match.start) + match.pattern.replacement;
      const rest = this.#overlapping(text, match);
      if (rest !== undefined && !isLast && rest.end > until) {
        // Its beginning is gone with the match; what remains of it is hidden now, as its start could not be told later.
        return { text: shown + restOf(rest, match.end), taken: rest.end };
      }
      shown += rest === undefined ? "" : restOf(rest, match.end);
      from = rest?.end ?? match.end;
      match = this.#matcher.next(text, from, until);
    }
    const taken = Math.max(from, until);
    return { text: shown + text.slice(from, taken), taken };
  }

  /** The match that begins within another and reaches furthest beyond it. */
  #overlapping(text: string, { start, end }: Match<Hidden>): Match<Hidden> | undefined {
    let furthest: Match<Hidden> | undefined;
    for (let next = this.#matcher.next(text, start + 1, end); next !== undefined; next = this.#matcher.next(text, next.start + 1, end)) {
      if (next.pattern.rest !== undefined && next.end > (furthest?.end ?? end)) furthest = next;
    }
    return furthest;
  }
}

const restOf = ({ start, pattern }: Match<Hidden>, from: number): string => pattern.rest?.(from - start) ?? "";

function hiddenForm({ name, value }: Secret, tag: string, text: string): Hidden {
  const rest = (from: number): string => referenceText(name, tag, from);
  if (tag === "" || tag === "crlf") {
    const lines = linesIn(value);
    // Line by line, so that the lines of a text keep their numbers.
    if (lines.length > 1) {
      const references = lines.map((line, index) => (line === "" ? "" : referenceText(name, lineTag(index))));
      return { text, replacement: references.join(tag === "" && !value.includes("\r\n") ? "\n" : "\r\n"), rest };
    }
  }
  return { text, replacement: referenceText(name, tag), rest };
}
