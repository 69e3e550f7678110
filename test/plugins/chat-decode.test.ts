import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { close, events, open } from "../../plugins/provider-openai-compatible/decode.js";
import { EMPTY_SCAN, scanJson } from "../../plugins/provider-openai-compatible/stream/json-scan.js";
import type { AttemptState, BodyOutcome, FramedEvent, ProviderDelta, ResponseHead } from "../../src/plugin/sdk.js";
import { INLINE, QUIRKS } from "./chat-quirks.js";
import { CALLS, type Decoded, type Dialect, ENDS, fold, ODD, TEXT, USAGE } from "./chat-streams.js";

const HEAD: ResponseHead = { status: 200, headers: { "content-type": "text/event-stream" } };

function framed(dialect: Dialect): readonly FramedEvent[] {
  return dialect.events.map((event) => {
    const [name, value] = typeof event === "object" && event !== null && "named" in event ? [event.named, event.value] : [undefined, event];
    return { ...(name === undefined ? {} : { event: name }), data: typeof value === "string" ? value : JSON.stringify(value) };
  });
}

/** Decodes in batches of the given sizes; state crosses every boundary as JSON text, as it does in the sandbox. */
function decode(all: readonly FramedEvent[], sizes: readonly number[], outcome: BodyOutcome = "complete"): readonly ProviderDelta[] {
  let state: AttemptState = open(HEAD);
  const deltas: ProviderDelta[] = [];
  let at = 0;
  for (const size of [...sizes, all.length]) {
    const step = events(all.slice(at, at + size), JSON.parse(JSON.stringify(state)) as AttemptState);
    at += size;
    deltas.push(...step.deltas);
    state = step.state;
  }
  return [...deltas, ...close(outcome, state)];
}

const matching = ({ error, ...rest }: Decoded): object =>
  error === undefined ? rest : { ...rest, error: [error[0], expect.stringContaining(error[1])] };

describe.each([
  ["text", TEXT],
  ["tool calls", CALLS],
  ["usage", USAGE],
  ["odd events", ODD],
  ["ends", ENDS],
  ["quirks by number", QUIRKS],
  ["thinking in the text", INLINE],
])("%s", (_title, dialects) => {
  test.each(dialects.map((dialect) => [dialect.name, dialect] as const))("%s", (_name, dialect) => {
    expect(fold(decode(framed(dialect), [], dialect.outcome))).toEqual(matching(dialect.expected));
  });
});

const ALL = [...TEXT, ...CALLS, ...USAGE, ...ODD, ...ENDS, ...QUIRKS, ...INLINE];

describe("batches", () => {
  test("the deltas are the same however the events are batched", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL), fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 }), (dialect, sizes) => {
        expect(decode(framed(dialect), sizes, dialect.outcome)).toEqual(decode(framed(dialect), [], dialect.outcome));
      }),
      { numRuns: 500 },
    );
  });

  test("a batch does not change the state it was given", () => {
    const state = open(HEAD);
    const before = JSON.stringify(state);
    for (const dialect of ALL) events(framed(dialect), state);
    expect(JSON.stringify(state)).toBe(before);
  });

  test("the answer ends with [DONE], not with the connection", () => {
    expect(
      events([{ data: '{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}' }, { data: "[DONE]" }], open(HEAD)).deltas,
    ).toEqual([{ type: "text", text: "a" }, { type: "whole" }, { type: "end", stop: "stop" }]);
  });
});

describe("an answer that is no stream", () => {
  test("another content type is told", () => {
    expect(close("complete", open({ status: 200, headers: { "content-type": "text/plain" } }))).toMatchObject([
      {
        type: "error",
        error: { class: "transport", message: "The stream ended without an answer. It was sent as text/plain, not as an event stream." },
      },
    ]);
  });
});

describe("the scan of a JSON text", () => {
  test("is complete exactly where the text is, wherever it is cut", () => {
    const value = fc.jsonValue().map((inner) => JSON.stringify({ inner }));
    fc.assert(
      fc.property(value, fc.nat(), (text, cut) => {
        const at = cut % text.length;
        const before = scanJson(EMPTY_SCAN, text.slice(0, at));
        expect(before.phase).not.toBe("complete");
        expect(scanJson(before, text.slice(at)).phase).toBe("complete");
      }),
    );
  });
});
