import { describe, expect, test } from "vitest";
import type { AssistantResult, ProviderDelta, StopReason } from "../../../src/schema/index.js";
import { type Assembly, createAssembly, parseArguments } from "../../../src/provider/stream/assemble.js";
import { seqIds } from "../../support/seq-ids.js";

type CallDelta = Omit<Extract<ProviderDelta, { type: "tool-call" }>, "type">;

const after = (deltas: readonly ProviderDelta[]): Assembly => {
  const assembly = createAssembly();
  for (const delta of deltas) assembly.add(delta);
  return assembly;
};
const finish = (deltas: readonly ProviderDelta[], stop: StopReason = "tool-use", taken: readonly string[] = []): AssistantResult =>
  after(deltas).whole(stop, { ids: seqIds(), taken: new Set(taken) });
const calls = (deltas: readonly CallDelta[]): readonly unknown[] =>
  finish(deltas.map((delta) => ({ type: "tool-call", ...delta }))).toolCalls.map(({ providerId, name, args }) => ({
    providerId,
    name,
    args,
  }));

describe("assembling a response", () => {
  test("text, thinking, calls and usage of the last observation", () => {
    const result = finish([
      { type: "thinking", text: "hm" },
      { type: "thinking", text: "m", signature: "s1" },
      { type: "thinking", text: "", signature: "redacted" },
      { type: "text", text: "a" },
      { type: "tool-call", key: "0", id: "c1", name: "read" },
      { type: "text", text: "b" },
      { type: "tool-call", key: "0", args: '{"path":' },
      { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } },
      { type: "tool-call", key: "0", args: '"x"}' },
      { type: "usage", usage: { outputTokens: 9 } },
    ]);
    expect(result).toEqual({
      text: "ab",
      thinking: [
        { text: "hmm", signature: "s1" },
        { text: "", signature: "redacted" },
      ],
      toolCalls: [
        { call: "00000000-0000-7000-8000-000000000001", providerId: "c1", name: "read", argsText: '{"path":"x"}', args: { path: "x" } },
      ],
      stop: "tool-use",
      usage: { inputTokens: 1, outputTokens: 9 },
    });
  });

  test.each<readonly [string, StopReason, boolean, StopReason]>([
    ["a plain stop with calls means tool use", "stop", true, "tool-use"],
    ["tool use without calls means stop", "tool-use", false, "stop"],
    ["a limit stays a limit", "limit", true, "limit"],
  ])("%s", (_name, given, hasCall, stop) => {
    expect(finish(hasCall ? [{ type: "tool-call", key: "0", name: "x" }] : [], given).stop).toBe(stop);
  });

  test("what did not end well has its text and no calls", () => {
    const state = after([
      { type: "text", text: "half" },
      { type: "tool-call", key: "0", name: "shell", args: "{}" },
    ]);
    expect(state.partial("failed")).toEqual({ text: "half", thinking: [], toolCalls: [], stop: "failed" });
  });
});

describe("thinking parts", () => {
  type ThinkingDelta = Omit<Extract<ProviderDelta, { type: "thinking" }>, "type">;
  const think = (delta: ThinkingDelta): ProviderDelta => ({ type: "thinking", ...delta });
  const say = (text: string): ProviderDelta => ({ type: "text", text });
  const call = (key: string): ProviderDelta => ({ type: "tool-call", key, id: key, name: "read", args: "{}" });

  test.each<readonly [string, readonly ProviderDelta[], AssistantResult["thinking"]]>([
    ["a new key begins a new part", [think({ key: "0", text: "a" }), think({ key: "1", text: "b" })], [{ text: "a" }, { text: "b" }]],
    [
      "pieces go to the part of their key, also after its signature and in any order",
      [
        think({ key: "0", text: "a", signature: "s0" }),
        think({ key: "1", text: "b" }),
        think({ key: "0", text: "c" }),
        think({ key: "1", text: "", signature: "s1" }),
      ],
      [
        { text: "ac", signature: "s0" },
        { text: "b", signature: "s1" },
      ],
    ],
    [
      "a piece without a key never goes to a part that has one",
      [think({ key: "0", text: "a" }), think({ text: "b" }), think({ text: "c" })],
      [{ text: "a" }, { text: "bc" }],
    ],
    [
      "kind and id are kept, whenever they come",
      [think({ key: "r", text: "", kind: "reasoning" }), think({ key: "r", text: "a", id: "rs_1", signature: "enc" })],
      [{ text: "a", kind: "reasoning", id: "rs_1", signature: "enc" }],
    ],
    [
      "each part says what came before it, where something did",
      [
        think({ key: "0", text: "a" }),
        say("ü🙂"),
        think({ key: "1", text: "b" }),
        call("x"),
        call("y"),
        say("z"),
        think({ key: "2", text: "c" }),
      ],
      [{ text: "a" }, { text: "b", after: { text: 3, calls: 0 } }, { text: "c", after: { text: 4, calls: 2 } }],
    ],
    [
      "a part that goes on stays where it began",
      [say("x"), think({ text: "a" }), say("y"), think({ text: "b" })],
      [{ text: "ab", after: { text: 1, calls: 0 } }],
    ],
    [
      "a call that was none is not counted",
      [{ type: "tool-call", key: "n" }, call("x"), think({ key: "0", text: "a" })],
      [{ text: "a", after: { text: 0, calls: 1 } }],
    ],
  ])("%s", (_name, deltas, expected) => {
    expect(finish(deltas).thinking).toEqual(expected);
  });

  test("what did not end well has no calls to come after", () => {
    expect(after([call("x"), think({ key: "0", text: "a" }), say("b"), think({ key: "1", text: "c" })]).partial("failed").thinking).toEqual(
      [{ text: "a" }, { text: "c", after: { text: 1, calls: 0 } }],
    );
  });
});

