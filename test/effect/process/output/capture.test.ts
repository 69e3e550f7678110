import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCapture } from "../../../../src/effect/process/output/capture.js";

const text = fc.array(fc.constantFrom("a", "é", "€", "🙂", "\n", "漢"), { maxLength: 60 }).map((parts) => parts.join(""));

describe("captured output", () => {
  test("is whole below the bound, wherever the chunks are split", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 20 }), (whole, cuts) => {
        const capture = createCapture({ keepBytes: 1000 });
        const bytes = Buffer.from(whole);
        const points = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        for (const [index, point] of points.entries()) capture.push("stdout", bytes.subarray(points[index - 1] ?? 0, point));
        expect(capture.end()).toEqual({ text: whole, omittedBytes: 0 });
      }),
    );
  });

  test("of any bytes is what they say as UTF-8, one mark for each that says nothing, wherever the chunks are split", () => {
    // Heads of characters, their rests, and what is never one.
    const byte = fc.constantFrom(0x41, 0x0a, 0x80, 0xbf, 0xc0, 0xc3, 0xe2, 0x82, 0xac, 0xed, 0xa0, 0xf0, 0x9f, 0x98, 0xf4, 0x90, 0xff);
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 40 }), fc.array(fc.nat(40), { maxLength: 20 }), (all, cuts) => {
        const bytes = Buffer.from(all);
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
        const points = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((left, right) => left - right);
        for (const stream of ["stdout", "stderr"] as const) {
          const capture = createCapture({ keepBytes: 1000 });
          for (const [index, point] of points.entries()) capture.push(stream, bytes.subarray(points[index - 1] ?? 0, point));
          expect(capture.end().text).toBe(text);
        }
      }),
    );
  });

  test("beyond the bound keeps a head and a tail of whole characters and counts the rest exactly", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, chunk) => {
        const capture = createCapture({ keepBytes: 16 });
        const bytes = Buffer.from(whole);
        for (let at = 0; at < bytes.length; at += chunk) capture.push("stdout", bytes.subarray(at, at + chunk));
        const { text: kept, omittedBytes } = capture.end();
        expect(kept).not.toContain("\ufffd");
        if (omittedBytes === 0) {
          expect(kept).toBe(whole);
          return;
        }
        const [head = "", tail = ""] = kept.split(`\n[… ${omittedBytes} bytes left out …]\n`);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + omittedBytes).toBe(bytes.length);
        expect(Math.max(Buffer.byteLength(head), Buffer.byteLength(tail))).toBeLessThanOrEqual(16);
      }),
    );
  });

  test("the tail for progress is bounded and holds whole characters", () => {
    const capture = createCapture({ keepBytes: 8 });
    capture.push("stdout", Buffer.from("ab🙂"));
    expect(capture.tail(3)).toBe("b🙂");
    expect(capture.tail(1)).toBe("");
    capture.push("stderr", Buffer.from("0123456789"));
    expect([capture.tail(4), capture.tail(100)]).toEqual(["6789", "ab🙂0123456789"]);
  });
});
