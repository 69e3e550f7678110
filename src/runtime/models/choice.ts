import type { JsonValue } from "../../base/index.js";
import type { Resolved } from "../../config/index.js";
import { splitLevel } from "../../provider/index.js";
import { isThinkingLevel, type ThinkingLevel } from "../../schema/index.js";
import type { Wish } from "./models.js";

/** What somebody chose, and nothing that only is the default. */
export interface ModelChoice {
  /** A selection as it was given. */
  readonly model?: string;
  /** Null: the model's own was chosen. */
  readonly thinking?: ThinkingLevel | null;
}

export const NO_CHOICE: ModelChoice = {};

/** What the flags and variables of this run say. */
export function runChoice(settings: {
  readonly model: Resolved<string | undefined>;
  readonly thinking: Resolved<ThinkingLevel | undefined>;
}): ModelChoice {
  const { model, thinking } = settings;
  return {
    ...(isOfRun(model) && model.value !== undefined ? { model: model.value } : {}),
    ...(isOfRun(thinking) && thinking.value !== undefined ? { thinking: thinking.value } : {}),
  };
}

const isOfRun = ({ layer }: Pick<Resolved<unknown>, "layer">): boolean => layer === "flag" || layer === "env";

/** A choice after another one. A level that is chosen now wins over one in an earlier selection. */
export function withChoice(before: ModelChoice, { model, thinking }: ModelChoice): ModelChoice {
  if (model !== undefined) return { ...before, model, ...(thinking === undefined ? {} : { thinking }) };
  if (thinking === undefined) return before;
  return { ...before, ...(before.model === undefined ? {} : { model: splitLevel(before.model).text }), thinking };
}

/** What a session goes on with: what this run says over what was chosen in the session, both over `defaults`. */
export function wishOf(defaults: Wish, recorded: ModelChoice, run: ModelChoice): Wish {
  const earlier = withChoice({ ...(defaults.selection === undefined ? {} : { model: defaults.selection }) }, recorded);
  const { model, thinking = defaults.thinking } = withChoice(earlier, run);
  return { selection: model, thinking: thinking ?? undefined };
}

export const isSameChoice = (left: ModelChoice, right: ModelChoice): boolean =>
  left.model === right.model && left.thinking === right.thinking;

/** As it is recorded. */
export const encodeChoice = ({ model, thinking }: ModelChoice): JsonValue => ({
  ...(model === undefined ? {} : { model }),
  ...(thinking === undefined ? {} : { thinking }),
});

/** Nothing of what is not understood. */
export function parseChoice(value: JsonValue | undefined): ModelChoice {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return NO_CHOICE;
  const { model, thinking } = value as { readonly [name: string]: JsonValue | undefined };
  const isLevel = thinking === null || (typeof thinking === "string" && isThinkingLevel(thinking));
  return {
    ...(typeof model === "string" && model.trim() !== "" ? { model } : {}),
    ...(isLevel ? { thinking } : {}),
  };
}
