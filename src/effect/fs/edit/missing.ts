import { bareLine, differences, likeness, pairsOf } from "./alike.js";

export interface MissingQuestion {
  /** The file as it is now, line ends as `\n`. */
  readonly text: string;
  readonly old: string;
  readonly fresh: string;
  /** Whether the text was there before the edits of the same call. */
  readonly wasThere: boolean;
}

/** Bounds of the search for a hint: a file beyond them is compared only as far. */
const MAX_LINES = 50_000;
const MAX_OLD_LINES = 400;
const MAX_CANDIDATES = 3;
const MAX_SHOWN = 160;
const MAX_LINE = 1200;
const LEAST_LIKENESS = 0.6;

const quote = (line: string): string => {
  const characters = [...line.slice(0, MAX_SHOWN * 2)];
  return JSON.stringify(characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join("")}…` : line);
};

/** Why a text is not there, as whole sentences: the nearest places with their lines, and what differs, in words. */
export function whyMissing(question: MissingQuestion): string {
  const { text, old, fresh, wasThere } = question;
  if (wasThere) return "It was there until an earlier edit of this call changed it: edits are made in order.";
  const bare = withoutNumbers(old);
  if (bare !== old && text.includes(bare)) return "Its lines begin with the line numbers that read shows; they are not part of the file.";
  const lines = text.split("\n", MAX_LINES).map(cut);
  const wanted = wantedLines(old);
  const blocks = alikeBlocks(lines, wanted);
  const near =
    blocks.length > 0
      ? blocks.map((start) => blockHint(lines, wanted, { start, end: old.endsWith("\n") ? "\n" : "" }))
      : alikeLines(lines, wanted);
  const done = fresh.trim() !== "" && text.includes(fresh) ? [` The new text is there already, on line ${lineOf(text, fresh)}.`] : [];
  if (near.length === 0) return `No line of the file is like it.${done.join("")}`;
  const [first = "", ...others] = near;
  return `The nearest is ${first}.${others.length === 0 ? "" : ` Also near: ${others.join("; ")}.`}${done.join("")}`;
}

/** Compared by their beginnings: what lines are worth as a hint ends somewhere. */
const cut = (line: string): string => (line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line);

const withoutNumbers = (old: string): string => old.replace(/^ *\d+\t/gmu, "");

function wantedLines(old: string): readonly string[] {
  const lines = old.split("\n", MAX_OLD_LINES).map(cut);
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split("\n").length;
}

/** First lines (from 0) of the places where most of the wanted lines are, looked at without what is easily mistaken. */
function alikeBlocks(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const bare = wanted.map((line) => bareLine(line));
  const places = new Map<string, number[]>();
  for (const [index, line] of bare.entries()) places.set(line, [...(places.get(line) ?? []), index]);
  const first = bare[0] ?? "";
  const last = bare.length - 1;
  const votes = new Map<number, number>();
  const vote = (start: number, weight: number): void => {
    if (start >= 0) votes.set(start, (votes.get(start) ?? 0) + weight);
  };
  for (const [at, line] of lines.entries()) {
    const found = bareLine(line);
    if (found === "") continue;
    for (const index of places.get(found) ?? []) vote(at - index, found.length);
    if (found !== first && holdsFirst(found, first, last === 0)) vote(at, first.length);
  }
  const needed = bare.reduce((sum, line) => sum + line.length, 0) / 2;
  return [...votes]
    .filter(([, weight]) => weight >= needed)
    .toSorted(([a, most], [b, other]) => other - most || a - b)
    .slice(0, MAX_CANDIDATES)
    .map(([start]) => start);
}

/** The first wanted line may begin in the middle of a line. */
const holdsFirst = (found: string, first: string, isOnly: boolean): boolean =>
  first.length > 2 && (isOnly ? found.includes(first) : found.endsWith(first));

/** One place, in words. */
function blockHint(
  lines: readonly string[],
  wanted: readonly string[],
  { start, end }: { readonly start: number; readonly end: string },
): string {
  const found = lines.slice(start, start + wanted.length);
  const ways = differences(wanted.join("\n") + end, found.join("\n") + end);
  const index = found.findIndex((line, at) => !fits(line, wanted[at] ?? "", { at, last: wanted.length - 1 }));
  const shown = index < 0 ? 0 : index;
  const place = wanted.length === 1 ? `line ${start + 1}` : `lines ${start + 1}-${start + found.length}`;
  const line = quote(found[shown] ?? "");
  const where = wanted.length === 1 ? line : `line ${start + shown + 1} is ${line}`;
  if (ways !== undefined && ways.length > 0) return `${place}, which differs only in ${ways.join(" and ")}: ${where}`;
  return wanted.length === 1 ? `${place}: ${line}` : `${place}: ${where}, not ${quote(wanted[shown] ?? "")}`;
}

/** The first wanted line may begin, and the last may end, in the middle of a line. */
function fits(line: string, wanted: string, { at, last }: { readonly at: number; readonly last: number }): boolean {
  if (last === 0) return line.includes(wanted);
  if (at === 0) return line.endsWith(wanted);
  return at === last ? line.startsWith(wanted) : line === wanted;
}

/** Single lines most like the first wanted one that is not there. */
function alikeLines(lines: readonly string[], wanted: readonly string[]): readonly string[] {
  const spoken = wanted.filter((line) => line.trim() !== "");
  const missing = spoken.find((line) => !lines.includes(line)) ?? spoken[0];
  if (missing === undefined) return [];
  const pairs = pairsOf(bareLine(missing));
  return lines
    .map((line, at) => ({ line, at, likeness: likeness(pairs, bareLine(line)) }))
    .filter((each) => each.likeness >= LEAST_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness || a.at - b.at)
    .slice(0, MAX_CANDIDATES)
    .map(({ line, at }) => `line ${at + 1}: ${quote(line)}`);
}
