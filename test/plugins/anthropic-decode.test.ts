import fc from "fast-check";
import { describe, expect, test } from "vitest";
import plugin from "../../plugins/provider-anthropic/index.js";
import type { Provider } from "../../src/plugin/sdk.js";
import {
  ALL,
  bytesOf,
  call,
  ENDS,
  type Expected,
  open,
  over,
  QUIRKS,
  type Sample,
  SHAPES,
  shut,
  start,
  STOP,
  STOPS,
  text,
  thought,
} from "./anthropic-streams.js";
import { cuts, disguises, runStream, streamDeltas, type StreamOutcome } from "./streams/run.js";

const PLAN = { framing: "sse", merge: ["delta", "text"] } as const;

function anthropic(): Provider {
  const provider = plugin.providers?.["anthropic"];
  if (provider === undefined) throw new Error("the plugin has no provider of this name");
  return provider;
}

const run = ({ events, outcome = "complete" }: Sample, chunks: readonly Uint8Array[] = [bytesOf(events)]): StreamOutcome =>
  runStream({ provider: anthropic(), plan: PLAN, chunks, outcome });

/** The outcome in the words of a sample; ids the host made are `""`, and of a failure no calls are left. */
function told(outcome: StreamOutcome): object {
  const result = outcome.type === "done" ? outcome.result : outcome.partial;
  const thinking = result.thinking.map(({ after: _after, ...part }) => part);
  const calls = result.toolCalls.map(({ providerId, name, argsText }) => [
    providerId.startsWith("call_") ? "" : providerId,
    name,
    argsText,
  ]);
  return {
    ...(result.text === "" ? {} : { text: result.text }),
    ...(thinking.length === 0 ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(result.usage === undefined ? {} : { usage: result.usage }),
    ...(outcome.type === "done" ? { stop: result.stop } : {}),
    ...(outcome.type === "failed" ? { error: [outcome.error.class, outcome.error.message] } : {}),
  };
}

const matching = ({ error, ...rest }: Expected): object =>
  error === undefined ? rest : { ...rest, error: [error[0], expect.stringContaining(error[1])] };

const named = (samples: readonly Sample[]): readonly (readonly [string, Sample])[] =>
  samples.map((sample) => [sample.name, sample] as const);

describe.each([
  ["quirks of recordings", QUIRKS],
  ["shapes", SHAPES],
  ["stop reasons", STOPS],
  ["ends", ENDS],
])("%s", (_title, samples) => {
  test.each(named(samples))("%s", (_name, sample) => {
    expect(told(run(sample))).toEqual(matching(sample.expected));
  });
});

describe("the bytes of a stream", () => {
  test.each(named(ALL))("mean the same wherever they are cut: %s", (_name, sample) => {
    const whole = JSON.stringify(run(sample));
    const different = cuts(bytesOf(sample.events)).filter((chunks) => JSON.stringify(run(sample, chunks)) !== whole);
    expect(different.map(([first]) => first?.length)).toEqual([]);
  });

  // A lone CR at the very end of a body that fails may be half of a line's end.
  test.each(named(ALL.filter(({ outcome }) => outcome === undefined)))(
    "mean the same in every way servers write them: %s",
    (_name, sample) => {
      const whole = JSON.stringify(run(sample));
      const different = disguises(bytesOf(sample.events)).filter(([, bytes]) => JSON.stringify(run(sample, [bytes])) !== whole);
      expect(different.map(([name]) => name)).toEqual([]);
    },
  );

  test("mean the same with neighbouring events joined and one by one", () => {
    for (const sample of ALL) {
      const chunks = [bytesOf(sample.events)];
      const alone = runStream({ provider: anthropic(), plan: { framing: "sse" }, chunks, outcome: sample.outcome ?? "complete" });
      expect(run(sample, chunks), sample.name).toEqual(alone);
    }
  });

  test("mean the same in chunks of any sizes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL), fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 }), (sample, sizes) => {
        const bytes = bytesOf(sample.events);
        let at = 0;
        const chunks = sizes.map((size) => bytes.subarray(at, (at += size)));
        expect(run(sample, [...chunks, bytes.subarray(at)])).toEqual(run(sample));
      }),
      { numRuns: 300 },
    );
  });
});

