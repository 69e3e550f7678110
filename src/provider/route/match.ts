import { closest, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { isDated, stemOf } from "../catalog/family.js";
import type { ModelEntry } from "../catalog/types.js";
import { ambiguousModel } from "./diagnostics.js";
import { byItself, isEligible, isRedirected, type Option } from "./options.js";
import { compareMatches, matchWords, type WordMatch, wordsOf } from "./words.js";

/** A model of the catalog with the connection that would serve it. */
export interface Found {
  readonly option: Option;
  readonly model: string;
}

interface Candidate extends Found {
  readonly entry: ModelEntry;
  /** Place of its connection among all that may be taken. */
  readonly rank: number;
}

/** The models of some connections, best connection first, in the catalog's order. */
export function candidatesOf(entries: readonly ModelEntry[], options: readonly Option[]): readonly Candidate[] {
  const byProvider = new Map<string, Option[]>();
  for (const option of options) byProvider.set(option.provider.id, [...(byProvider.get(option.provider.id) ?? []), option]);
  return entries
    .flatMap((entry) => {
      const option = servingOf(entry, byProvider.get(entry.ref.provider) ?? []);
      return option === undefined ? [] : [{ option, model: entry.ref.model, entry, rank: options.indexOf(option) }];
    })
    .sort((left, right) => left.rank - right.rank);
}

/** What can be asked now: what may be taken by itself, then what has to be named. */
export function usableOf(options: readonly Option[]): readonly Option[] {
  const chosen = byItself(options);
  const isAsked = (option: Option): boolean => isEligible(option, options) && !isRedirected(option, options);
  return [...chosen, ...options.filter((option) => isAsked(option) && !chosen.includes(option))];
}

/** A connection whose server is known to have it, else the one that has it as its default, else the best. */
export function servingOf({ listedBy = [], ref }: ModelEntry, options: readonly Option[]): Option | undefined {
  return (
    options.find(({ connection }) => listedBy.includes(connection.name)) ??
    options.find(({ connection }) => connection.defaultModel === ref.model) ??
    options[0]
  );
}

/** A name that differs in nothing but capital letters. */
export function anyCase(text: string, candidates: readonly Candidate[]): Found | undefined {
  const lower = text.toLowerCase();
  return (
    candidates.find(({ model }) => model.toLowerCase() === lower) ??
    candidates.find(({ entry }) => entry.also?.some((id) => id.toLowerCase() === lower) === true)
  );
}

interface Matched extends Candidate {
  readonly match: WordMatch;
}

/**
 * By words of the id or title. Closest match first, then the best connection, then the name with nothing unsaid after the words, then
 * the newest release, an id that moves on before a dated one. What is equal in all of that and not of one family is no winner.
 */
export function partMatch(text: string, candidates: readonly Candidate[]): Result<Found | undefined, Diagnostic> {
  const asked = wordsOf(text);
  const matched = candidates
    .flatMap((candidate): readonly Matched[] => {
      const match = bestMatch(asked, candidate.entry);
      return match === undefined ? [] : [{ ...candidate, match }];
    })
    .sort((left, right) => compareMatched(left, right) || (nameOf(left) < nameOf(right) ? -1 : 1));
  const [first] = matched;
  if (first === undefined) return ok(undefined);
  const equals = matched.filter((each) => compareMatched(first, each) === 0);
  const families = new Set(equals.map(({ entry, model }) => `${entry.ref.provider}/${stemOf(model)}`));
  if (families.size > 1) return err(ambiguousModel(text, equals.map(nameOf)));
  // Editions of one model that no date of release tells apart: the id with the later date.
  return ok(equals.at(-1) ?? first);
}

const nameOf = ({ entry }: Candidate): string => `${entry.ref.provider}/${entry.ref.model}`;

/** Whether the words are in a name as a selection may have them. */
export const matchesName = (text: string, name: string): boolean => matchName(wordsOf(text), name) !== undefined;

function bestMatch(asked: readonly string[], { ref, title, also = [] }: ModelEntry): WordMatch | undefined {
  return [ref.model, ...also, ...(title === undefined ? [] : [title])]
    .flatMap((name) => matchName(asked, name) ?? [])
    .sort(compareMatches)[0];
}

const matchName = (asked: readonly string[], name: string): WordMatch | undefined =>
  matchWords(asked, wordsOf(stemOf(name))) ?? matchWords(asked, wordsOf(name));

function compareMatched(left: Matched, right: Matched): number {
  const [a, b] = [left.entry.released ?? "", right.entry.released ?? ""];
  return (
    left.match.looseness - right.match.looseness ||
    left.rank - right.rank ||
    left.match.unsaid - right.match.unsaid ||
    (a === b ? 0 : a > b ? -1 : 1) ||
    Number(isDated(left.model)) - Number(isDated(right.model))
  );
}

/** The id or selection a person most likely meant. */
export function nearestModel(text: string, candidates: readonly Candidate[]): string | undefined {
  const near = closest(
    text,
    candidates.flatMap((candidate) => [candidate.model, nameOf(candidate)]),
  );
  const found = candidates.find((candidate) => candidate.model === near || nameOf(candidate) === near);
  return found === undefined ? undefined : nameOf(found);
}
