import { describe, expect, test } from "vitest";
import provider from "../../plugins/provider-openai/index.js";
import type { AttemptState, FramedEvent, Provider } from "../../src/plugin/sdk.js";
import { ALL, type Amounts, CALLS, ENDS, event, type Stream, TEXTS, THINKING } from "./streams/responses.js";
import { cuts, disguises, runStream, sseBytes, streamDeltas, type StreamOutcome } from "./streams/run.js";

const openai: Provider = provider.providers?.["openai"] ?? { plan: () => ({ type: "local", deltas: [] }) };
const plan = { framing: "sse", merge: ["delta"] } as const;

const run = (chunks: readonly Uint8Array[]): StreamOutcome => runStream({ provider: openai, chunks, plan });

/** What an outcome amounts to, with empty things left out. Ids the core made are not compared. */
function amounts(outcome: StreamOutcome): Amounts {
  const result = outcome.type === "done" ? outcome.result : outcome.partial;
  const calls = result.toolCalls.map(({ name, argsText, providerId }): readonly [string, string, string?] =>
    /^call_\d$/.test(providerId) ? [name, argsText, providerId] : [name, argsText],
  );
  return {
    ...(result.text === "" ? {} : { text: result.text }),
    ...(result.thinking.length === 0 ? {} : { thinking: result.thinking }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(result.usage === undefined ? {} : { usage: result.usage }),
    ...(outcome.type === "done" ? { stop: result.stop } : {}),
    ...(outcome.type === "failed" ? { error: [outcome.error.class, outcome.error.message] } : {}),
  };
}

const isBroken = (data: object | string | undefined): boolean => typeof data === "string" && data.startsWith("{");

const matching = ({ error, ...rest }: Amounts): object =>
  error === undefined ? rest : { ...rest, error: [error[0], expect.stringContaining(error[1])] };

describe.each([
  ["text", TEXTS],
  ["thinking", THINKING],
  ["calls", CALLS],
  ["ends", ENDS],
])("%s", (_title, streams) => {
  test.each(streams.map((stream): [string, Stream] => [stream.title, stream]))("%s", (_name, stream) => {
    const bytes = sseBytes(stream.events);
    const whole = run([bytes]);
    expect(amounts(whole)).toEqual(matching(stream.amounts));
    const text = JSON.stringify(whole);
    expect(cuts(bytes).findIndex((chunks) => JSON.stringify(run(chunks)) !== text)).toBe(-1);
  });
});

describe("on the way", () => {
  // Where a stream ends in an event that is no JSON, a lone CR after it leaves open whether it was cut.
  const whole = ALL.filter(({ events }) => !isBroken(events.at(-1)?.data));
  test.each(whole.map((stream): [string, Stream] => [stream.title, stream]))("%s: however it is sent", (_name, stream) => {
    const bytes = sseBytes(stream.events);
    for (const [name, disguised] of disguises(bytes)) {
      expect([name, run([disguised])]).toEqual([name, run([bytes])]);
      expect([name, run(cuts(disguised).at(-1) ?? [])]).toEqual([name, run([bytes])]);
    }
  });

  test("comments while the answer is waited for are passed over", () => {
    const bytes = Buffer.concat([Buffer.from(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n"), sseBytes(TEXTS[0]?.events ?? [])]);
    expect(amounts(run([bytes]))).toEqual(TEXTS[0]?.amounts);
  });

  test("an answer that is cut anywhere before its end is never whole", () => {
    const bytes = sseBytes(THINKING[0]?.events ?? []);
    const end = bytes.length - sseBytes(THINKING[0]?.events.slice(-1) ?? []).length;
    for (let at = 0; at < end; at += 1) {
      const outcome = runStream({ provider: openai, chunks: [bytes.subarray(0, at)], plan, outcome: "failed" });
      expect(outcome.type === "failed" ? outcome.error.class : outcome.type).toBe("transport");
    }
  });

  test("a connection that breaks after the end does not spoil the answer", () => {
    const bytes = sseBytes(TEXTS[0]?.events ?? []);
    expect(runStream({ provider: openai, chunks: [bytes], plan, outcome: "failed" })).toMatchObject({ type: "done" });
  });

  test("equal pieces that the host joins are told as often as they came", () => {
    const piece = { type: "response.output_text.delta", output_index: 0, delta: "ab" };
    const bytes = sseBytes([...Array.from({ length: 50 }, () => ({ data: piece })), event("response.completed", { response: {} })]);
    expect(amounts(run([bytes]))).toEqual({ text: "ab".repeat(50), stop: "stop" });
    expect(streamDeltas({ provider: openai, chunks: [bytes], plan }).filter(({ type }) => type === "text")).toHaveLength(1);
  });

  test("a batch does not change the state it was given, and the state is JSON", () => {
    for (const { events } of ALL) {
      const state: AttemptState = openai.open?.({ status: 200, headers: {} }) ?? null;
      const framed = events.map(({ data }): FramedEvent => ({ data: typeof data === "string" ? data : JSON.stringify(data) }));
      const middle = openai.events?.(framed.slice(0, 3), state).state ?? null;
      const before = JSON.stringify(middle);
      const after = openai.events?.(framed.slice(3), middle).state;
      expect(JSON.stringify(middle)).toBe(before);
      expect(JSON.parse(JSON.stringify(after))).toEqual(after);
    }
  });
});

describe("an answer that is not streamed", () => {
  const WITH_ALL = {
    id: "resp_1",
    object: "response",
    status: "completed",
    error: null,
    output: [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "secret" },
      { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "a" }] },
      { type: "function_call", id: "f", call_id: "call_1", name: "read", arguments: "{}" },
    ],
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  const json = (body: object): StreamOutcome =>
    runStream({ provider: openai, chunks: [Buffer.from(JSON.stringify(body))], plan: { framing: "json" } });

  test("comes to what the stream of it comes to", () => {
    const streamed = sseBytes([
      ...WITH_ALL.output.map((item, index) => event("response.output_item.done", { output_index: index, item })),
      event("response.completed", { response: WITH_ALL }),
    ]);
    expect(json(WITH_ALL)).toEqual(run([streamed]));
    expect(amounts(json(WITH_ALL))).toEqual({
      text: "a",
      thinking: [{ text: "hm", kind: "summary", id: "rs_1", signature: "secret" }],
      calls: [["read", "{}", "call_1"]],
      usage: { inputTokens: 3, outputTokens: 4 },
      stop: "tool-use",
    });
  });

  test.each([
    ["cut", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, { stop: "limit" }],
    ["failed", { status: "failed", error: { code: "server_error", message: "broke" } }, { error: ["transport", "broke"] }],
    ["not finished", { status: "queued" }, { error: ["protocol", "not finished (queued)"] }],
  ] as const)("%s", (_name, over, expected) => {
    expect(amounts(json({ ...WITH_ALL, output: [], usage: null, ...over }))).toEqual(matching(expected));
  });

  test("an error with a good status, and an object that is neither", () => {
    expect(amounts(json({ error: { message: "no", code: "invalid_api_key" } }))).toEqual({ error: ["auth", "no"] });
    expect(amounts(json({ hello: 1 }))).toEqual({ error: ["transport", expect.stringContaining('{"hello":1}')] });
  });
});