describe("a stream that is cut", () => {
  test("is never a success before its message_stop, and no call of it is run", () => {
    const events = [start(), ...thought(0, ["a"], ["s"]), ...text(1, "b"), ...call(2, "t", "read", '{"path":"a"}'), over("tool_use"), STOP];
    for (let count = 0; count < events.length; count += 1) {
      const outcome = run({ name: "", events: events.slice(0, count), expected: {} });
      expect([
        outcome.type,
        outcome.type === "failed" ? outcome.error.class : "",
        "partial" in outcome ? outcome.partial.toolCalls : "",
      ]).toEqual(["failed", "transport", []]);
    }
    expect(run({ name: "", events, expected: {} }).type).toBe("done");
  });

  test("that was cancelled has no error, only what it cost", () => {
    const events = [start({ usage: { input_tokens: 5, output_tokens: 1 } }), ...text(0, "a")];
    expect(streamDeltas({ provider: anthropic(), plan: PLAN, chunks: [bytesOf(events)], outcome: "cancelled" })).toEqual([
      { type: "usage", usage: { inputTokens: 5, outputTokens: 1 } },
      { type: "text", text: "a" },
    ]);
  });
});

describe("the end of an answer", () => {
  const ends = (reason: string, ...more: readonly { readonly data: string }[]): readonly string[] => {
    const provider = anthropic();
    const state = provider.open?.({ status: 200, headers: {} }) ?? null;
    const batch = [start(), ...text(0, "a"), over(reason), STOP].map((event) => ({ data: JSON.stringify(event) }));
    return provider.events?.([...batch, ...more], state).deltas.map(({ type }) => type) ?? [];
  };

  test("is message_stop, not the end of the connection", () => {
    expect(ends("end_turn")).toEqual(["text", "end"]);
  });

  test("is open after calls, which the same body may go on from, and whole all the same", () => {
    expect(ends("tool_use")).toEqual(["text", "whole"]);
  });

  test("is where a proxy says [DONE], also after calls", () => {
    expect(ends("tool_use", { data: "[DONE]" })).toEqual(["text", "whole", "end"]);
  });
});

describe("an answer that comes whole", () => {
  const BLOCKS = [
    { type: "thinking", thinking: "a", signature: "s" },
    { type: "redacted_thinking", data: "ENC" },
    { type: "text", text: "hello" },
    { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "x" } },
    { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
    { type: "tool_use", id: "t2", name: "now", input: {} },
  ];
  const USAGE = { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 };

  test.each(["tool_use", "end_turn", "max_tokens", "refusal"])("has the same result as its stream: %s", (reason) => {
    const message = { type: "message", role: "assistant", content: BLOCKS, stop_reason: reason, usage: USAGE };
    const json = runStream({ provider: anthropic(), plan: { framing: "json" }, chunks: [Buffer.from(JSON.stringify(message))] });
    const events = [start(), ...BLOCKS.flatMap((block, index) => [open(index, block), shut(index)]), over(reason, USAGE), STOP];
    expect(json).toEqual(run({ name: "", events, expected: {} }));
    expect(json.type).toBe("done");
  });

  test("may be an error", () => {
    const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const outcome = runStream({ provider: anthropic(), plan: { framing: "json" }, chunks: [Buffer.from(JSON.stringify(body))] });
    expect(told(outcome)).toEqual({ error: ["overloaded", "Overloaded"] });
  });
});

describe("an answer that is no stream", () => {
  test("is told by its content type", () => {
    const head = { status: 200, url: "http://h/v1/messages", headers: { "Content-Type": "text/plain" } };
    const outcome = runStream({ provider: anthropic(), chunks: [], head });
    expect(told(outcome)).toEqual({
      error: ["transport", expect.stringContaining("It was sent as text/plain, not as an event stream.")],
    });
  });
});
