import { describe, expect, test } from "vitest";
import { INLINE, QUIRKS } from "./chat-quirks.js";
import { CALLS, type Decoded, type Dialect, ENDS, fold, ODD, TEXT, USAGE } from "./chat-streams.js";
import { provider } from "./chat-support.js";
import { cuts, disguises, runStream, sseBytes, streamDeltas, type StreamInput, type WireEvent } from "./streams/run.js";

const PLAN = { framing: "sse", merge: ["choices", 0, "delta", "content"] } as const;

const wire = (dialect: Dialect): readonly WireEvent[] =>
  dialect.events.map((event): WireEvent => {
    const [name, value] = typeof event === "object" && event !== null && "named" in event ? [event.named, event.value] : [undefined, event];
    return { ...(name === undefined ? {} : { name }), data: typeof value === "string" ? value : JSON.stringify(value) };
  });

const input = (dialect: Dialect, chunks: readonly Uint8Array[]): StreamInput => ({
  provider: provider("openai-compatible"),
  chunks,
  plan: PLAN,
  ...(dialect.outcome === undefined ? {} : { outcome: dialect.outcome }),
});

const ALL = [...QUIRKS, ...INLINE, ...TEXT, ...CALLS, ...USAGE, ...ODD, ...ENDS];
/** The body ends inside of what was framed, where a proxy's disguise would be cut as well. */
const WHOLE = ALL.filter(({ outcome = "complete" }) => outcome === "complete");

describe("cut at every byte, the answer is the same", () => {
  test.each(ALL.map((dialect) => [dialect.name, dialect] as const))("%s", (_name, dialect) => {
    const bytes = sseBytes(wire(dialect));
    const whole = runStream(input(dialect, [bytes]));
    for (const chunks of cuts(bytes)) expect(runStream(input(dialect, chunks))).toEqual(whole);
  });
});

describe("whatever servers and proxies put around it, the answer is the same", () => {
  test.each(WHOLE.map((dialect) => [dialect.name, dialect] as const))("%s", (_name, dialect) => {
    const bytes = sseBytes(wire(dialect));
    const whole = runStream(input(dialect, [bytes]));
    for (const [, other] of disguises(bytes)) {
      expect(runStream(input(dialect, [other]))).toEqual(whole);
      expect(runStream(input(dialect, cuts(other).at(-1) ?? []))).toEqual(whole);
    }
  });
});

describe("a whole answer in one object", () => {
  const message = {
    role: "assistant",
    content: "<think>hm</think>\n\nhello",
    tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
  };
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const body = { id: "x", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage };
  const folded = (text: string): Decoded =>
    fold(streamDeltas({ provider: provider("openai-compatible"), chunks: [Buffer.from(text)], plan: { framing: "json" } }));

  test("comes to the same as its stream, however it is laid out", () => {
    const expected: Decoded = {
      text: "hello",
      thinking: "hm",
      calls: [{ id: "c1", name: "read", args: '{"path":"a"}' }],
      stop: "tool-use",
      usage: { inputTokens: 3, outputTokens: 4 },
    };
    expect(folded(JSON.stringify(body))).toEqual(expected);
    expect(folded(JSON.stringify(body, null, 2))).toEqual(expected);
    const events = [
      { data: { choices: [{ index: 0, delta: message, finish_reason: null }] } },
      { data: { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage } },
      { data: "[DONE]" },
    ];
    expect(fold(streamDeltas({ provider: provider("openai-compatible"), chunks: [sseBytes(events)] }))).toEqual(expected);
  });

  test("that is an error is one", () => {
    expect(folded(JSON.stringify({ error: { message: "no more", type: "insufficient_quota" } }))).toEqual({ error: ["quota", "no more"] });
  });

  test("that is no answer is none", () => {
    expect(folded("{}").error?.[0]).toBe("transport");
    expect(folded("<html>").error?.[0]).toBe("transport");
  });
});

describe("thinking between tags", () => {
  test.each([
    ["openai-compatible", "hm", "a"],
    ["llama-cpp", "hm", "a"],
    ["ollama", "hm", "a"],
    ["groq", "hm", "a"],
    ["openai-chat", undefined, "<think>hm</think>a"],
    ["deepseek", undefined, "<think>hm</think>a"],
  ])("is told apart by %s only where a server may inline it", (id, thinking, text) => {
    const events = [{ data: { choices: [{ index: 0, delta: { content: "<think>hm</think>a" }, finish_reason: "stop" }] } }];
    const decoded = fold(streamDeltas({ provider: provider(id), chunks: [sseBytes(events)] }));
    expect(decoded).toEqual({ text, stop: "stop", ...(thinking === undefined ? {} : { thinking }) });
  });
});
