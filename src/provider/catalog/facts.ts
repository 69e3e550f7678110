import type { JsonObject, JsonValue } from "../../base/index.js";
import type { ModelFacts } from "../../schema/index.js";
import type { Claim, ModelEntry } from "./types.js";

/** Every fact there is, in the order people read them. */
export const FACTS = [
  "contextTokens",
  "outputTokens",
  "images",
  "tools",
  "thinking",
  "strictTools",
  "grammarTools",
  "trainedTools",
  "structuredOutput",
  "sampling",
  "cache",
  "price",
  "hints",
] as const satisfies readonly (keyof ModelFacts)[];

export type Fact = (typeof FACTS)[number];

/** What one source says of a model. Of several the strongest comes first. */
export interface Statement {
  readonly by: Claim["by"];
  readonly source: string;
  readonly date?: string;
  readonly facts: ModelFacts;
}

type Claims = ModelEntry["claims"];

/** Merges fact by fact: the first statement that has one counts, whatever its value is. */
export function mergeStatements(statements: readonly Statement[]): { readonly facts: ModelFacts; readonly claims: Claims } {
  const facts: { [name: string]: JsonValue } = {};
  const claims: { [Name in Fact]?: readonly Claim[] } = {};
  for (const fact of FACTS) {
    const said = statements.flatMap((statement) => claimOf(statement, fact));
    if (said[0] === undefined) continue;
    claims[fact] = said;
    facts[fact] = fact === "hints" ? mergeHints(said) : said[0].value;
  }
  // Each value was taken from this very fact of a ModelFacts.
  return { facts: facts, claims };
}

function claimOf({ by, source, date, facts }: Statement, fact: Fact): readonly Claim[] {
  const value = facts[fact];
  // Facts are JSON by construction; the interfaces among them have no index signature.
  return value === undefined ? [] : [{ by, source, ...(date === undefined ? {} : { date }), value: value as JsonValue }];
}

/** Hints are words of one plugin to itself, each a fact of its own: a server's hint does not hide another of the catalog. */
const mergeHints = (said: readonly Claim[]): JsonValue =>
  Object.assign({}, ...[...said].reverse().map(({ value }) => value as JsonObject)) as JsonObject;

/** Facts of an entry when its server says more than the entry was made from: what a person said stays, the server is next. */
export function factsWith(entry: ModelEntry, server: ModelFacts): ModelFacts {
  const kept = FACTS.filter((fact) => entry.claims[fact]?.[0]?.by === "user");
  const people = Object.fromEntries(kept.map((fact) => [fact, entry.facts[fact]])) as ModelFacts;
  return mergeStatements([
    { by: "user", source: "", facts: people },
    { by: "server", source: "", facts: server },
    { by: "catalog", source: "", facts: entry.facts },
  ]).facts;
}
