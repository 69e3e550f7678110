import { describe, expect, test } from "vitest";
import { answerIn, questionForm } from "../../src/mcp/people.js";
import type { Question } from "../../src/schema/index.js";

const options = [
  { value: "a", label: "First" },
  { value: "b", label: "Second" },
];

describe("a question of a plugin", () => {
  test.each<[string, Question, unknown, unknown]>([
    ["text", { type: "ask", text: "Name?" }, "x", { type: "text", text: "x" }],
    ["a confirmation", { type: "confirm", text: "Sure?" }, false, { type: "confirmed", yes: false }],
    ["a choice", { type: "choose", text: "Which?", options }, "b", { type: "chosen", values: ["b"] }],
    ["several choices", { type: "choose", text: "Which?", options, many: true }, ["a", "z"], { type: "chosen", values: ["a"] }],
    ["what was not offered", { type: "choose", text: "Which?", options }, "z", { type: "dismissed" }],
    ["another kind", { type: "confirm", text: "Sure?" }, "yes", { type: "dismissed" }],
  ])("answered with %s", (_name, question, value, expected) => {
    expect(answerIn(question, { action: "accept", content: { answer: value as string } })).toEqual(expected);
    expect(answerIn(question, { action: "decline" })).toEqual({ type: "dismissed" });
    expect(questionForm(question, "acme.x").requestedSchema.required).toEqual(["answer"]);
  });
});
