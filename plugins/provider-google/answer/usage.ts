import type { JsonObject, Usage } from "smith-agent/plugin";
import { asCount } from "../json.js";

/** {@link Usage} as plain JSON, as it is kept between batches. */
export type Counts = { readonly [Name in keyof Usage]: Usage[Name] };

/**
 * Token counts of one chunk: the totals so far, so the last ones are the response's. Of a chunk that has a sum, a count that is not
 * told is 0, because the wire leaves zeros out. The prompt's count holds what was cached; what hosted tools read is counted apart by
 * the API and is not part of the prompt.
 */
export function usageOf(metadata: JsonObject | undefined, before: Counts | null): Counts | undefined {
  const counted = (...names: readonly string[]): number | undefined => names.map((name) => asCount(metadata?.[name])).find(isKnown);
  const input = counted("promptTokenCount");
  const answer = counted("candidatesTokenCount", "responseTokenCount");
  const thoughts = counted("thoughtsTokenCount");
  const known = [input, answer, thoughts].filter(isKnown).length;
  if (known === 0) return undefined;
  const isWhole = input !== undefined && counted("totalTokenCount") !== undefined;
  const usage = {
    inputTokens: input,
    outputTokens: isWhole || known > (input === undefined ? 0 : 1) ? (answer ?? 0) + (thoughts ?? 0) : undefined,
    // Told once, they are told again as 0: a later total replaces an earlier one.
    cacheReadTokens: counted("cachedContentTokenCount") ?? zeroAfter(before?.cacheReadTokens),
    reasoningTokens: thoughts ?? zeroAfter(before?.reasoningTokens),
  };
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));
}

const isKnown = (count: number | undefined): count is number => count !== undefined;

const zeroAfter = (count: number | undefined): number | undefined => (count === undefined ? undefined : 0);
