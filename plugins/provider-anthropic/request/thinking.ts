import type { JsonObject, ProviderRequest, ThinkingLevel } from "smith-agent/plugin";
import { isThinkingBlock } from "./assistant.js";
import type { Turn } from "./conversation.js";

/** How a request asks for thinking: fields of its body, and the beta features these need. */
export interface ThinkingForm {
  readonly isOn: boolean;
  readonly thinking?: JsonObject;
  readonly effort?: string;
  readonly betas: readonly string[];
}

/** Tokens a level may think for, of models that take a budget. The library seed sets the upper two. */
const BUDGETS: { readonly [Level in Exclude<ThinkingLevel, "off">]: number } = {
  minimal: 1024,
  low: 4096,
  medium: 8192,
  high: 16_000,
  max: 32_000,
};
/** The vendor's least budget; what is left below the limit for the answer itself. */
const MIN_BUDGET = 1024;
const INTERLEAVED = "interleaved-thinking-2025-05-14";
const BINDING = "thinking-binding-controls-2026-08-01";

const SILENT: ThinkingForm = { isOn: false, betas: [] };

/** Hints of the catalog decide the form: `thinking="adaptive"` models take an effort, all others a budget of tokens. */
export function thinkingForm(request: ProviderRequest, maxTokens: number, turns: readonly Turn[]): ThinkingForm {
  const { thinking: level, facts } = request;
  if (facts.hints?.["thinking"] === "adaptive") return adaptive(request);
  if (level === undefined) return SILENT;
  if (level === "off") return { ...SILENT, thinking: { type: "disabled" } };
  // A loop of calls that began without thinking cannot go on with it: another model made the calls, or thinking was off then.
  if (maxTokens <= MIN_BUDGET || beganWithoutThinking(turns)) return SILENT;
  const budget = Math.min(BUDGETS[level], Math.max(MIN_BUDGET, maxTokens - MIN_BUDGET));
  const isInterleaved = facts.hints?.["interleaved"] === true && request.tools.length > 0;
  return { isOn: true, thinking: { type: "enabled", budget_tokens: budget }, betas: isInterleaved ? [INTERLEAVED] : [] };
}

/**
 * Models with the hint `binding` refuse a conversation in which anything before their thinking has changed since (a compaction, another
 * model's turn), unless told to pass over such thinking. They think whether it is asked for or not, so that is always said.
 */
function adaptive({ thinking: level, facts }: ProviderRequest): ThinkingForm {
  const isBound = facts.hints?.["binding"] === true;
  if (level === "off") return { ...SILENT, thinking: { type: "disabled" } };
  if (level === undefined && !isBound) return SILENT;
  return {
    isOn: true,
    thinking: {
      type: "adaptive",
      ...(facts.hints?.["display"] === true ? { display: "summarized" } : {}),
      ...(isBound ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {}),
    },
    ...(level === undefined ? {} : { effort: level === "minimal" ? "low" : level }),
    betas: isBound ? [BINDING] : [],
  };
}

function beganWithoutThinking(turns: readonly Turn[]): boolean {
  const asked = turns.findLastIndex(({ role, content }) => role === "user" && content.some(({ type }) => type !== "tool_result"));
  const first = turns[asked + 1];
  return first !== undefined && !isThinkingBlock(first.content[0]);
}
