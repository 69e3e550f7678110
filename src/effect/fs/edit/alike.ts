/** Ways in which a text that a model remembers differs from what is in the file, each with a way to look past it. */
interface Blur {
  readonly word: string;
  readonly blur: (text: string) => string;
}

const BLURS: readonly Blur[] = [
  { word: "indentation", blur: (text) => text.replace(/^[ \t]+/gmu, "") },
  { word: "blanks at the end of a line", blur: (text) => text.replace(/[ \t]+$/gmu, "") },
  { word: "no-break or other special spaces", blur: (text) => text.replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu, " ") },
  { word: "invisible characters", blur: (text) => text.replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/gu, "") },
  {
    word: "typographic quotes",
    blur: (text) => text.replace(/[\u2018-\u201b\u2032]/gu, "'").replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/gu, '"'),
  },
  { word: "the kind of quotes", blur: (text) => text.replace(/['`]/gu, '"') },
  { word: "dashes", blur: (text) => text.replace(/[\u2010-\u2015\u2212]/gu, "-") },
  { word: "an ellipsis", blur: (text) => text.replaceAll("\u2026", "...") },
  { word: "how accented letters are composed", blur: (text) => text.normalize("NFC") },
  { word: "empty lines", blur: (text) => text.replace(/\n[ \t]*(?=\n)/gu, "") },
  { word: "carriage returns", blur: (text) => text.replaceAll("\r", "") },
  { word: "backslashes before quotes", blur: (text) => text.replace(/\\(?=["'`])/gu, "") },
  { word: "blanks", blur: (text) => text.replace(/[ \t]+/gu, "") },
  { word: "upper and lower case", blur: (text) => text.toLowerCase() },
];

const through = (blurs: readonly Blur[], text: string): string => blurs.reduce((blurred, { blur }) => blur(blurred), text);

/** One line without anything that is easily remembered wrong. */
export const bareLine = (line: string): string => through(BLURS, line);

/** In which ways alone `wanted` differs from a part of `found`, as few as explain it; undefined when it differs in more than these. */
export function differences(wanted: string, found: string): readonly string[] | undefined {
  const fits = (blurs: readonly Blur[]): boolean => through(blurs, found).includes(through(blurs, wanted));
  if (!fits(BLURS)) return undefined;
  let needed = BLURS;
  // From the coarsest on, so that the finest explanation is the one that stays.
  for (const blur of BLURS.toReversed()) {
    const fewer = needed.filter((each) => each !== blur);
    if (fits(fewer)) needed = fewer;
  }
  return needed.map(({ word }) => word);
}

/** Characters of a line that are compared for likeness. */
const MAX_COMPARED = 200;

export type LetterPairs = ReadonlyMap<string, number>;

export function pairsOf(text: string): LetterPairs {
  const pairs = new Map<string, number>();
  const end = Math.min(text.length, MAX_COMPARED);
  for (let index = 0; index + 1 < end; index += 1) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient of the letter pairs, 0 to 1. */
export function likeness(wanted: LetterPairs, text: string): number {
  const pairs = pairsOf(text);
  let total = 0;
  let shared = 0;
  for (const count of wanted.values()) total += count;
  for (const [pair, count] of pairs) {
    total += count;
    shared += Math.min(count, wanted.get(pair) ?? 0);
  }
  return total === 0 ? 0 : (2 * shared) / total;
}
