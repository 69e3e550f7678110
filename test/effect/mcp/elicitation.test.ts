import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/base/index.js";
import { elicit } from "../../../src/effect/mcp/elicitation.js";
import type { Question, QuestionAnswer } from "../../../src/schema/index.js";

const form = (properties: JsonObject, required: readonly string[] = [], more: JsonObject = {}): JsonObject => ({
  message: "Who are you?",
  requestedSchema: { type: "object", properties, required: [...required] },
  ...more,
});

/** Answers in order, with what was asked. */
function person(...answers: readonly (QuestionAnswer | "unavailable")[]) {
  const asked: Question[] = [];
  const ask = async (question: Question): Promise<QuestionAnswer | "unavailable"> => {
    asked.push(question);
    return await Promise.resolve(answers[asked.length - 1] ?? { type: "dismissed" });
  };
  return { asked, ask };
}
const text = (value: string): QuestionAnswer => ({ type: "text", text: value });

describe("a form", () => {
  test.each<[string, JsonObject, QuestionAnswer, JsonValue, Partial<Question>]>([
    ["words", { type: "string", title: "Name", default: "Ada" }, text("Bob"), "Bob", { type: "ask", initial: "Ada" }],
    ["a number", { type: "number", default: 2.5 }, text(" 3.5 "), 3.5, { type: "ask", initial: "2.5" }],
    ["a whole number", { type: "integer" }, text("3"), 3, { type: "ask" }],
    ["yes or no", { type: "boolean" }, { type: "confirmed", yes: false }, false, { type: "confirm" }],
    [
      "one of words",
      { type: "string", enum: ["a", "b"], enumNames: ["A!", "B!"] },
      { type: "chosen", values: ["b"] },
      "b",
      {
        options: [
          { value: "a", label: "A!" },
          { value: "b", label: "B!" },
        ],
      },
    ],
    [
      "one of titled words",
      { type: "string", oneOf: [{ const: "x", title: "The X" }] },
      { type: "chosen", values: ["x"] },
      "x",
      {
        options: [{ value: "x", label: "The X" }],
      },
    ],
    ["some of words", { type: "array", items: { enum: ["a", "b"] } }, { type: "chosen", values: ["a", "b"] }, ["a", "b"], { many: true }],
    [
      "some of titled words",
      { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
      { type: "chosen", values: ["a"] },
      ["a"],
      {
        many: true,
      },
    ],
  ])("with %s is asked and answered", async (_, schema, answer, ...expected) => {
    const [value, question] = expected;
    const { asked, ask } = person(answer);
    expect(await elicit(form({ field: schema }, ["field"]), "srv", ask)).toEqual({ action: "accept", content: { field: value } });
    expect(asked).toMatchObject([question]);
    expect(asked[0]?.text).toMatch(/^srv: Who are you\?\n/u);
  });

  test("with an answer that does not fit asks again, and says what does", async () => {
    const { asked, ask } = person(text("many"), text("11"), text("7"));
    const schema = { type: "integer", minimum: 1, maximum: 10 };
    expect(await elicit(form({ n: schema }, ["n"]), "srv", ask)).toEqual({ action: "accept", content: { n: 7 } });
    expect(asked[1]?.text).toContain("A whole number from 1 up to 10 is needed.");
  });

  test("with a field that is left open goes on without it", async () => {
    const { ask } = person(text(""), text("x"));
    expect(await elicit(form({ a: { type: "number" }, b: { type: "string" } }, ["b"]), "srv", ask)).toEqual({
      action: "accept",
      content: { b: "x" },
    });
  });

  test("without a field is a question, and counts as agreed to only by a yes", async () => {
    const { asked, ask } = person({ type: "confirmed", yes: true });
    expect(await elicit(form({}), "srv", ask)).toEqual({ action: "accept", content: {} });
    expect(asked).toEqual([{ type: "confirm", text: "srv: Who are you?" }]);
    for (const answer of [{ type: "confirmed", yes: false }, { type: "dismissed" }, "unavailable"] as const)
      expect(await elicit(form({}), "srv", person(answer).ask)).toEqual({ action: "decline" });
    expect(await elicit(form({}), "srv", undefined)).toEqual({ action: "decline" });
  });

  test.each<[string, JsonObject, readonly QuestionAnswer[], JsonValue]>([
    ["too short and too long", { type: "string", minLength: 2, maxLength: 3 }, [text("😀"), text("abcd"), text("äöü")], "äöü"],
    ["no address of mail", { type: "string", format: "email" }, [text("me"), text("me@example.com")], "me@example.com"],
    ["no address", { type: "string", format: "uri" }, [text("here"), text("https://x.example")], "https://x.example"],
    ["no day", { type: "string", format: "date" }, [text("2026-13-01"), text("2026-12-01")], "2026-12-01"],
    ["no time", { type: "string", format: "date-time" }, [text("2026-12-01"), text("2026-12-01T00:00:00Z")], "2026-12-01T00:00:00Z"],
    [
      "what was not offered, or several of what is one",
      { type: "string", enum: ["a", "b"] },
      [
        { type: "chosen", values: ["c"] },
        { type: "chosen", values: ["a", "b"] },
        { type: "chosen", values: ["b"] },
      ],
      "b",
    ],
    [
      "fewer than are needed",
      { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2, maxItems: 2 },
      [
        { type: "chosen", values: ["c"] },
        { type: "chosen", values: ["a", "b", "c"] },
        { type: "chosen", values: ["c", "a"] },
      ],
      ["c", "a"],
    ],
  ])("with %s asks again", async (_, schema, answers, value) => {
    const { asked, ask } = person(...answers);
    expect(await elicit(form({ field: schema }, ["field"]), "srv", ask)).toEqual({ action: "accept", content: { field: value } });
    expect(asked).toHaveLength(answers.length);
    expect(asked[1]?.text).toMatch(/ needed\.$/u);
  });

  test("with texts of any length asks no longer question than is shown", async () => {
    const long = "x".repeat(100_000);
    const options = Array.from({ length: 300 }, (_, index) => ({ const: `v${index % 150}`, title: long }));
    const { asked, ask } = person(text("y"), { type: "chosen", values: ["v1"] });
    const fields = { [long]: { type: "string", description: long, title: long, default: long }, pick: { type: "string", oneOf: options } };
    expect(await elicit(form(fields, ["pick"], { message: long }), "srv", ask)).toMatchObject({
      action: "accept",
      content: { pick: "v1" },
    });
    for (const question of asked) expect(question.text.length).toBeLessThanOrEqual(4_000);
    const [, second] = asked;
    expect(second?.type === "choose" && [second.options.length, second.options[0]?.label.length]).toEqual([100, 200]);
  });

  test("that a person turns away is declined; one given up half way is cancelled", async () => {
    const two = form({ a: { type: "string" }, b: { type: "string" } }, ["a", "b"]);
    expect(await elicit(two, "srv", person({ type: "dismissed" }).ask)).toEqual({ action: "decline" });
    expect(await elicit(two, "srv", person(text("x"), { type: "dismissed" }).ask)).toEqual({ action: "cancel" });
  });
});

describe("where nobody is there", () => {
  test.each([
    ["no person", undefined],
    ["a person who cannot be asked", async () => await Promise.resolve("unavailable" as const)],
  ])("%s: a form is declined unless it stands as it is", async (_, ask) => {
    expect(await elicit(form({ a: { type: "string" } }, ["a"]), "srv", ask)).toEqual({ action: "decline" });
    expect(await elicit(form({ a: { type: "string", default: "x" } }, ["a"]), "srv", ask)).toEqual({ action: "accept", content: {} });
    expect(await elicit(form({ a: { type: "string" } }), "srv", ask)).toEqual({ action: "decline" });
  });
});

test.each([
  ["an address to open", form({ a: { type: "string" } }, [], { mode: "url", url: "https://evil.example" })],
  ["no form", { message: "?" }],
  ["a form of too many fields", form(Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, { type: "string" }])))],
])("%s is declined unasked", async (_, params) => {
  const { asked, ask } = person(text("x"));
  expect(await elicit(params, "srv", ask)).toEqual({ action: "decline" });
  expect(asked).toEqual([]);
});
