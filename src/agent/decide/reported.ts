import { isCost, type ToolDetails, type Usage } from "../../schema/index.js";

const COUNTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

/** Details as they are recorded: of what a tool reports of usage only what can be true, so that no sum is spoiled by one tool. */
export function soundDetails(details: ToolDetails | undefined): ToolDetails | undefined {
  if (details?.usage === undefined) return details;
  const { usage: reported, ...rest } = details;
  const { cost, model } = reported;
  const usage = soundUsage(reported.usage);
  return { ...rest, usage: { usage, ...(isCost(cost) ? { cost } : {}), ...(model === undefined ? {} : { model }) } };
}

/** A count that is none is not known. */
function soundUsage(reported: Usage): Usage {
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const key of COUNTS) {
    const value = reported[key];
    if (value !== undefined && Number.isSafeInteger(value) && value >= 0) usage[key] = value;
  }
  return usage;
}
