import type { RunLimits, RunReason, RunStatus, ToolCallEntry, Usage } from "../../schema/index.js";
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
  const tokens = totalTokens(turn.usage);
  if (limits.maxTokens !== undefined && tokens !== undefined && tokens >= limits.maxTokens) {
    return { status: "limit", reason: "tokens", what: `${String(tokens)} tokens were used; the limit is ${String(limits.maxTokens)}` };
  }
  return undefined;
}

/** Input plus output tokens; unknown stays unknown. */
export function totalTokens(usage: Usage | undefined): number | undefined {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return undefined;
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}
