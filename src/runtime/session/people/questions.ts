import type { EffectId } from "../../../base/index.js";
import type { UiPort } from "../../../effect/index.js";
import type { Question, QuestionAnswer } from "../../../schema/index.js";
import type { Narrator, StatusBoard } from "../view/index.js";
import type { Attention, Waiting } from "./attention.js";

export interface AskedQuestion {
  readonly id: EffectId;
  readonly plugin: string;
  readonly question: Question;
}

/** Questions of plugins to the person at this session. */
export interface Questions extends UiPort {
  /** False: no such question waits, or this is no answer to it. */
  answer(id: EffectId, answer: QuestionAnswer): boolean;
}

export interface QuestionPorts {
  readonly interactive: boolean;
  readonly attention: Attention;
  readonly onAsk: (asked: AskedQuestion) => void;
  /** Only of one that was shown. */
  readonly onSettled: (asked: AskedQuestion, answer: QuestionAnswer) => void;
}

interface Open extends Waiting, AskedQuestion {
  readonly settle: (answer: QuestionAnswer) => void;
}

const DISMISSED: QuestionAnswer = { type: "dismissed" };

export function createQuestions(ports: QuestionPorts): Questions {
  const open = new Map<EffectId, Open>();
  return {
    async ask(question, { effect, plugin, signal }) {
      if (!ports.interactive) return "unavailable";
      if (signal.aborted) return DISMISSED;
      return await new Promise((resolve) => {
        const asked: AskedQuestion = { id: effect, plugin, question };
        const onAbort = (): void => {
          waiting.settle(DISMISSED);
        };
        const waiting: Open = {
          ...asked,
          signal,
          onShown: () => {
            ports.onAsk(asked);
          },
          settle: (answer) => {
            signal.removeEventListener("abort", onAbort);
            open.delete(effect);
            if (ports.attention.remove(waiting)) ports.onSettled(asked, answer);
            resolve(answer);
            ports.attention.next();
          },
        };
        signal.addEventListener("abort", onAbort, { once: true });
        open.set(effect, waiting);
        ports.attention.add(waiting);
      });
    },
    answer(id, answer) {
      const waiting = open.get(id);
      if (waiting === undefined || !fits(waiting.question, answer)) return false;
      waiting.settle(answer);
      return true;
    },
  };
}

/** Questions as the status and the events of a session show them. */
export const createSessionQuestions = (ports: {
  readonly interactive: boolean;
  readonly attention: Attention;
  readonly status: StatusBoard;
  readonly narrator: Narrator;
}): Questions =>
  createQuestions({
    interactive: ports.interactive,
    attention: ports.attention,
    onAsk: (asked) => {
      ports.status.update({ question: asked });
      ports.narrator.emit({ type: "question", ...asked });
    },
    onSettled: ({ id }, answer) => {
      ports.status.clear("question");
      ports.narrator.emit({ type: "question_settled", id, answer });
    },
  });

/** Whether a plugin that put the question can make anything of the answer. */
function fits(question: Question, answer: QuestionAnswer): boolean {
  if (answer.type === "dismissed") return true;
  switch (question.type) {
    case "ask":
      return answer.type === "text";
    case "confirm":
      return answer.type === "confirmed";
    case "choose": {
      if (answer.type !== "chosen") return false;
      const values = new Set(question.options.map(({ value }) => value));
      const isKnown = answer.values.every((value) => values.has(value));
      return isKnown && (question.many === true || answer.values.length === 1);
    }
  }
}
