import { describe, expect, test } from "vitest";
import fc from "fast-check";
import type { FramedEvent } from "../../../src/schema/index.js";
import { createMerger } from "../../../src/provider/stream/merge.js";

const PATH = ["choices", 0, "delta", "content"] as const;
const envelope = { id: "c", object: "chat.completion.chunk", model: 'm"\\' };

const event = (delta: object, more: object = {}): FramedEvent => ({
  data: JSON.stringify({ ...envelope, choices: [{ index: 0, delta, finish_reason: null }], ...more }),
});
const text = (content: string): FramedEvent => event({ content });

interface Wire {
  readonly choices?: readonly { readonly delta?: { readonly [key: string]: unknown }; readonly finish_reason?: unknown }[];
}

/** What a decoder takes from events: texts joined, everything else counted copy by copy. */
function decode(events: readonly FramedEvent[]): { readonly text: string; readonly others: readonly unknown[] } {
  const choices = events.flatMap(({ data }) => (JSON.parse(data) as Wire).choices ?? []);
  const deltas = choices.map(({ delta }) => delta ?? {});
  return {
    text: deltas.map(({ content }) => (typeof content === "string" ? content : "")).join(""),
    others: [deltas.map((delta) => [delta["tool_calls"], delta["reasoning_content"]]), choices.map((choice) => choice.finish_reason)]
      .flat(2)
      .filter((part) => part !== undefined && part !== null),
  };
}

describe("merging of neighbouring events", () => {
  test("texts of equal events become one event", () => {
    expect(createMerger(PATH).merge([text("a"), text('"b\\'), text("\n漢🙂")])).toEqual([text('a"b\\\n漢🙂')]);
  });

  test("a single event and an empty batch are left as they are", () => {
    const one = text("a");
    const merger = createMerger(PATH);
    expect(merger.merge([])).toEqual([]);
    expect(merger.merge([one])[0]).toBe(one);
  });

  test.each<readonly [string, readonly FramedEvent[]]>([
    [
      "tool calls with equal fragments",
      [event({ content: "", tool_calls: [{ index: 0 }] }), event({ content: "", tool_calls: [{ index: 0 }] })],
    ],
    ["tool calls beside text", [event({ content: "a", tool_calls: [1] }), event({ content: "a", tool_calls: [1] })]],
    ["thinking beside text", [event({ content: "a", reasoning_content: " so" }), event({ content: "b", reasoning_content: " so" })]],
    ["a finish reason", [text("a"), { data: text("b").data.replace('"finish_reason":null', '"finish_reason":"stop"') }]],
    ["usage", [text("a"), event({ content: "b" }, { usage: { total: 1 } })]],
    ["different ids", [text("a"), { data: text("b").data.replace('"id":"c"', '"id":"d"') }]],
    ["different event names", [{ ...text("a"), event: "x" }, text("b")]],
    ["no string at the path", [event({ content: null }), event({ content: null })]],
    ["text that is no JSON", [{ data: "[DONE]" }, { data: "[DONE]" }]],
    ["a string that is cut", [text("a"), { data: text("b").data.replace('"b"', '"b\\"') }]],
    ["an escape that does not exist", [text("a"), { data: text("b").data.replace('"b"', '"\\x"') }]],
    ["a raw control character", [text("a"), { data: text("b").data.replace('"b"', '"\u0001"') }]],
    ["the key at another place", [{ data: '{"content":"a"}' }, { data: '{"content":"b"}' }]],
    [
      "a key given twice, where the last one counts",
      [
        { data: '{"choices":[{"delta":{"content":"a","content":"z"}}]}' },
        { data: '{"choices":[{"delta":{"content":"b","content":"z"}}]}' },
      ],
    ],
  ])("not merged: %s", (_name, events) => {
    expect(createMerger(PATH).merge(events)).toEqual(events);
  });

  test("what is learned holds for later batches, and another form replaces it", () => {
    const merger = createMerger(["delta", "text"]);
    const say = (type: string, words: string): FramedEvent => ({
      event: type,
      data: JSON.stringify({ type, delta: { type: "text_delta", text: words } }),
    });
    expect(merger.merge([say("a", "1"), say("a", "2")])).toEqual([say("a", "12")]);
    expect(merger.merge([say("a", "3"), say("a", "4"), say("a", "5")])).toEqual([say("a", "345")]);
    expect(merger.merge([say("a", "6"), say("b", "7"), say("b", "8"), say("a", "9")])).toEqual([
      say("a", "6"),
      say("b", "78"),
      say("a", "9"),
    ]);
  });

  test("whatever the events and batches, the merged ones decode to the same", () => {
    const content = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "a", '"', "\\", '","content":"', '"}}],"x":[{"'));
    const any = fc.oneof(
      { weight: 6, arbitrary: content.map(text) },
      { weight: 1, arbitrary: content.map((words) => event({ role: "assistant", content: words })) },
      { weight: 1, arbitrary: content.map((words) => event({ content: words, reasoning_content: "r r" })) },
      { weight: 1, arbitrary: content.map((words) => event({ content: words, tool_calls: [{ function: { arguments: " " } }] })) },
      { weight: 1, arbitrary: fc.constant(event({ content: null, tool_calls: [{ function: { arguments: " " } }] })) },
      { weight: 1, arbitrary: fc.constant(event({ tool_calls: [{ function: { arguments: '"content":"x"' } }] })) },
      { weight: 1, arbitrary: fc.constant(event({}, { usage: { total: 3 } })) },
      { weight: 1, arbitrary: content.map((words) => ({ data: JSON.stringify(JSON.parse(text(words).data), undefined, 1) })) },
    );
    fc.assert(
      fc.property(fc.array(fc.array(any)), (batches) => {
        const merger = createMerger(PATH);
        expect(decode(batches.flatMap((batch) => merger.merge(batch)))).toEqual(decode(batches.flat()));
      }),
      { numRuns: 500 },
    );
  });

  test("20,000 events take at most 2 us of processor time each", () => {
    const merger = createMerger(PATH);
    const batches = Array.from({ length: 200 }, (_unused, batch) =>
      Array.from({ length: 100 }, (_none, at) => text(` word ${String(batch)}-${String(at)}`)),
    );
    const passes = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      for (const batch of batches) merger.merge(batch);
      return process.cpuUsage(start).user;
    });
    expect(Math.min(...passes)).toBeLessThan(40_000);
  });
});
