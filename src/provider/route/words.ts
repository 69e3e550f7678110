/**
 * Words of a model's name: runs of letters, and numbers with their parts (`4-5` and `4.5` are one word, a number that belongs to a unit
 * as in `70b` is not part of a version).
 */
export const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}+|\d+(?:[.-]\d{1,2}(?![\d\p{L}]))*/gu) ?? []).map((word) => word.replaceAll("-", "."));

/** How well a name holds the words that were asked for; smaller is better. */
export interface WordMatch {
  /** 0: each is a word of the name. 1: each begins one. 2: each is in one. */
  readonly looseness: number;
  /** Words of the name after the last that was asked for: what it is beside that, as `lite` or `codex`. */
  readonly unsaid: number;
}

const FITS: readonly ((word: string, asked: string) => boolean)[] = [
  (word, asked) => word === asked,
  (word, asked) => (/^\d/u.test(asked) ? word.startsWith(`${asked}.`) || word === asked : word.startsWith(asked)),
  (word, asked) => word === asked || (asked.length >= 3 && !/^\d/u.test(asked) && word.includes(asked)) || word.startsWith(`${asked}.`),
];

/** Whether all asked words are in the name, in their order. */
export function matchWords(asked: readonly string[], name: readonly string[]): WordMatch | undefined {
  if (asked.length === 0) return undefined;
  for (const [looseness, fits] of FITS.entries()) {
    const last = lastOfMatch(asked, name, fits);
    if (last !== undefined) return { looseness, unsaid: name.slice(last + 1).filter((word) => /^\p{L}/u.test(word)).length };
  }
  return undefined;
}

/** Place of the last asked word, matched from the end so that as little as possible is after it. */
function lastOfMatch(
  asked: readonly string[],
  name: readonly string[],
  fits: (word: string, asked: string) => boolean,
): number | undefined {
  let left = asked.length;
  let last: number | undefined;
  for (let at = name.length - 1; at >= 0 && left > 0; at -= 1) {
    const [word, wanted] = [name[at], asked[left - 1]];
    if (word === undefined || wanted === undefined || !fits(word, wanted)) continue;
    last ??= at;
    left -= 1;
  }
  return left === 0 ? last : undefined;
}

export const compareMatches = (left: WordMatch, right: WordMatch): number => left.looseness - right.looseness || left.unsaid - right.unsaid;
