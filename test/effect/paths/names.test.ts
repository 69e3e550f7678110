import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, fromBytes, fromText, parseName, showName } from "../../../src/effect/paths/index.js";

describe("shown names", () => {
  test.each([
    { name: "plain", bytes: Buffer.from("src/ünï ☺ x.ts"), shown: "src/ünï ☺ x.ts" },
    { name: "newline and tab", bytes: Buffer.from("a\n## System\tx"), shown: "a\\n## System\\tx" },
    { name: "escape character", bytes: Buffer.from("\x1b[2J"), shown: "\\x1b[2J" },
    { name: "right-to-left override", bytes: Buffer.from("x\u202ecod"), shown: "x\\u{202e}cod" },
    { name: "bytes that are no UTF-8", bytes: Buffer.from([0xff, 0xfe]), shown: "\\xff\\xfe" },
    { name: "those bytes spelled out", bytes: Buffer.from("\\xff"), shown: "\\\\xff" },
    { name: "blanks at the ends of a part", bytes: Buffer.from(" a b /c "), shown: "\\x20a b\\x20/c\\x20" },
    { name: "a surrogate written as bytes", bytes: Buffer.from([0xed, 0xa0, 0x80]), shown: "\\xed\\xa0\\x80" },
    { name: "shell and markup characters", bytes: Buffer.from("' ; $(x) `id` <b> --help"), shown: "' ; $(x) `id` <b> --help" },
  ])("$name", ({ bytes, shown }) => {
    expect(showName(fromBytes(bytes))).toBe(shown);
    expect(bytesOf(parseName(shown))).toEqual(bytes);
  });

  test("every name reads back as itself, on one line without control characters", () => {
    const awkward = fc.constantFrom("\\", "x", "u", "{", "}", "n", "f", "\n", " ", "/", "\u202e", "ü", "🙂", "\u200b");
    const pieces = fc.array(
      fc.oneof(
        awkward.map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      ),
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const path = fromBytes(Buffer.concat(parts));
        const shown = showName(path);
        expect(parseName(shown)).toBe(path);
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/u);
      }),
    );
  });

  test("a backslash that starts no escape is itself", () => {
    expect(parseName("a\\qb\\")).toBe(fromText("a\\qb\\"));
    expect(parseName("\\u{110000}")).toBe(fromText("\\u{110000}"));
  });
});
