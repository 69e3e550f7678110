import type { SearchableTool } from "smith-agent/plugin";

/** How much a word counts by where it stands. */
const WEIGHT = { name: 3, args: 1.5, description: 1 } as const;
/** How fast a second and third time count less, and how much a long description counts against its words (BM25). */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.5;
/** Of a word that only begins as the one that was asked for. */
const BEGINNING = 0.5;
const SHORTEST_BEGINNING = 3;
const MAX_QUERY_WORDS = 32;

interface Indexed {
  readonly tool: SearchableTool;
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

/**
 * Tools by how well they answer the words asked for, best first; those that have none of them are left out. A tool whose whole name was asked
 * for comes first. Equal ones are in the order of their names.
 */
export function rankTools(query: string, tools: readonly SearchableTool[]): readonly SearchableTool[] {
  const asked = [...new Set(wordsOf(query))].slice(0, MAX_QUERY_WORDS);
  const indexed = tools.map(index);
  const usualLength = Math.max(1, indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length));
  const rarity = new Map(
    asked.map((word) => [word, rarityOf(indexed.filter(({ words }) => countOf(words, word) > 0).length, indexed.length)]),
  );
  const exact = query.trim().toLowerCase();
  return indexed
    .map(({ tool, words, length }) => ({
      tool,
      score:
        (tool.name.toLowerCase() === exact ? Number.MAX_SAFE_INTEGER : 0) +
        asked.reduce((sum, word) => sum + (rarity.get(word) ?? 0) * weightOf(countOf(words, word), length / usualLength), 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

const rarityOf = (having: number, all: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

const weightOf = (count: number, length: number): number =>
  (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length));

function countOf(words: ReadonlyMap<string, number>, asked: string): number {
  const whole = words.get(asked);
  if (whole !== undefined || asked.length < SHORTEST_BEGINNING) return whole ?? 0;
  let best = 0;
  for (const [word, count] of words) if (word.startsWith(asked)) best = Math.max(best, count * BEGINNING);
  return best;
}

function index(tool: SearchableTool): Indexed {
  const words = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) {
      words.set(word, (words.get(word) ?? 0) + weight);
      length += 1;
    }
  };
  add(tool.name, WEIGHT.name);
  add(tool.args.join(" "), WEIGHT.args);
  add(tool.description, WEIGHT.description);
  return { tool, words, length };
}

/** Words in small letters; `createIssue` and `create_issue` are two, `issues` is `issue`. */
export const wordsOf = (text: string): readonly string[] =>
  (
    text
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).map((word) => (word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word));
