import { describe, expect, test } from "vitest";
import type { EffectId } from "../../src/base/index.js";
import { Attention } from "../../src/runtime/session/people/attention.js";
import { createQuestions, type Questions } from "../../src/runtime/session/people/questions.js";
import type { Question, QuestionAnswer } from "../../src/schema/index.js";

const id = (text: string): EffectId => text as EffectId;
const ask: Question = { type: "ask", text: "Which branch?" };
const choose: Question = { type: "choose", text: "Which?", options: ["a", "b"].map((value) => ({ value, label: value })) };

function setup(interactive = true): { readonly questions: Questions; readonly attention: Attention; readonly log: string[] } {
  const log: string[] = [];
  const attention = new Attention();
  const questions = createQuestions({
    interactive,
    attention,
    onAsk: (asked) => log.push(`ask ${asked.id}`),
    onSettled: (asked, answer) => log.push(`${answer.type} ${asked.id}`),
  });
  return { questions, attention, log };
}

const asker = (name: string, signal = new AbortController().signal): Parameters<Questions["ask"]>[1] => ({
  effect: id(name),
  plugin: "acme.lint",
  signal,
});

describe("questions of plugins", () => {
  test("are shown one at a time, in order", async () => {
    const { questions, log } = setup();
    const first = questions.ask(ask, asker("1"));
    const second = questions.ask(choose, asker("2"));
    expect(log).toEqual(["ask 1"]);
    expect(questions.answer(id("1"), { type: "text", text: "main" })).toBe(true);
    expect(await first).toEqual({ type: "text", text: "main" });
    expect(questions.answer(id("2"), { type: "dismissed" })).toBe(true);
    expect(await second).toEqual({ type: "dismissed" });
    expect(log).toEqual(["ask 1", "text 1", "ask 2", "dismissed 2"]);
  });

  test("wait behind everything else that waits for the same person", async () => {
    const { questions, attention, log } = setup();
    const other = { signal: new AbortController().signal, onShown: () => log.push("other") };
    attention.add(other);
    const asked = questions.ask(ask, asker("1"));
    expect(log).toEqual(["other"]);
    attention.remove(other);
    attention.next();
    expect(log).toEqual(["other", "ask 1"]);
    questions.answer(id("1"), { type: "dismissed" });
    await asked;
  });

  test("find nobody in a run without a person", async () => {
    expect(await setup(false).questions.ask(ask, asker("1"))).toBe("unavailable");
  });

  test("are dismissed when whoever asked was aborted, also before they were shown", async () => {
    const { questions, log } = setup();
    const asking = new AbortController();
    const first = questions.ask(ask, asker("1", asking.signal));
    const second = questions.ask(ask, asker("2", asking.signal));
    asking.abort();
    expect([await first, await second]).toEqual([{ type: "dismissed" }, { type: "dismissed" }]);
    expect(await questions.ask(ask, asker("3", asking.signal))).toEqual({ type: "dismissed" });
    expect(log).toEqual(["ask 1", "dismissed 1"]);
    expect(questions.answer(id("1"), { type: "text", text: "late" })).toBe(false);
  });

  const many: Question = { ...choose, many: true };
  const confirm: Question = { type: "confirm", text: "Sure?" };
  test.each<[string, Question, QuestionAnswer, boolean]>([
    ["a text", ask, { type: "text", text: "" }, true],
    ["a choice where a text was asked for", ask, { type: "chosen", values: ["a"] }, false],
    ["one of the options", choose, { type: "chosen", values: ["b"] }, true],
    ["none of several options", choose, { type: "chosen", values: [] }, false],
    ["two where one may be taken", choose, { type: "chosen", values: ["a", "b"] }, false],
    ["two where several may be taken", many, { type: "chosen", values: ["a", "b"] }, true],
    ["none where several may be taken", many, { type: "chosen", values: [] }, true],
    ["an option there is not", many, { type: "chosen", values: ["c"] }, false],
    ["yes or no", confirm, { type: "confirmed", yes: false }, true],
    ["a text where yes or no was asked for", confirm, { type: "text", text: "yes" }, false],
  ])("%s as an answer: the question is answered only by what fits it", async (_, question, answer, fits) => {
    const { questions } = setup();
    const asked = questions.ask(question, asker("1"));
    expect(questions.answer(id("1"), answer)).toBe(fits);
    if (!fits) questions.answer(id("1"), { type: "dismissed" });
    expect(await asked).toEqual(fits ? answer : { type: "dismissed" });
  });
});
