import {
  exactUsd,
  type RunLimits,
  type RunReason,
  type RunStatus,
  type Spend,
  type ToolCallEntry,
  type Usage,
} from "../../schema/index.js";
import type { Turn } from "../state.js";

/** Rounds in a row without one runnable call before the turn is given up: a model that cannot form a call will not learn it. */
export const MAX_REFUSED_ROUNDS = 5;

export interface LimitHit {
  readonly status: RunStatus;
  readonly reason: RunReason;
  readonly what: string;
}

/** Identity of a tool-call set for stall detection: names and arguments, in order. */
export const callSignature = (calls: readonly ToolCallEntry[]): string => JSON.stringify(calls.map((call) => [call.name, call.argsText]));

/** Which limit forbids another round, if any. Checked after each complete batch (framework seed section 15). */
export function limitHit(turn: Turn, limits: RunLimits): LimitHit | undefined {
  if (turn.repeated.count >= limits.stallThreshold) {
    return {
      status: "stalled",
      reason: "stall",
      what: `the model asked for the same tool calls ${String(turn.repeated.count)} times in a row`,
    };
  }
  if (turn.refusedRounds >= MAX_REFUSED_ROUNDS) {
    return {
      status: "error",
      reason: "stall",
      what: `none of the model's tool calls could be run in ${String(turn.refusedRounds)} rounds in a row`,
    };
  }
  if (limits.maxRounds !== undefined && turn.rounds >= limits.maxRounds) {
    return { status: "maxTurns", reason: "rounds", what: `the limit of ${String(limits.maxRounds)} rounds was reached` };
  }
  return tokensHit(turn.spend, limits) ?? costHit(turn.spend, limits);
}

function tokensHit({ usage }: Spend, limits: RunLimits): LimitHit | undefined {
  const tokens = totalTokens(usage);
  if (limits.maxTokens !== undefined && tokens !== undefined && tokens >= limits.maxTokens) {
    return { status: "limit", reason: "tokens", what: `${String(tokens)} tokens were used; the limit is ${String(limits.maxTokens)}` };
  }
  return undefined;
}

/** What has no known cost cannot count, so it is told. */
function costHit({ cost, unpriced = 0 }: Spend, { maxCostUsd }: RunLimits): LimitHit | undefined {
  if (maxCostUsd === undefined || cost === undefined || cost < maxCostUsd) return undefined;
  const rest = unpriced === 0 ? "" : `, and ${String(unpriced)} ${unpriced === 1 ? "response" : "responses"} of unknown cost came on top`;
  return { status: "limit", reason: "cost", what: `${exactUsd(cost)} was spent${rest}; the limit is ${exactUsd(maxCostUsd)}` };
}

/** Input plus output tokens; unknown stays unknown. */
export function totalTokens(usage: Usage | undefined): number | undefined {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return undefined;
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}
