import { describe, expect, test } from "vitest";
import type { AssistantResult, ProviderDelta, StopReason } from "../../../src/schema/index.js";
import { assemble, assembled, EMPTY_ASSEMBLY, parseArguments, partial } from "../../../src/provider/stream/assemble.js";
import { seqIds } from "../../support/seq-ids.js";

type CallDelta = Omit<Extract<ProviderDelta, { type: "tool-call" }>, "type">;

const after = (deltas: readonly ProviderDelta[]): ReturnType<typeof assemble> => deltas.reduce(assemble, EMPTY_ASSEMBLY);
const finish = (deltas: readonly ProviderDelta[], stop: StopReason = "tool-use", taken: readonly string[] = []): AssistantResult =>
  assembled(after(deltas), stop, { ids: seqIds(), taken: new Set(taken) });
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

  test("a state is never changed by what comes after it", () => {
    const before = after([{ type: "tool-call", key: "0", id: "c", args: "{" }]);
    const copy = structuredClone(before);
    assemble(before, { type: "tool-call", key: "0", args: "}" });
    expect(before).toEqual(copy);
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
    expect(partial(state, "failed")).toEqual({ text: "half", thinking: [], toolCalls: [], stop: "failed" });
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
