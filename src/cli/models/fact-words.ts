import type { FactRow, ModelEntry } from "../../runtime/index.js";
import { type ModelFacts, type Price, THINKING_LEVELS } from "../../schema/index.js";

/** What nobody knows. */
export const UNKNOWN = "-";

/** `200k`, `1.05M`: three digits are enough to choose by. */
export function tokenWords(tokens: number | undefined): string {
  if (tokens === undefined) return UNKNOWN;
  if (tokens < 1000) return String(tokens);
  const [size, unit] = tokens < 999_500 ? [tokens / 1000, "k"] : [tokens / 1_000_000, "M"];
  return `${String(Number(size.toPrecision(3)))}${unit}`;
}

/** US dollars for a million tokens read and written. */
export const priceWords = (price: Price | undefined): string =>
  price === undefined ? UNKNOWN : `${String(price.input)} / ${String(price.output)}`;

/** What a model takes, as far as that is known. */
export function abilityWords({ images, tools }: ModelFacts): string {
  const words = [...(images === true ? ["images"] : []), ...(tools === true ? ["tools"] : tools === false ? ["no tools"] : [])];
  return words.length === 0 ? UNKNOWN : words.join(" ");
}

/** Levels that can be typed after the colon: all, or the weakest and the strongest. */
export function levelWords({ thinking }: ModelFacts, form: "all" | "range"): string {
  if (thinking === undefined) return UNKNOWN;
  const levels = THINKING_LEVELS.filter((level) => thinking.includes(level));
  const [first, last] = [levels[0], levels.at(-1)];
  if (first === undefined || last === undefined) return "never";
  return form === "all" ? levels.join(" ") : first === last ? first : `${first}…${last}`;
}

/** `you`: the configuration. */
export const sayerWords = (by: ModelEntry["known"]): string => (by === "user" ? "you" : by);

/** The newest date of what is said, as a day. */
export function dayOf({ claims, known }: ModelEntry): string | undefined {
  const dates = Object.values(claims).flatMap((said) => (said ?? []).filter(({ by }) => by === known).flatMap(({ date }) => date ?? []));
  return dates.sort().at(-1)?.slice(0, 10);
}

/** Facts by the names they have in configuration and catalogs. */
export const FACT_NAMES: Readonly<Record<FactRow["fact"], string>> = {
  contextTokens: "context",
  outputTokens: "output",
  images: "images",
  tools: "tools",
  thinking: "thinking",
  strictTools: "strict-tools",
  grammarTools: "grammar-tools",
  trainedTools: "trained-tools",
  structuredOutput: "structured-output",
  sampling: "sampling",
  cache: "cache",
  price: "price",
  hints: "hint",
};

/** A value of a fact, in words. */
export function valueWords(fact: FactRow["fact"], value: FactRow["value"]): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "never" : value.map(String).join(" ");
  if (typeof value !== "object" || value === null) return String(value);
  // The value of that fact is a price by construction; JSON has no interfaces.
  if (fact === "price") return wholePrice(value as unknown as Price);
  return Object.entries(value)
    .map(([name, held]) => `${name}=${typeof held === "string" ? held : JSON.stringify(held)}`)
    .join(" ");
}

function wholePrice({ long, ...rates }: Price): string {
  const words = (given: Omit<Price, "long">): string =>
    [
      `${String(given.input)} in, ${String(given.output)} out`,
      ...(given.cacheRead === undefined ? [] : [`${String(given.cacheRead)} from cache`]),
      ...(given.cacheWrite === undefined ? [] : [`${String(given.cacheWrite)} into cache`]),
    ].join(", ");
  return long === undefined ? words(rates) : `${words(rates)}; above ${String(long.above)} tokens ${words(long)}`;
}
