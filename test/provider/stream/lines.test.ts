import { describe, expect, test } from "vitest";
import fc from "fast-check";
import type { Provider } from "../../../src/plugin/sdk.js";
import { createLineFramer } from "../../../src/provider/stream/lines.js";
import type { FramedEvent, ProviderDelta } from "../../../src/schema/index.js";
import { createDirectAdapter } from "../../support/direct-adapter.js";
import { answer, startModelServer } from "../../support/model-server.js";
import { ask, requestTo, testEngine, toyProvider } from "../support.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Frames a body given in these pieces, to a proper end. */
function frame(pieces: readonly Uint8Array[], maxEvent?: number): readonly FramedEvent[] {
  const framer = createLineFramer(maxEvent);
  const events = pieces.flatMap((piece) => {
    const framed = framer.push(piece);
    if (!framed.ok) throw new Error(framed.error);
    return framed.value;
  });
  return [...events, ...framer.end()];
}

const BODIES: readonly (readonly [string, string, readonly FramedEvent[]])[] = [
  ["LF", '{"a":"ä漢🙂"}\n{"b":1}\n', [{ data: '{"a":"ä漢🙂"}' }, { data: '{"b":1}' }]],
  ["CRLF", '{"a":1}\r\n{"b":1}\r\n', [{ data: '{"a":1}' }, { data: '{"b":1}' }]],
  ["a BOM", '\ufeff{"a":1}\n', [{ data: '{"a":1}' }]],
  ["blank lines", '\n{"a":1}\n \n\r\n{"b":1}\n', [{ data: '{"a":1}' }, { data: '{"b":1}' }]],
  ["a last line without its end", '{"a":1}\n{"b":1}', [{ data: '{"a":1}' }, { data: '{"b":1}' }]],
  ["a last object that is cut", '{"a":1}\n{"b":', [{ data: '{"a":1}' }]],
];

describe("framing by lines", () => {
  test.each(BODIES)("%s: the same events wherever the bytes are cut", (_name, body, events) => {
    const bytes = encode(body);
    expect(frame([bytes])).toEqual(events);
    expect(frame([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events);
    for (let at = 1; at < bytes.length; at += 1) expect(frame([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(events);
  });

  test("any split of any lines gives those lines", () => {
    const line = fc.string({ unit: "grapheme" }).filter((text) => text.trim() !== "" && !/[\r\n\uFEFF]|^\s*\{/.test(text));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.constantFrom("\n", "\r\n"), fc.array(fc.nat()), (lines, end, cuts) => {
        const bytes = encode(lines.map((data) => `${data}${end}`).join(""));
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        expect(frame(at.slice(1).map((to, index) => bytes.subarray(at[index], to)))).toEqual(lines.map((data) => ({ data })));
      }),
      { numRuns: 200 },
    );
  });

  test("a line over the bound is an error, and nothing is framed after it", () => {
    const framer = createLineFramer(100);
    expect(framer.push(encode(`${"x".repeat(60)}\n${"x".repeat(60)}`)).ok).toBe(true);
    expect(framer.push(encode("y".repeat(60)))).toEqual({ ok: false, error: "one event of the stream is longer than 100 characters" });
    expect(framer.push(encode("\n")).ok).toBe(false);
  });

  test("the bound is for one line, not for the stream or for what arrives at once", () => {
    expect(frame([encode(`${"x".repeat(60)}\n`.repeat(100))], 100)).toHaveLength(100);
  });
});

describe("a provider that asks for lines", () => {
  const lines: Provider = {
    ...toyProvider,
    plan: (request) => {
      const plan = toyProvider.plan(request);
      return plan.type === "http" ? { ...plan, framing: "lines" } : plan;
    },
    events: (batch, state) => ({
      deltas: batch.map(({ data }): ProviderDelta => {
        const { text } = JSON.parse(data) as { readonly text?: string };
        return text === undefined ? { type: "end", stop: "stop" } : { type: "text", text };
      }),
      state,
    }),
  };

  test.each(["application/x-ndjson", "application/json"])("is answered line by line, whatever %s says of the whole", async (type) => {
    const body = '{"text":"a"}\n{"text":"b"}\n{}\n';
    const server = await startModelServer({ script: [answer(200, body, { "content-type": type })] });
    const engine = testEngine();
    try {
      const said = await ask(engine, createDirectAdapter("toy", lines), requestTo(server.url));
      expect(said.at(-1)).toMatchObject({ type: "done", result: { text: "ab", stop: "stop" } });
    } finally {
      engine.close();
      await server.close();
    }
  });

  test("is told what came in place of lines", async () => {
    const server = await startModelServer({ script: [answer(200, "<html><title>Log in</title></html>", { "content-type": "text/html" })] });
    const engine = testEngine();
    try {
      const said = await ask(engine, createDirectAdapter("toy", lines), requestTo(server.url));
      expect(JSON.stringify(said.at(-1))).toContain("Log in");
    } finally {
      engine.close();
      await server.close();
    }
  });
});
