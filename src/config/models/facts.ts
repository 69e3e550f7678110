import { isThinkingLevel, type ModelFacts, type Price, type Rates, THINKING_LEVELS, type ThinkingLevel } from "../../schema/index.js";
import type { KdlNode, KdlValue } from "../file/node.js";

/** What is wrong with a node that describes a model. `subject` is what is wrong, `expected` completes "must be". */
export interface FactProblem {
  readonly at: KdlNode | KdlValue;
  readonly subject: string;
  readonly expected: string;
}

export interface ReadModel {
  readonly facts: ModelFacts;
  /** Other ids of the model. */
  readonly also: readonly string[];
  readonly problems: readonly FactProblem[];
}

interface Reading {
  readonly model: string;
  readonly problems: FactProblem[];
}

/** Of one fact: its value, or undefined once something is wrong with it. */
type ReadFact = (reading: Reading, node: KdlNode) => Partial<ModelFacts> | undefined;

const CACHES = ["none", "automatic", "points"] as const;

const FACTS: { readonly [child: string]: ReadFact } = {
  context: (reading, node) => present("contextTokens", readTokens(reading, node)),
  output: (reading, node) => present("outputTokens", readTokens(reading, node)),
  images: (reading, node) => present("images", readFlag(reading, node)),
  tools: (reading, node) => present("tools", readFlag(reading, node)),
  thinking: (reading, node) => present("thinking", readLevels(reading, node)),
  "strict-tools": (reading, node) => present("strictTools", readFlag(reading, node)),
  "grammar-tools": (reading, node) => present("grammarTools", readFlag(reading, node)),
  "trained-tools": (reading, node) => present("trainedTools", readWords(reading, node)),
  "structured-output": (reading, node) => present("structuredOutput", readFlag(reading, node)),
  sampling: (reading, node) => present("sampling", readFlag(reading, node)),
  cache: (reading, node) => present("cache", readCache(reading, node)),
};

/** Children that may be there several times. */
const MANY: readonly string[] = ["also", "hint"];

const KNOWN: readonly string[] = [...Object.keys(FACTS), "price", "long-price", "hint", "also"];

/** Children of a `model` node, the same in catalogs of plugins and in a person's configuration. Every problem is reported. Pure. */
export function readModelFacts(node: KdlNode): ReadModel {
  const reading: Reading = { model: nameOf(node), problems: [] };
  const facts: { -readonly [Fact in keyof ModelFacts]: ModelFacts[Fact] } = {};
  const seen = new Set<string>();
  for (const child of node.children) {
    if (seen.has(child.name) && !MANY.includes(child.name)) problem(reading, child, `a second ${child.name}`, "absent");
    seen.add(child.name);
    if (KNOWN.includes(child.name)) Object.assign(facts, FACTS[child.name]?.(reading, child));
    else problem(reading, child, child.name, `one of ${KNOWN.join(", ")}`);
  }
  const price = readPrice(reading, node.children);
  const hints = readHints(reading, node.children);
  return {
    facts: { ...facts, ...(price === undefined ? {} : { price }), ...(hints === undefined ? {} : { hints }) },
    also: node.children.filter(({ name }) => name === "also").flatMap((child) => readWords(reading, child)),
    problems: reading.problems,
  };
}

const nameOf = (node: KdlNode): string => String(node.entries.find(({ name }) => name === undefined)?.value ?? node.name);

function problem({ model, problems }: Reading, at: KdlNode | KdlValue, subject: string, expected: string): undefined {
  problems.push({ at, subject: `${subject} of ${model}`, expected });
  return undefined;
}

const present = <const Fact extends keyof ModelFacts>(fact: Fact, value: ModelFacts[Fact] | undefined): Partial<ModelFacts> | undefined =>
  value === undefined ? undefined : { [fact]: value };

/** The one argument of a node; properties and further ones are problems. */
function onlyArgument(reading: Reading, node: KdlNode, expected: string): KdlValue | undefined {
  const [value, extra] = node.entries;
  if (value === undefined) return problem(reading, node, node.name, expected);
  if (value.name !== undefined || extra !== undefined) return problem(reading, extra ?? value, node.name, `${expected} and nothing else`);
  return value;
}

