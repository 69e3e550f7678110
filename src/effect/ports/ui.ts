import { err, invariant, ok, orAborted } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, Question, QuestionAnswer, SdkOperations } from "../../schema/index.js";
import type { EffectContext, Facility, UiPort } from "../types.js";
import { badAnswer, badQuestion, portStopped, uiDenied, uiUnavailable } from "./failures.js";
import { shownText } from "./shown-text.js";

type Intent = Question["type"];
type Output<I extends Intent> = SdkOperations[`ui.${I}`]["output"];

export interface UiFacilities {
  readonly "ui.ask": Facility<"ui.ask">;
  readonly "ui.choose": Facility<"ui.choose">;
  readonly "ui.confirm": Facility<"ui.confirm">;
}

const BOUNDS = { text: 4000, other: 200, options: 100 } as const;

/** What people are asked is on record as it was shown, and so is what they said. */
export function createUiFacilities(ui: UiPort): UiFacilities {
  return {
    "ui.ask": {
      authorize: async (input, context) => permitted("ask", context, ask(input)),
      run: (input, context) =>
        put(ui, { type: "ask", ...input }, context, (answer): Output<"ask"> | undefined => {
          if (answer.type === "dismissed") return { text: null };
          return answer.type === "text" ? { text: answer.text } : undefined;
        }),
    },
    "ui.choose": {
      authorize: async (input, context) => permitted("choose", context, choose(input)),
      run: (input, context) =>
        put(ui, { type: "choose", ...input }, context, (answer): Output<"choose"> | undefined => {
          if (answer.type === "dismissed") return { values: null };
          if (answer.type !== "chosen" || (input.many !== true && answer.values.length !== 1)) return undefined;
          const offered = new Set(input.options.map(({ value }) => value));
          return answer.values.every((value) => offered.has(value)) ? { values: answer.values } : undefined;
        }),
    },
    "ui.confirm": {
      authorize: async (input, context) => permitted("confirm", context, confirm(input)),
      run: (input, context) =>
        put(ui, { type: "confirm", ...input }, context, (answer): Output<"confirm"> | undefined => {
          if (answer.type === "dismissed") return { yes: null };
          return answer.type === "confirmed" ? { yes: answer.yes } : undefined;
        }),
    },
  };
}

function permitted<T>(intent: Intent, { plugin, grants }: EffectContext, input: Result<T, Diagnostic>): Result<T, Diagnostic> {
  return grants.ui.includes(intent) ? input : err(uiDenied(plugin, intent, grants.ui));
}

/** The parts of a question that are texts, cleaned; or what is too long. */
function cleaned<T extends object>(input: T, keys: readonly (keyof T & string)[]): Result<T, Diagnostic> {
  let clean = input;
  for (const key of keys) {
    const value = input[key];
    if (typeof value !== "string") continue;
    const most = key === "text" || key === "initial" ? BOUNDS.text : BOUNDS.other;
    if (value.length > most) return err(badQuestion(`${key} has ${value.length} characters`));
    clean = { ...clean, [key]: shownText(value) };
  }
  return ok(clean);
}

const ask = (input: SdkOperations["ui.ask"]["input"]) => cleaned(input, ["text", "placeholder", "initial"]);

const confirm = (input: SdkOperations["ui.confirm"]["input"]) => cleaned(input, ["text", "yes", "no"]);

function choose(input: SdkOperations["ui.choose"]["input"]): Result<SdkOperations["ui.choose"]["input"], Diagnostic> {
  const { options } = input;
  if (options.length < 1 || options.length > BOUNDS.options) return err(badQuestion(`it has ${options.length} options`));
  if (new Set(options.map(({ value }) => value)).size < options.length) return err(badQuestion("two options have one value"));
  const question = cleaned(input, ["text"]);
  if (!question.ok) return question;
  const shown: (typeof options)[number][] = [];
  for (const option of options) {
    // What comes back to the plugin is never shown and stays as it is, within its bound.
    if (option.value.length > BOUNDS.other) return err(badQuestion(`a value has ${option.value.length} characters`));
    const clean = cleaned(option, ["label", "hint"]);
    if (!clean.ok) return clean;
    shown.push(clean.value);
  }
  return ok({ ...question.value, options: shown });
}

async function put<T>(
  ui: UiPort,
  question: Question,
  context: EffectContext,
  read: (answer: QuestionAnswer) => T | undefined,
): Promise<{ readonly outcome: "not-applied"; readonly result: Result<T, Diagnostic> }> {
  const { effect, plugin, signal } = context;
  invariant(effect !== undefined, "a question is asked for an effect on record");
  const answer = await orAborted(ui.ask(question, { effect, plugin, signal }), signal);
  return { outcome: "not-applied", result: resultOf(answer, question.type, read) };
}

function resultOf<T>(
  answer: QuestionAnswer | "unavailable" | "aborted",
  intent: Intent,
  read: (answer: QuestionAnswer) => T | undefined,
): Result<T, Diagnostic> {
  if (answer === "aborted") return err(portStopped(`ui.${intent}`));
  if (answer === "unavailable") return err(uiUnavailable(intent));
  const value = read(answer);
  return value === undefined ? err(badAnswer(intent)) : ok(value);
}
