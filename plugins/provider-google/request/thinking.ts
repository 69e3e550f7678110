import type { JsonObject, ThinkingLevel } from "smith-agent/plugin";
import type { Traits } from "./traits.js";

/** Tokens for a level where the API wants a number; the same figures as its own mapping of effort words. */
const BUDGETS: { readonly [Level in Exclude<ThinkingLevel, "off" | "max">]: number } = {
  minimal: 0,
  low: 1024,
  medium: 8192,
  high: 24_576,
};

/** What is said about thinking; nothing when no level is asked for. */
export function thinkingConfig(level: ThinkingLevel | undefined, traits: Traits): JsonObject | undefined {
  if (level === undefined) return undefined;
  if (traits.thinking === "level")
    return level === "off" ? { thinkingLevel: "minimal" } : { includeThoughts: true, thinkingLevel: level === "max" ? "high" : level };
  if (level === "off") return { thinkingBudget: 0 };
  const wanted = level === "max" ? traits.maxBudget : BUDGETS[level];
  return { includeThoughts: true, thinkingBudget: Math.min(traits.maxBudget, Math.max(traits.minBudget, wanted)) };
}
