import { describe, expect, test } from "vitest";
import { ask, type AskArgs } from "../../plugins/tool-ask/index.js";
import type { ToolContext } from "../../src/plugin/sdk.js";
import { runTool } from "./fake-context.js";

type Choose = Parameters<ToolContext["ui"]["choose"]>[0];

/** A person who takes what `take` says of each choice, and says `words` where text is asked for. */
async function asked(
  questions: AskArgs["questions"],
  take: (input: Choose) => readonly string[] | null,
  words: readonly (string | null)[] = [],
) {
  const shown: Choose[] = [];
  let said = 0;
  const output = await runTool(
    ask,
    { questions },
    {
      ui: {
        choose: async (input) => {
          shown.push(input);
          return take(input);
        },
        ask: async () => {
          said += 1;
          return words[said - 1] ?? null;
        },
      },
    },
  );
  return { output, shown };
}

const lastOf = ({ options }: Choose): string => options.at(-1)?.value ?? "";

describe("questions", () => {
  test("come with their options and one for other words", async () => {
    const { output, shown } = await asked([{ question: "Which?", options: ["a", "b", "a"] }], () => ["b"]);
    expect(shown).toMatchObject([{ text: "Which?", options: [{ label: "a" }, { label: "b" }, { label: "Something else …" }] }]);
    expect(output).toEqual({
      text: "Which?\n> b",
      isError: false,
      summary: "b",
      details: { data: { answers: [{ question: "Which?", answer: "b" }] } },
    });
  });

  test("several may be taken, together with other words", async () => {
    const { output, shown } = await asked([{ question: "Which?", options: ["a", "b"], many: true }], (input) => ["a", lastOf(input)], [
      "c",
    ]);
    expect(shown[0]?.many).toBe(true);
    expect(output.text).toBe("Which?\n> a, c");
  });

  test("without options are answered in words", async () => {
    expect((await asked([{ question: "Why?" }], () => null, ["so"])).output.text).toBe("Why?\n> so");
  });

  test("put aside end the call; what was answered is told", async () => {
    const questions = [{ question: "A?", options: ["x"] }, { question: "B?", options: ["y"] }, { question: "C?" }];
    const { output, shown } = await asked(questions, ({ text }) => (text === "A?" ? ["x"] : null));
    expect(shown).toHaveLength(2);
    expect(output.summary).toBe("put aside");
    expect(output.text).toBe("A?\n> x\n\nB?\n(no answer: the user put the question aside)\n\n(1 more not asked)");
  });

  test("where nobody is there, the model is told to decide", async () => {
    const nobody = async (): Promise<never> => {
      throw Object.assign(new Error("x"), { name: "HostError", code: "ui.unavailable", what: "", why: "", next: "" });
    };
    expect(await runTool(ask, { questions: [{ question: "A?" }] }, { ui: { ask: nobody } })).toMatchObject({
      isError: true,
      summary: "nobody there",
      text: expect.stringContaining("Decide yourself") as string,
    });
  });

  test("there is at least one", async () => {
    expect(await runTool(ask, { questions: [] }, {})).toMatchObject({ isError: true });
  });
});
