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
  const read = asCount(usage?.["cache_read_input_tokens"]);
  const write = asCount(usage?.["cache_creation_input_tokens"]);
  const input = asCount(usage?.["input_tokens"]);
  const output = asCount(usage?.["output_tokens"]);
  const reasoning = asCount(asObject(usage?.["output_tokens_details"])?.["thinking_tokens"]);
  // No request has no input: a server that does not know says 0.
  const knowsInput = (input ?? 0) + (read ?? 0) + (write ?? 0) > 0 || earlier.input === undefined;
  return {
    ...earlier,
    ...(input === undefined || !knowsInput ? {} : { input }),
    ...(read === undefined || !knowsInput ? {} : { cacheRead: read }),
    ...(write === undefined || !knowsInput ? {} : { cacheWrite: write }),
    ...(output === undefined ? {} : { output }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

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