describe("signatures of calls", () => {
  test("are kept, whenever they come", () => {
    expect(
      finish([
        { type: "tool-call", key: "0", id: "c1", name: "read", args: "{}", signature: "s" },
        { type: "tool-call", key: "1", id: "c2", name: "read", args: "{" },
        { type: "tool-call", key: "1", args: "}", signature: "t" },
      ]).toolCalls.map(({ signature }) => signature),
    ).toEqual(["s", "t"]);
  });
});

describe("what counts as delivered", () => {
  test.each<readonly [string, ProviderDelta, boolean]>([
    ["text", { type: "text", text: "a" }, true],
    ["empty text", { type: "text", text: "" }, false],
    ["thinking", { type: "thinking", text: "a" }, true],
    ["hidden thinking", { type: "thinking", text: "", signature: "s" }, true],
    ["a thinking part that only begins", { type: "thinking", text: "", key: "0" }, false],
    ["a call", { type: "tool-call", key: "0", name: "read" }, true],
    ["usage", { type: "usage", usage: { inputTokens: 1 } }, false],
  ])("%s: %s", (_name, delta, expected) => {
    expect(after([delta]).hasContent()).toBe(expected);
  });
});

describe("what a server decides to send", () => {
  const COUNT = 20_000;
  test.each<readonly [string, (at: number) => ProviderDelta]>([
    ["one thinking part", () => ({ type: "thinking", key: "0", text: "abcd" })],
    ["a thinking part each", (at) => ({ type: "thinking", key: String(at), text: "abcd" })],
    ["a signed part each", () => ({ type: "thinking", text: "abcd", signature: "s" })],
    ["a call each", (at) => ({ type: "tool-call", key: String(at), id: String(at), name: "x", args: "{}" })],
    ["one call, its name again with every piece", () => ({ type: "tool-call", key: "0", name: "x", args: '{"a":' })],
  ])("20,000 deltas take a time that a person does not notice: %s", (_name, make) => {
    const started = performance.now();
    finish(Array.from({ length: COUNT }, (_, at) => make(at)));
    // Anything that looks at all earlier deltas again takes a hundred times as long.
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe("provider-1: calls without an index of their own", () => {
  const read = (path: string): object => ({ name: "read", args: { path } });
  test.each<readonly [string, readonly CallDelta[], readonly unknown[]]>([
    [
      "one key, two ids",
      [
        { key: "0", id: "c1", name: "read", args: '{"path":"a"}' },
        { key: "0", id: "c2", name: "read", args: '{"path":"b"}' },
      ],
      [
        { providerId: "c1", ...read("a") },
        { providerId: "c2", ...read("b") },
      ],
    ],
    [
      "one key, no ids, a name again after complete arguments",
      [
        { key: "0", name: "read", args: '{"path":"a"}' },
        { key: "0", name: "read", args: '{"path":"b"}' },
      ],
      [
        { providerId: "call_00000001", ...read("a") },
        { providerId: "call_00000002", ...read("b") },
      ],
    ],
    [
      "the name repeated with every fragment is one call",
      [
        { key: "0", id: "c1", name: "read", args: '{"path"' },
        { key: "0", id: "c1", name: "read", args: ':"a"}' },
        { key: "0", name: "read", args: "" },
      ],
      [{ providerId: "c1", ...read("a") }],
    ],
    [
      "fragments of two calls interleaved",
      [
        { key: "0", id: "c1", name: "read", args: '{"path":' },
        { key: "1", id: "c2", name: "read", args: '{"path":' },
        { key: "0", args: '"a"}' },
        { key: "1", args: '"b"}' },
      ],
      [
        { providerId: "c1", ...read("a") },
        { providerId: "c2", ...read("b") },
      ],
    ],
    [
      "one id for two keys is made two",
      [
        { key: "0", id: "x", name: "read", args: '{"path":"a"}' },
        { key: "1", id: "x", name: "read", args: '{"path":"b"}' },
      ],
      [
        { providerId: "x", ...read("a") },
        { providerId: "call_00000002", ...read("b") },
      ],
    ],
    [
      "a call without a name gets one that no tool has",
      [{ key: "0", id: "c1", args: "{}" }],
      [{ providerId: "c1", name: "unnamed", args: {} }],
    ],
  ])("%s", (_name, deltas, expected) => {
    expect(calls(deltas)).toEqual(expected);
  });

  test("an id that the conversation has already is replaced", () => {
    expect(finish([{ type: "tool-call", key: "0", id: "call_0", name: "x" }], "tool-use", ["call_0"]).toolCalls[0]?.providerId).toBe(
      "call_00000001",
    );
  });
});

describe("provider-2 and provider-3: arguments", () => {
  test.each(["", " ", "\n", "null", "{}", " {} "])("%j means no arguments", (text) => {
    expect(parseArguments(text)).toEqual({});
  });

  test("blank text and then an object is the object", () => {
    expect(
      calls([
        { key: "0", id: "c", name: "now", args: "" },
        { key: "0", args: "{}" },
      ]),
    ).toEqual([{ providerId: "c", name: "now", args: {} }]);
  });

  test.each(['{"path": "a.txt", "content": "line', "{path:'a'}", "[1]", '"str"', "{} {}", "1", "true"])(
    "%j has no arguments object",
    (text) => {
      const [call] = finish([{ type: "tool-call", key: "0", id: "c", name: "write", args: text }]).toolCalls;
      expect(call).toEqual({ call: "00000000-0000-7000-8000-000000000001", providerId: "c", name: "write", argsText: text });
    },
  );
});
