import type { Price, Rates } from "./facts.js";

/**
 * Token counts of one response. A missing field is unknown, never 0. Input holds what was read from and written to a cache, output
 * holds what was thought.
 */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Sum that keeps unknown unknown: a field is present only when every observation that should have it does. */
export function addUsage(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const key of ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const) {
    const a = left[key];
    const b = right[key];
    if (a !== undefined || b !== undefined) sum[key] = (a ?? 0) + (b ?? 0);
  }
  return sum;
}

/** US dollars of one response by the rates of the model that served it; undefined when a count or rate it needs is unknown. */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined || price === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const rates: Rates = price.long !== undefined && inputTokens > price.long.above ? price.long : price;
  // A cache that costs nothing of its own is charged like other input.
  const { input, output, cacheRead = input, cacheWrite = input } = rates;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return (fresh * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output) / 1_000_000;
}

/** What work has used. `cost` is what is known of it; `unpriced` counts responses whose cost is not known. */
export interface Spend {
  readonly usage?: Usage;
  readonly cost?: number;
  readonly unpriced?: number;
}
