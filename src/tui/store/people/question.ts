import type { EffectId } from "../../../base/index.js";
import type { Question, QuestionAnswer } from "../../../schema/index.js";
import { EMPTY_DRAFT, expand, withText } from "../../composer/index.js";
import type { DialogAction } from "../../focus/index.js";
import { sanitize, sanitizeLine } from "../../text/index.js";
import type { Asked, Command, Reduced, Ui } from "../ui.js";

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });

/** A plugin asks; its texts are made safe here. The same question again changes nothing. */
export function ask(ui: Ui, { id, plugin, question }: { readonly id: EffectId; readonly plugin: string; readonly question: Question }): Ui {
  if (ui.asked?.id === id) return ui;
  const safe = sanitized(question);
  const initial = safe.type === "ask" ? (safe.initial ?? "") : "";
  const asked: Asked = {
    id,
    plugin: sanitizeLine(plugin),
    question: safe,
    answer: initial === "" ? EMPTY_DRAFT : { ...EMPTY_DRAFT, ...withoutUndo(initial) },
    at: 0,
    taken: new Set(),
    shownAt: undefined,
  };
  return { ...ui, asked, detailTop: 0 };
}

const withoutUndo = (text: string): { readonly text: string; readonly cursor: number } => {
  const { text: clean, cursor } = withText(EMPTY_DRAFT, text);
  return { text: clean, cursor };
};

export const settled = (ui: Ui, id: EffectId): Ui => (ui.asked?.id === id ? { ...ui, asked: undefined, detailTop: 0 } : ui);

/** The values of options stay as they are: they go back to the plugin and are never shown. */
function sanitized(question: Question): Question {
  const text = sanitize(question.text).trim();
  switch (question.type) {
    case "ask": {
      const { placeholder, initial, multiline } = question;
      const oneLine = multiline === true ? sanitize : sanitizeLine;
      return {
        type: "ask",
        text,
        ...(placeholder === undefined ? {} : { placeholder: sanitizeLine(placeholder) }),
        ...(initial === undefined ? {} : { initial: oneLine(initial) }),
        ...(multiline === undefined ? {} : { multiline }),
      };
    }
    case "choose": {
      const options = question.options.map(({ value, label, hint }) => ({
        value,
        label: sanitizeLine(label),
        ...(hint === undefined ? {} : { hint: sanitizeLine(hint) }),
      }));
      return { type: "choose", text, options, ...(question.many === undefined ? {} : { many: question.many }) };
    }
    case "confirm": {
      const { yes, no } = question;
      return {
        type: "confirm",
        text,
        ...(yes === undefined ? {} : { yes: sanitizeLine(yes) }),
        ...(no === undefined ? {} : { no: sanitizeLine(no) }),
      };
    }
  }
}

type AskedAction = Exclude<
  DialogAction,
  "allow-once" | "allow-session" | "allow-project" | "deny" | "say-why" | "deny-because" | "back-to-question"
>;

export function answerAsked(ui: Ui, action: AskedAction): Reduced {
  const { asked } = ui;
  if (asked === undefined) return stay(ui);
  switch (action) {
    case "dismiss":
      return answered(ui, asked, { type: "dismissed" });
    case "send-answer":
      return answered(ui, asked, { type: "text", text: expand(asked.answer) });
    case "say-yes":
      return answered(ui, asked, { type: "confirmed", yes: true });
    case "say-no":
      return answered(ui, asked, { type: "confirmed", yes: false });
    case "choice-up":
      return stay(moved(ui, asked, -1));
    case "choice-down":
      return stay(moved(ui, asked, 1));
    case "choice-toggle":
      return isMany(asked) ? stay(toggled(ui, asked, asked.at)) : take(ui, asked);
    case "take-choice":
      return take(ui, asked);
  }
}

/** The option of a digit: taken at once, or of several taken or left. */
export function chooseDigit(ui: Ui, digit: number): Reduced {
  const { asked } = ui;
  if (asked?.question.type !== "choose" || asked.question.options[digit - 1] === undefined) return stay(ui);
  const at = { ...asked, at: digit - 1 };
  return isMany(asked) ? stay(toggled({ ...ui, asked: at }, at, digit - 1)) : take({ ...ui, asked: at }, at);
}

const isMany = ({ question }: Asked): boolean => question.type === "choose" && question.many === true;

function answered(ui: Ui, { id }: Asked, answer: QuestionAnswer): Reduced {
  return stay({ ...ui, asked: undefined, detailTop: 0 }, { type: "answer-question", question: id, answer });
}

function take(ui: Ui, asked: Asked): Reduced {
  if (asked.question.type !== "choose") return stay(ui);
  const { options } = asked.question;
  const indexes = isMany(asked) ? [...asked.taken].sort((left, right) => left - right) : [asked.at];
  const values = indexes.flatMap((index) => options[index]?.value ?? []);
  return !isMany(asked) && values.length === 0 ? stay(ui) : answered(ui, asked, { type: "chosen", values });
}

/** Around the ends. */
function moved(ui: Ui, asked: Asked, by: -1 | 1): Ui {
  if (asked.question.type !== "choose" || asked.question.options.length === 0) return ui;
  const count = asked.question.options.length;
  return { ...ui, asked: { ...asked, at: (asked.at + by + count) % count } };
}

function toggled(ui: Ui, asked: Asked, index: number): Ui {
  const taken = new Set(asked.taken);
  if (!taken.delete(index)) taken.add(index);
  return { ...ui, asked: { ...asked, taken } };
}
