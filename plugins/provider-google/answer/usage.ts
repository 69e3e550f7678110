import type { JsonObject, Usage } from "smith-agent/plugin";
import { asCount } from "../json.js";

/**
 * The counts of a response so far. Those of a chunk are totals: with their sum they are whole, and replace what was told before; else
 * they are added to it.
 */
export function laterMetadata(before: JsonObject | null, metadata: JsonObject): JsonObject {
  return before === null || isWhole(metadata) ? metadata : { ...before, ...metadata };
}

const isWhole = (metadata: JsonObject): boolean => metadata["promptTokenCount"] !== undefined && metadata["totalTokenCount"] !== undefined;

/**
 * The usage the counts tell. Of whole ones a count that is not told is 0, because the wire leaves zeros out. The prompt's count holds
 * what was cached; what hosted tools read is counted apart by the API and is not part of the prompt.
 */
export function usageOf(metadata: JsonObject): Usage | undefined {
  const otherwise = isWhole(metadata) ? 0 : undefined;
  const input = asCount(metadata["promptTokenCount"]);
  const answer = asCount(metadata["candidatesTokenCount"] ?? metadata["responseTokenCount"]);
  const thoughts = asCount(metadata["thoughtsTokenCount"]) ?? otherwise;
  const cached = asCount(metadata["cachedContentTokenCount"]) ?? otherwise;
  const output = answer === undefined && thoughts === undefined ? undefined : (answer ?? 0) + (thoughts ?? 0);
  if (input === undefined && output === undefined) return undefined;
  const usage = { inputTokens: input, outputTokens: output, cacheReadTokens: cached, reasoningTokens: thoughts };
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));
}
