import { describe, expect, test } from "vitest";
import { LineReader } from "../../src/mcp/wire/lines.js";

describe("lines", () => {
  const text = '{"a":"ü\u2028😀"}\n\n  \nsecond\r\nlast without an end';

  test("are the same wherever the bytes are cut", () => {
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at += 1) {
      const reader = new LineReader(() => undefined);
      const lines = [...reader.push(bytes.subarray(0, at)), ...reader.push(bytes.subarray(at))];
      expect(lines).toEqual(['{"a":"ü\u2028😀"}', "second\r"]);
    }
  });

  test("that are too long are told once and left out to their end", () => {
    let told = 0;
    const reader = new LineReader(() => (told += 1), 5);
    const lines = ["abc", "def", "ghi\nok\n12345\n123456\nx\n"].flatMap((piece) => reader.push(Buffer.from(piece)));
    expect(lines).toEqual(["ok", "12345", "x"]);
    expect(told).toBe(2);
  });
});
