import type { JsonObject, Usage } from "smith-agent/plugin";
import { asCount, asObject } from "./json.js";

/** Token counts of one response. Input counts what a cache held and took, output what was thought, as the core wants it. */
export function usageOf(response: JsonObject): Usage | undefined {
  const counts = asObject(response["usage"]);
  if (counts === undefined) return undefined;
  const read = asObject(counts["input_tokens_details"]);
  const made = asObject(counts["output_tokens_details"]);
  const found: readonly (readonly [keyof Usage, number | undefined])[] = [
    ["inputTokens", asCount(counts["input_tokens"])],
    ["outputTokens", asCount(counts["output_tokens"])],
    ["cacheReadTokens", asCount(read?.["cached_tokens"])],
    ["cacheWriteTokens", asCount(read?.["cache_write_tokens"])],
    ["reasoningTokens", asCount(made?.["reasoning_tokens"])],
  ];
  const known = found.filter(([, count]) => count !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
