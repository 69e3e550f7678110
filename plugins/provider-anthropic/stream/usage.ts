import type { JsonValue, Usage } from "smith-agent/plugin";
import { asCount, asObject } from "../json.js";

/** Counts in the vendor's terms: its input leaves out what a cache had and what was written to one. */
export type Counts = {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
};

/** Counts are totals so far: what a later event says wins, what it does not mention stays. */
export function laterCounts(earlier: Counts, value: JsonValue | undefined): Counts {
  const usage = asObject(value);
  const prompt = known({
    input: asCount(usage?.["input_tokens"]),
    cacheRead: asCount(usage?.["cache_read_input_tokens"]),
    cacheWrite: asCount(usage?.["cache_creation_input_tokens"]),
  });
  const answer = known({
    output: asCount(usage?.["output_tokens"]),
    reasoning: asCount(asObject(usage?.["output_tokens_details"])?.["thinking_tokens"]),
  });
  // No request has no input: a server that does not know says 0.
  const isNothing = earlier.input !== undefined && Object.values(prompt).every((count) => count === 0);
  return { ...earlier, ...(isNothing ? {} : prompt), ...answer };
}

/** The fields that have a value. */
const known = (counts: { readonly [Name in keyof Counts]: number | undefined }): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));

/** The same in smith's terms: input is all of the prompt. */
export function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: Counts): Usage {
  return {
    ...(input === undefined ? {} : { inputTokens: input + (cacheRead ?? 0) + (cacheWrite ?? 0) }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(cacheRead === undefined ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
