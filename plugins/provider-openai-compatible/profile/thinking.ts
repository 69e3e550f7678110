import type { JsonObject, ThinkingLevel } from "smith-agent/plugin";

type Fields = { readonly [Level in ThinkingLevel]?: JsonObject };

/** `reasoning_effort` in the given words, with the same fields beside it. */
const effort = (words: { readonly [Level in ThinkingLevel]?: string }, beside: JsonObject = {}): Fields =>
  mapped(words, (word) => ({ ...beside, reasoning_effort: word }));

const mapped = (words: { readonly [Level in ThinkingLevel]?: string }, fields: (word: string) => JsonObject): Fields =>
  Object.fromEntries(Object.entries(words).map(([level, word]) => [level, fields(word)]));

/** Levels of the scale in OpenAI's words. */
const WORDS = { off: "none", minimal: "minimal", low: "low", medium: "medium", high: "high", max: "xhigh" } as const;
const { off: _off, ...THINKING_WORDS } = WORDS;
const ON: Fields = { minimal: {}, low: {}, medium: {}, high: {}, max: {} };

/** Of templates: they take what they know and pass over the rest. `thinking` and `enable_thinking` are two names of one switch. */
const template = (isOn: boolean, word?: string): JsonObject => ({
  chat_template_kwargs: { enable_thinking: isOn, thinking: isOn, ...(word === undefined ? {} : { reasoning_effort: word }) },
});

const everyOn = (fields: JsonObject): Fields => Object.fromEntries(Object.keys(ON).map((level) => [level, fields]));

/** Fields of the body that ask for a level, by form. A level that is not there is not asked for. */
const FORMS = {
  none: {},
  /** `reasoning_effort`; the strongest is `xhigh`. */
  effort: effort(WORDS),
  /** `reasoning_effort`; the strongest is `max`. */
  "effort-max": effort({ ...WORDS, max: "max" }),
  /** `reasoning_effort`, all or nothing, with thinking beside the text instead of in it. */
  "effort-default": {
    off: { reasoning_effort: "none" },
    ...everyOn({ reasoning_effort: "default", reasoning_format: "parsed" }),
  },
  /** `thinking.type`, all or nothing. */
  type: { off: { thinking: { type: "disabled" } }, ...everyOn({ thinking: { type: "enabled" } }) },
  /** `thinking.type` with `reasoning_effort`. */
  "type-effort": {
    off: { thinking: { type: "disabled" } },
    ...effort({ minimal: "low", low: "low", medium: "medium", high: "high", max: "max" }, { thinking: { type: "enabled" } }),
  },
  /** `reasoning.effort`. */
  reasoning: mapped(WORDS, (word) => ({ reasoning: { effort: word } })),
  /** `reasoning.enabled`, all or nothing. */
  "reasoning-enabled": { off: { reasoning: { enabled: false } }, ...everyOn({ reasoning: { enabled: true } }) },
  /** Arguments of the chat template. */
  template: { off: template(false), ...mapped(THINKING_WORDS, (word) => template(true, word)) },
} as const satisfies { readonly [form: string]: Fields };

export type ThinkingForm = keyof typeof FORMS;

const isForm = (name: unknown): name is ThinkingForm => typeof name === "string" && Object.hasOwn(FORMS, name);

/** Fields that ask for a level. `hint` is the model's own form, where its catalog names one. */
export function thinkingFields(form: ThinkingForm, hint: unknown, level: ThinkingLevel | undefined): JsonObject {
  if (level === undefined) return {};
  const fields: Fields = FORMS[isForm(hint) ? hint : form];
  return fields[level] ?? {};
}
