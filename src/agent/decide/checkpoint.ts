import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import { isCost, NO_SPEND, type Spend, type Usage } from "../../schema/index.js";
import type { Draft } from "../draft.js";
import type { Turn } from "../state.js";

/** What of a turn is not in its messages and has to outlive its process. A few numbers, whatever the length of the turn. */
export type Progress = Pick<Turn, "rounds" | "refusedRounds" | "spend">;

/** Records that a turn goes into its next round, and how far it has come. */
export function recordProgress(draft: Draft, turn: Turn): void {
  draft.record({ type: "work", work: turn.work, state: "running", ...(turn.rounds === 0 ? {} : { checkpoint: encodeCheckpoint(turn) }) });
}

/** What is absent stays absent: it is unknown, not nothing. */
export const encodeCheckpoint = ({ rounds, refusedRounds, spend: { usage, cost, unpriced } }: Progress): JsonObject => ({
  rounds,
  refusedRounds,
  ...(usage === undefined ? {} : { usage: { ...usage } }),
  ...(cost === undefined ? {} : { cost }),
  ...(unpriced === undefined ? {} : { unpriced }),
});

/** A checkpoint as far as this version understands it; what it does not say begins anew. */
export function parseCheckpoint(value: JsonValue | undefined): Progress {
  if (!isJsonObject(value)) return { rounds: 0, refusedRounds: 0, spend: NO_SPEND };
  return { rounds: count(value["rounds"]), refusedRounds: count(value["refusedRounds"]), spend: parseSpend(value) };
}

function parseSpend({ usage: counts, cost, unpriced }: JsonObject): Spend {
  const usage = parseUsage(counts);
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(typeof cost === "number" && isCost(cost) ? { cost } : {}),
    ...(isCount(unpriced) ? { unpriced } : {}),
  };
}

const USAGE_FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

function parseUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const usage: { -readonly [Field in keyof Usage]: Usage[Field] } = {};
  for (const field of USAGE_FIELDS) if (isCount(value[field])) usage[field] = value[field];
  return usage;
}

const count = (value: JsonValue | undefined): number => (isCount(value) ? value : 0);

const isCount = (value: JsonValue | undefined): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