function readTokens(reading: Reading, node: KdlNode): number | undefined {
  const expected = "a whole number of tokens, at least 1";
  const given = onlyArgument(reading, node, expected);
  if (given === undefined) return undefined;
  const { value } = given;
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : problem(reading, given, node.name, expected);
}

function readFlag(reading: Reading, node: KdlNode): boolean | undefined {
  const given = onlyArgument(reading, node, "#true or #false");
  if (given === undefined) return undefined;
  return typeof given.value === "boolean" ? given.value : problem(reading, given, node.name, "#true or #false");
}

function readCache(reading: Reading, node: KdlNode): ModelFacts["cache"] {
  const expected = `one of ${CACHES.join(", ")}`;
  const given = onlyArgument(reading, node, expected);
  if (given === undefined) return undefined;
  return CACHES.find((known) => known === given.value) ?? problem(reading, given, node.name, expected);
}

function readWords(reading: Reading, node: KdlNode): readonly string[] {
  return node.entries.flatMap((entry) => {
    if (entry.name === undefined && typeof entry.value === "string" && entry.value !== "") return [entry.value];
    problem(reading, entry, node.name, "texts that are not empty");
    return [];
  });
}

/** Without arguments: it never thinks. */
function readLevels(reading: Reading, node: KdlNode): readonly ThinkingLevel[] | undefined {
  const words = readWords(reading, node);
  if (words.length < node.entries.length) return undefined;
  if (!words.every(isThinkingLevel)) return problem(reading, node, "thinking", `levels out of ${THINKING_LEVELS.join(", ")}`);
  return THINKING_LEVELS.filter((level) => words.includes(level));
}

const RATES = ["input", "output", "cache-read", "cache-write"] as const;

function readPrice(reading: Reading, children: readonly KdlNode[]): Price | undefined {
  const [usual, long] = ["price", "long-price"].map((name) => children.find((child) => child.name === name));
  if (usual === undefined) return long === undefined ? undefined : problem(reading, long, "long-price", "beside a price");
  const rates = readRates(reading, usual, RATES);
  if (rates === undefined || long === undefined) return rates;
  const longer = readRates(reading, long, [...RATES, "above"]);
  const above = propertyOf(long, "above");
  if (typeof above !== "number" || !Number.isSafeInteger(above) || above < 1)
    return problem(reading, long, "above", "a whole number of tokens");
  return longer === undefined ? undefined : { ...rates, long: { ...longer, above } };
}

const propertyOf = (node: KdlNode, name: string): KdlValue["value"] | undefined => node.entries.find((entry) => entry.name === name)?.value;

/** US dollars for a million tokens. */
function readRates(reading: Reading, node: KdlNode, known: readonly string[]): Rates | undefined {
  const unknown = node.entries.find(({ name }) => name === undefined || !known.includes(name));
  if (unknown !== undefined) return problem(reading, unknown, node.name, `made of ${known.join("=, ")}=`);
  const rates = RATES.map((name) => propertyOf(node, name));
  if (rates.some((rate) => rate !== undefined && (typeof rate !== "number" || !Number.isFinite(rate) || rate < 0)))
    return problem(reading, node, node.name, "US dollars for a million tokens, at least 0");
  // Each was found to be a number or absent.
  const [input, output, cacheRead, cacheWrite] = rates as readonly (number | undefined)[];
  if (input === undefined || output === undefined) return problem(reading, node, node.name, "given with input= and output=");
  return { input, output, ...(cacheRead === undefined ? {} : { cacheRead }), ...(cacheWrite === undefined ? {} : { cacheWrite }) };
}

function readHints(reading: Reading, children: readonly KdlNode[]): ModelFacts["hints"] {
  const entries = children.filter(({ name }) => name === "hint").flatMap((node) => node.entries);
  if (entries.length === 0) return undefined;
  const hints: Record<string, string | number | boolean> = {};
  for (const entry of entries) {
    if (entry.name === undefined || entry.value === null) problem(reading, entry, "hint", 'written as name="value"');
    else hints[entry.name] = entry.value;
  }
  return hints;
}
