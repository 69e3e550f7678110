/** Takes secret values out of a text that comes in pieces. */
export interface Redactor {
  /** What is sure of the text so far; what may be the start of a value waits for its rest. */
  push(piece: string): string;
  /** What was still waiting. */
  end(): string;
}

const SHORTEST = 4;
const MARK = "[redacted]";

/** One redactor serves one stream. Values of fewer than four characters are words of every text and stay. */
export function createRedactor(values: readonly string[]): Redactor {
  const kept = values.filter((value) => value.length >= SHORTEST).toSorted((left, right) => right.length - left.length);
  const [longest] = kept;
  if (longest === undefined) return { push: (piece) => piece, end: () => "" };
  const anyOf = new RegExp(kept.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&")).join("|"), "gu");
  let held = "";
  return {
    push(piece) {
      const text = held + piece;
      const waits = waitingFrom(text, kept, longest.length);
      let shown = "";
      let from = 0;
      for (const match of text.matchAll(anyOf)) {
        if (match.index >= waits) break;
        shown += text.slice(from, match.index) + MARK;
        from = match.index + match[0].length;
      }
      // A value that ends behind the place where another could begin is taken out as it is.
      const cut = Math.max(from, waits);
      held = text.slice(cut);
      return shown + text.slice(from, cut);
    },
    end() {
      const rest = held.replace(anyOf, MARK);
      held = "";
      return rest;
    },
  };
}

/** One after the other. */
export const joined = (first: Redactor, second: Redactor): Redactor => ({
  push: (piece) => second.push(first.push(piece)),
  end: () => second.push(first.end()) + second.end(),
});

/** Where the earliest end of `text` begins that is the start of a value, but not all of it. */
function waitingFrom(text: string, values: readonly string[], longest: number): number {
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const end = text.slice(at);
    if (values.some((value) => value.length > end.length && value.startsWith(end))) return at;
  }
  return text.length;
}
