import type { ModelRow } from "./types.js";

/** How well a text answers to a word, the less the better: it begins so, a part of it does, it holds it, it has its letters in order. */
function distance(text: string, word: string): number | undefined {
  if (text.startsWith(word)) return 0;
  const at = text.indexOf(word);
  if (at > 0) return /[a-z0-9]/u.test(text.charAt(at - 1)) ? 2 : 1;
  let found = 0;
  for (const char of text) if (char === word.charAt(found)) found += 1;
  return found === word.length ? 3 : undefined;
}

/** Rows that have all the words of what was typed, best first; of equals the order stays. All of them for nothing typed. */
export function fittingRows(rows: readonly ModelRow[], typed: string): readonly ModelRow[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return rows;
  const near = rows.flatMap((row) => {
    const far = farthest(row, words);
    return far === undefined ? [] : [{ row, far }];
  });
  // Letters in order are only a guess: not beside what was spelled out.
  const least = Math.min(...near.map(({ far }) => far));
  return near
    .filter(({ far }) => far < 3 || least === 3)
    .toSorted((left, right) => left.far - right.far)
    .map(({ row }) => row);
}

/** Of the word that fits worst, in the part of the name it fits best. */
function farthest({ name, title }: ModelRow, words: readonly string[]): number | undefined {
  const texts = [name, name.slice(name.indexOf("/") + 1), title].map((text) => text.toLowerCase());
  let far = 0;
  for (const word of words) {
    const least = Math.min(...texts.map((text) => distance(text, word) ?? Number.POSITIVE_INFINITY));
    if (least === Number.POSITIVE_INFINITY) return undefined;
    far = Math.max(far, least);
  }
  return far;
}
