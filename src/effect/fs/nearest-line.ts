export interface NearestLine {
  readonly line: number;
  readonly text: string;
  readonly onlyBlanks: boolean;
}

/** Bounds of the search for a hint; a file beyond them is compared only as far. */
const MAX_LINES = 20_000;
const MAX_COMPARED = 200;
const LEAST_LIKENESS = 0.6;

const squeeze = (text: string): string => text.replace(/[\s\u00a0]+/gu, "");

/** The line of `text` most like the first line of `wanted` that is not in it; undefined when none is. */
export function nearestLine(text: string, wanted: string): NearestLine | undefined {
  const lines = text.split("\n", MAX_LINES);
  const spoken = wanted.split("\n").filter((line) => line.trim() !== "");
  const missing = spoken.find((line) => !lines.includes(line)) ?? spoken[0];
  if (missing === undefined) return undefined;
  const bare = squeeze(missing);
  const index = mostAlike(lines, bare);
  const line = index === undefined ? undefined : lines[index];
  if (index === undefined || line === undefined) return undefined;
  return { line: index + 1, text: [...line].slice(0, MAX_COMPARED).join(""), onlyBlanks: line !== missing && squeeze(line) === bare };
}

function mostAlike(lines: readonly string[], bare: string): number | undefined {
  const pairs = pairsOf(bare.slice(0, MAX_COMPARED));
  let best: number | undefined;
  let most = LEAST_LIKENESS;
  for (const [index, line] of lines.entries()) {
    const other = squeeze(line.slice(0, MAX_COMPARED * 4));
    if (other === bare) return index;
    const likeness = likenessOf(pairs, other.slice(0, MAX_COMPARED));
    if (likeness < most || (likeness === most && best !== undefined)) continue;
    best = index;
    most = likeness;
  }
  return best;
}

function pairsOf(text: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient of the letter pairs, 0 to 1. */
function likenessOf(wanted: ReadonlyMap<string, number>, text: string): number {
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
