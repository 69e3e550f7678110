import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import type { Usage } from "../../schema/index.js";
import type { Draft } from "../draft.js";
import type { Turn } from "../state.js";

/** What of a turn is not in its messages and has to outlive its process. A few numbers, whatever the length of the turn. */
export type Progress = Pick<Turn, "rounds" | "refusedRounds" | "usage">;

/** Records that a turn goes into its next round, and how far it has come. */
export function recordProgress(draft: Draft, turn: Turn): void {
  draft.record({ type: "work", work: turn.work, state: "running", ...(turn.rounds === 0 ? {} : { checkpoint: encodeCheckpoint(turn) }) });
}

/** Absent usage stays absent: it is unknown, not nothing. */
export const encodeCheckpoint = ({ rounds, refusedRounds, usage }: Progress): JsonObject => ({
  rounds,
  refusedRounds,
  ...(usage === undefined ? {} : { usage: { ...usage } }),
});

/** A checkpoint as far as this version understands it; what it does not say begins anew. */
export function parseCheckpoint(value: JsonValue | undefined): Progress {
  if (!isJsonObject(value)) return { rounds: 0, refusedRounds: 0, usage: undefined };
  return { rounds: count(value["rounds"]), refusedRounds: count(value["refusedRounds"]), usage: parseUsage(value["usage"]) };
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
