import { type Diagnostic, type ModelFacts, type TargetRef, THINKING_LEVELS, type ThinkingLevel } from "../../schema/index.js";
import { thinkingDegraded, thinkingUnavailable } from "./notes.js";

export interface EffectiveThinking {
  /** One of `facts.thinking`. Absent: nothing is said to the model about it. */
  readonly level?: ThinkingLevel;
  /** Why it is not what was wished. */
  readonly note?: Diagnostic;
}

const strength = (level: ThinkingLevel): number => THINKING_LEVELS.indexOf(level);

/**
 * The level a model is asked for: the wished one, else the nearest lower one it has, else its lowest. Of a model that does not think, or
 * of which that is not known, nothing is asked.
 */
export function effectiveThinking(wished: ThinkingLevel | undefined, facts: ModelFacts, ref: TargetRef): EffectiveThinking {
  if (wished === undefined) return {};
  const levels = [...(facts.thinking ?? [])].sort((left, right) => strength(left) - strength(right));
  const [lowest] = levels;
  if (lowest === undefined) return wished === "off" ? {} : { note: thinkingUnavailable(ref, wished, facts.thinking !== undefined) };
  if (levels.includes(wished)) return { level: wished };
  const level = levels.filter((each) => strength(each) < strength(wished)).at(-1) ?? lowest;
  return { level, note: thinkingDegraded(ref, wished, level, levels) };
}
