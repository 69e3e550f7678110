import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ImagePart, JsonObject, Message, ModelFacts, ProviderRequest, ThinkingPart } from "../../src/plugin/sdk.js";
import { validate } from "../support/strict-responses.js";
import { ALL_FACTS, bodyOf, call, PNG, result } from "./responses-support.js";

/** Ids as vendors give them, acceptable here or not. */
const vendorId = fc.oneof(fc.constantFrom("call_1", "toolu_01", "f:0", "chatcmpl-tool-ä", ""), fc.string({ maxLength: 90 }));
const words = fc.oneof(fc.constant(""), fc.string({ maxLength: 20 }), fc.string({ unit: "binary", maxLength: 12 }));
const images: fc.Arbitrary<readonly ImagePart[]> = fc.array(fc.constant(PNG), { maxLength: 2 });
const place = fc.record({ text: fc.nat(20), calls: fc.nat(3) });

interface Turn {
  readonly user: string;
  readonly images: readonly ImagePart[];
  readonly text: string;
  readonly from: { readonly provider: string; readonly model: string };
  readonly calls: readonly {
    readonly id: string;
    readonly args: string;
    readonly name: string;
    readonly answered: boolean;
    readonly out: string;
  }[];
  readonly thoughts: readonly {
    readonly text: string;
    readonly signed: boolean;
    readonly raw: boolean;
    readonly after: { readonly text: number; readonly calls: number };
  }[];
  readonly steering: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  user: words,
  images,
  text: words,
  from: fc.record({ provider: fc.constantFrom("openai", "anthropic", "google"), model: fc.constantFrom("m", "n") }),
  calls: fc.array(
    fc.record({
      id: vendorId,
      args: fc.oneof(fc.constantFrom("{}", "", "null", "[1]", '{"a'), fc.json()),
      name: fc.oneof(fc.constantFrom("read", "my tool", "mcp.x/y"), fc.string({ maxLength: 80 })),
      answered: fc.boolean(),
      out: words,
    }),
    { maxLength: 3 },
  ),
  thoughts: fc.array(fc.record({ text: words, signed: fc.boolean(), raw: fc.boolean(), after: place }), { maxLength: 3 }),
  steering: fc.boolean(),
});

/** A conversation as the core has it: ids of calls are its own and never repeat; those of the vendor may. */
function conversation(turns: readonly Turn[]): readonly Message[] {
  return turns.flatMap((one, at): readonly Message[] => {
    const calls = one.calls.map((made, index) => call(`${String(at)}.${String(index)}`, made.args, made.id, made.name));
    const thinking = one.thoughts
      .map((part, index): ThinkingPart => ({
        text: part.text,
        id: `rs_${String(at)}_${String(index)}`,
        kind: part.raw ? "raw" : "summary",
        ...(part.signed ? { signature: `s${String(index)}` } : {}),
        after: { text: Math.min(part.after.text, one.text.length), calls: Math.min(part.after.calls, calls.length) },
      }))
      .toSorted(
        (left, right) => (left.after?.text ?? 0) - (right.after?.text ?? 0) || (left.after?.calls ?? 0) - (right.after?.calls ?? 0),
      );
    const results = calls.flatMap(({ call: id }, index) => {
      const made = one.calls[index];
      return made?.answered === true ? [result(id, made.out, { images: one.images, isError: index === 1 })] : [];
    });
    const steering: readonly Message[] = one.steering ? [{ role: "user", text: "by the way" }] : [];
    const said: Message = { role: "assistant", text: one.text, thinking, toolCalls: calls, from: one.from };
    return [{ role: "user", text: one.user, images: one.images }, said, ...results.slice(0, 1), ...steering, ...results.slice(1)];
  });
}

const facts: fc.Arbitrary<ModelFacts> = fc.constantFrom<ModelFacts>({}, ALL_FACTS, {
  ...ALL_FACTS,
  images: false,
  hints: { phases: true },
});
const endpoint: fc.Arbitrary<ProviderRequest["endpoint"]> = fc.constantFrom(
  { baseUrl: "https://api.openai.com/v1" },
  { baseUrl: "http://127.0.0.1:9/v1", profile: "compatible" },
  { baseUrl: "http://127.0.0.1:9/v1", profile: "compatible-system" },
);

describe("a request", () => {
  test("is one that a strict server takes, whatever was said before and by whom", () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 4 }), facts, endpoint, (turns, known, place) => {
        const messages: readonly Message[] = [...conversation(turns), { role: "user", text: "and now?" }];
        const thinking = known.thinking?.[1];
        const body = bodyOf({ messages, facts: known, endpoint: place, ...(thinking === undefined ? {} : { thinking }) });
        expect(validate(body)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test("has its earlier part unchanged when the conversation goes on, so that a cache holds", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
        const inputOf = (count: number): readonly unknown[] =>
          bodyOf({ messages: conversation(turns.slice(0, count)) })["input"] as JsonObject[];
        const before = inputOf(turns.length - 1);
        expect(inputOf(turns.length).slice(0, before.length)).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the validator", () => {
  const call1 = { type: "function_call", call_id: "c1", name: "read", arguments: "{}" };
  const result1 = { type: "function_call_output", call_id: "c1", output: "x" };
  const user = { type: "message", role: "user", content: "hi" };
  const thought = { type: "reasoning", id: "r", summary: [], encrypted_content: "s" };
  test.each<[string, readonly JsonObject[]]>([
    ["nothing", []],
    ["a call without a result", [call1]],
    ["a result without a call", [result1]],
    ["something between a call and its result", [call1, user, result1]],
    ["one id for two calls", [call1, result1, call1, result1]],
    [
      "a bad id",
      [
        { ...call1, call_id: "a:b" },
        { ...result1, call_id: "a:b" },
      ],
    ],
    ["a bad name", [{ ...call1, name: "my tool" }, result1]],
    ["arguments that are no object", [{ ...call1, arguments: "[]" }, result1]],
    ["empty content", [{ ...user, content: [] }]],
    ["an empty part", [{ ...user, content: [{ type: "input_text", text: "" }] }]],
    ["thinking alone", [user, thought]],
    ["thinking before somebody else's words", [thought, user]],
    [
      "thinking the server does not have",
      [
        { type: "reasoning", id: "r", summary: [] },
        { ...user, role: "assistant" },
      ],
    ],
  ])("refuses %s", (_name, input) => {
    expect(validate({ model: "m", input })).not.toEqual([]);
  });

  test("takes what is right", () => {
    expect(validate({ model: "m", input: [user, thought, call1, result1] })).toEqual([]);
  });
});
