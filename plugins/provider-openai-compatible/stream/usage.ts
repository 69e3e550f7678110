import type { JsonObject, JsonValue, Usage } from "smith-agent/plugin";
import { asArray, asCount, asObject } from "../json.js";

/**
 * Token counts of one event, from wherever the server puts them. Counts of an event are totals so far, so the last ones
 * seen are the response's; `inputTokens` includes what was read from a cache.
 */
export function usageOf(event: JsonObject): Usage | undefined {
  const counts =
    asObject(event["usage"]) ??
    asObject(asObject(event["x_groq"])?.["usage"]) ??
    asObject(asObject(asArray(event["choices"])[0])?.["usage"]);
  const usage = counts === undefined ? timings(asObject(event["timings"])) : standard(counts);
  return usage === undefined || Object.keys(usage).length === 0 ? undefined : usage;
}

/** Fields of the later observation win; what it does not mention stays. */
export const laterUsage = (earlier: Usage | null, later: Usage): Usage => ({ ...earlier, ...later });

function standard(counts: JsonObject): Usage {
  const input = asCount(counts["prompt_tokens"] ?? counts["input_tokens"]);
  const output = asCount(counts["completion_tokens"] ?? counts["output_tokens"]);
  const details = asObject(counts["prompt_tokens_details"]) ?? asObject(counts["prompt_token_details"]);
  const cached = first([
    details?.["cached_tokens"],
    counts["prompt_cache_hit_tokens"],
    counts["cached_tokens"],
    counts["num_cached_tokens"],
  ]);
  const written = first([details?.["cache_write_tokens"], details?.["cache_creation_tokens"], counts["cache_creation_input_tokens"]]);
  const reasoning = first([asObject(counts["completion_tokens_details"])?.["reasoning_tokens"], counts["reasoning_tokens"]]);
  return withoutUnknown({
    inputTokens: input,
    outputTokens: output === undefined ? undefined : output + unnamed({ input, output, reasoning }, asCount(counts["total_tokens"])),
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: reasoning,
  });
}

/** A count that is not known is left out. */
const withoutUnknown = (usage: { readonly [Name in keyof Usage]: number | undefined }): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));

/** The first of the fields that is a count. */
const first = (values: readonly (JsonValue | undefined)[]): number | undefined => values.map(asCount).find((count) => count !== undefined);

/** Some servers leave what was thought out of the output they count; their total tells. */
function unnamed(
  {
    input = 0,
    output = 0,
    reasoning = 0,
  }: { readonly input: number | undefined; readonly output: number; readonly reasoning: number | undefined },
  total: number | undefined,
): number {
  return total !== undefined && reasoning > 0 && total === input + output + reasoning ? reasoning : 0;
}

/** llama.cpp reports its own timings even when it is not asked for usage; `prompt_n` leaves out what its cache held. */
function timings(counts: JsonObject | undefined): Usage | undefined {
  const fresh = asCount(counts?.["prompt_n"]);
  const output = asCount(counts?.["predicted_n"]);
  if (fresh === undefined || output === undefined) return undefined;
  const cached = asCount(counts?.["cache_n"]);
  return { inputTokens: fresh + (cached ?? 0), outputTokens: output, ...(cached === undefined ? {} : { cacheReadTokens: cached }) };
}
