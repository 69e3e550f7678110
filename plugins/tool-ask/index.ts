import { definePlugin, failure, isHostError, result } from "smith-agent/plugin";
import type { Tool, ToolContext, ToolOutput } from "smith-agent/plugin";

export interface AskArgs {
  readonly questions: readonly AskedQuestion[];
}

export interface AskedQuestion {
  readonly question: string;
  readonly options?: readonly string[];
  readonly many?: boolean;
}

/** Stands for an answer of one's own among the options; a label cannot be it. */
const OTHER = "\u0000other";

/** Puts the questions one after the other. Nobody there, or nobody willing, is an answer the model can work with. */
export const ask: Tool<AskArgs> = async ({ questions }, context) => {
  if (questions.length === 0) return failure("questions is empty; give at least one.");
  const answers: { readonly question: string; readonly answer: string | null }[] = [];
  try {
    for (const question of questions) {
      const answer = await put(question, context);
      answers.push({ question: question.question, answer });
      if (answer === null) break;
    }
  } catch (error) {
    if (!isHostError(error) || error.code !== "ui.unavailable") throw error;
    return failure(
      "Nobody can be asked in this run. Decide yourself what fits the request best, and say in your answer what you assumed.",
      {
        summary: "nobody there",
      },
    );
  }
  return told(answers, questions.length);
};

async function put({ question, options = [], many = false }: AskedQuestion, { ui }: ToolContext): Promise<string | null> {
  if (options.length === 0) return await ui.ask({ text: question, multiline: true });
  const shown = [...new Set(options)].map((label) => ({ value: label, label }));
  const chosen = await ui.choose({
    text: question,
    options: [...shown, { value: OTHER, label: "Something else …" }],
    ...(many ? { many } : {}),
  });
  if (chosen === null) return null;
  if (!chosen.includes(OTHER)) return chosen.join(", ");
  const own = await ui.ask({ text: question, multiline: true });
  if (own === null) return null;
  return [...chosen.filter((value) => value !== OTHER), own].join(", ");
}

function told(answers: readonly { readonly question: string; readonly answer: string | null }[], asked: number): ToolOutput {
  const lines = answers.map(
    ({ question, answer }) => `${question}\n${answer === null ? "(no answer: the user put the question aside)" : `> ${answer}`}`,
  );
  const open = asked - answers.length;
  if (open > 0) lines.push(`(${open} more not asked)`);
  const last = answers.at(-1)?.answer;
  return result(lines.join("\n\n"), {
    summary:
      last === null
        ? "put aside"
        : answers
            .map(({ answer }) => answer ?? "")
            .join(" · ")
            .slice(0, 200),
    details: { data: { answers } },
  });
}

export default definePlugin({ tools: { ask } });
