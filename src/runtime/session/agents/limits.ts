import { addSpend, NO_SPEND, type RunLimits, type Spend } from "../../../schema/index.js";

/** Rounds of all agents below one call together, and how deep they may ask each other (product page section 7). */
export const TREE_ROUNDS = 50;
export const MAX_DEPTH = 3;

/** Rounds of one sub-agent that was given no bound. */
const ROUNDS = 25;

export const roundsOf = (wanted: number | undefined): number => Math.min(Math.max(Math.floor(wanted ?? ROUNDS), 1), TREE_ROUNDS);

/** What a sub-agent may use: what `others` of the run have left of its limits. Its asker's deadline ends it from outside. */
export function limitsLeft(run: RunLimits, others: readonly Spend[], maxRounds: number): RunLimits {
  const { deadlineMs: _, maxTokens, maxCostUsd, ...rest } = run;
  const { usage, cost = 0 } = others.reduce(addSpend, NO_SPEND);
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return {
    ...rest,
    maxRounds,
    ...(maxTokens === undefined ? {} : { maxTokens: Math.max(maxTokens - tokens, 0) }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd: Math.max(maxCostUsd - cost, 0) }),
  };
}
