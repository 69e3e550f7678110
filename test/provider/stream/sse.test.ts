import { describe, expect, test } from "vitest";
import fc from "fast-check";
import type { FramedEvent } from "../../../src/schema/index.js";
import { createSseFramer } from "../../../src/provider/stream/sse.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Frames a body given in these pieces, to a proper end. */
function frame(pieces: readonly Uint8Array[], maxEvent?: number): readonly FramedEvent[] {
  const framer = createSseFramer(maxEvent);
  const events = pieces.flatMap((piece) => {
    const framed = framer.push(piece);
    if (!framed.ok) throw new Error(framed.error);
    return framed.value;
  });
  return [...events, ...framer.end()];
}

const BODIES: readonly (readonly [string, string, readonly FramedEvent[]])[] = [
  ["LF", 'data: {"a":"ä漢🙂"}\n\ndata: [DONE]\n\n', [{ data: '{"a":"ä漢🙂"}' }, { data: "[DONE]" }]],
  ["CRLF", 'event: x\r\ndata: {"a":1}\r\n\r\ndata: 2\r\n\r\n', [{ event: "x", data: '{"a":1}' }, { data: "2" }]],
  ["CR", "data: 1\r\rdata: 2\r\r", [{ data: "1" }, { data: "2" }]],
  ["a BOM", "\ufeffdata: 1\n\n", [{ data: "1" }]],
  ["comments and keep-alives", ": hello\n\ndata: 1\n: mid\n\n:\n\ndata:2\n\n", [{ data: "1" }, { data: "2" }]],
  ["several data lines", "data: 1\ndata: 2\n\n", [{ data: "1\n2" }]],
  ["id and retry fields", "id: 7\nretry: 10\ndata: 1\n\n", [{ data: "1" }]],
  ["no space after the colon", 'data:{"a":" b"}\n\n', [{ data: '{"a":" b"}' }]],
  ["a last event without its blank line", "data: 1\n\ndata: [DONE]", [{ data: "1" }, { data: "[DONE]" }]],
  ["a last object that is cut", 'data: 1\n\ndata: {"a":', [{ data: "1" }]],
];

describe("SSE framing", () => {
  test.each(BODIES)("%s: the same events wherever the bytes are cut", (_name, body, events) => {
    const bytes = encode(body);
    expect(frame([bytes])).toEqual(events);
    expect(frame([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events);
    for (let at = 1; at < bytes.length; at += 1) expect(frame([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(events);
  });

  test("any split of any events gives those events", () => {
    // A lone CR at the end may be half a CRLF, so the last event can complete at the end only, where half an object is dropped.
    const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]|^\s*\{/.test(text));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat()), (lines, end, cuts) => {
        const bytes = encode(lines.map((data) => `data: ${data}${end}${end}`).join(""));
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
        expect(frame(pieces)).toEqual(lines.map((data) => ({ data })));
      }),
      { numRuns: 200 },
    );
  });

  test("an event over the bound is an error, and nothing is framed after it", () => {
    const framer = createSseFramer(1000);
    expect(framer.push(encode(`data: ${"x".repeat(400)}\n\n`)).ok).toBe(true);
    expect(framer.push(encode(`data: ${"x".repeat(600)}`)).ok).toBe(true);
    expect(framer.push(encode("y".repeat(600)))).toEqual({ ok: false, error: "one event of the stream is longer than 1000 characters" });
    expect(framer.push(encode("\n\n")).ok).toBe(false);
  });

  test("the bound is for one event, not for the stream", () => {
    expect(
      frame(
        Array.from({ length: 100 }, () => encode(`data: ${"x".repeat(100)}\n\n`)),
        1000,
      ),
    ).toHaveLength(100);
  });

  test("text without any event is kept to explain the answer", () => {
    const framer = createSseFramer();
    framer.push(encode("<html>login</html>"));
    expect(framer.unframed).toBe("<html>login</html>");
    framer.push(encode("\n\ndata: 1\n\n"));
    expect(framer.unframed).toBe("");
  });
});
