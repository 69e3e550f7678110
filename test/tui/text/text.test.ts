import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  ellipsize,
  isPrintable,
  overlaySpans,
  reveal,
  rowText,
  sanitize,
  sliceSpans,
  span,
  spansWidth,
  StreamSanitizer,
  textWidth,
  wrapSpans,
} from "../../../src/tui/text/index.js";

const hostile = fc.string({
  unit: fc.constantFrom(
    "a",
    "b",
    " ",
    "\n",
    "\t",
    "\r",
    "\x1b",
    "[",
    "]",
    "31m",
    "0;t",
    "52;c;",
    "\x07",
    "\x1b\\",
    "\x9b",
    "\x9d",
    "\x90",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ud83d",
    "\udc4d",
    "👍",
    "漢",
    "e\u0301",
    "\x00",
    "\x7f",
    "P",
    "_",
    "2J",
  ),
  maxLength: 40,
});

describe("sanitize", () => {
  test.each([
    ["plain text", "hello\nworld", "hello\nworld"],
    ["colours", "a\x1b[31mred\x1b[0m", "ared"],
    ["window title", "a\x1b]0;t\x07b", "ab"],
    ["clipboard", "a\x1b]52;c;ZXZpbA==\x07b", "ab"],
    ["clipboard ended by ST", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"],
    ["clear screen", "\x1b[2Jx", "x"],
    ["8-bit CSI", "\x9b31mx", "x"],
    ["8-bit OSC", "\x9d0;t\x9cx", "x"],
    ["an unterminated OSC swallows its line, not the next", "a\x1b]0;t\nb", "a\nb"],
    ["carriage return ends a line", "safe\revil", "safe\nevil"],
    ["CRLF is one line end", "a\r\nb", "a\nb"],
    ["bell and backspace", "a\x07\x08b", "ab"],
    ["bidi override", "a\u202eb", "ab"],
    ["zero-width space and soft hyphen", "a\u200bb\u00adc", "abc"],
    ["joiner of emoji stays", "👩‍👩‍👧", "👩‍👩‍👧"],
    ["lone surrogate", "a\ud83db", "a\ufffdb"],
    ["halves of a character around a sequence do not become one", "\ud83d\x1b[m\udc4d", "\ufffd\ufffd"],
    ["tab to the next stop", "a\tb", "a   b"],
  ])("%s", (_name, input, expected) => {
    expect(sanitize(input)).toBe(expected);
  });

  test("fuzz: what comes out can be printed line by line, and is not changed by a second pass", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = sanitize(text);
        for (const line of clean.split("\n")) expect(isPrintable(line)).toBe(true);
        expect(clean).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        expect(sanitize(clean)).toBe(clean);
      }),
      { numRuns: 3000 },
    );
  });

  test("a text in pieces is sanitized as the whole", () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(40), { maxLength: 6 }), (text, cuts) => {
        // A tab stop depends on what stood before on the line: pieces begin at their own.
        const flat = text.replaceAll("\t", " ");
        const edges = [...new Set([0, ...cuts.map((cut) => Math.min(cut, flat.length)), flat.length])].sort((a, b) => a - b);
        const stream = new StreamSanitizer();
        const pieces = edges.slice(1).map((end, index) => stream.push(flat.slice(edges[index], end)));
        expect(pieces.join("") + stream.end()).toBe(sanitize(flat));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("reveal", () => {
  test("an approval shows every code", () => {
    expect(reveal("echo good; touch pwned #\x1b[60D\x1b[Kecho good")).toBe("echo good; touch pwned #␛[60D␛[Kecho good");
    expect(reveal("a\rb\x07\x9b\u202e")).toBe("a␍b␇<U+009B><U+202E>");
  });

  test("nothing is hidden and nothing acts", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = reveal(text);
        for (const line of shown.split("\n")) expect(isPrintable(line)).toBe(true);
        expect(shown.length).toBeGreaterThanOrEqual(text.replaceAll("\ud83d\udc4d", "x").length);
      }),
    );
  });
});

const styledLine = fc.array(
  fc.record({
    text: fc.string({ unit: fc.constantFrom("a", "bc", " ", "漢", "字", "👍", "👩‍👩‍👧", "e\u0301", "-"), maxLength: 12 }),
    style: fc.constantFrom("text" as const, "strong" as const, "code" as const),
  }),
  { maxLength: 6 },
);

describe("wrap", () => {
  test.each([
    ["at spaces", "the quick brown fox", 9, ["the quick", "brown fox"]],
    ["a word wider than a row is cut", "abcdefghij", 4, ["abcd", "efgh", "ij"]],
    ["ideographs break anywhere", "漢字漢字漢", 4, ["漢字", "漢字", "漢"]],
    ["an empty line is one row", "", 10, [""]],
    ["leading blanks stay", "  a", 10, ["  a"]],
  ])("%s", (_name, text, width, expected) => {
    expect(wrapSpans([span(text)], { width }).map(rowText)).toEqual(expected);
  });

  test("rows keep the width and all but the blanks they broke at", () => {
    fc.assert(
      fc.property(styledLine, fc.integer({ min: 2, max: 30 }), fc.boolean(), (line, width, anywhere) => {
        const rows = wrapSpans(line, { width, anywhere });
        for (const row of rows) expect(spansWidth(row.spans)).toBeLessThanOrEqual(width);
        const squeeze = (text: string): string => text.replaceAll(" ", "");
        expect(squeeze(rows.map(rowText).join(""))).toBe(squeeze(line.map(({ text }) => text).join("")));
      }),
      { numRuns: 1000 },
    );
  });

  test("offsets name the place in the text", () => {
    const [first, second] = wrapSpans([span("one two three")], { width: 8, at: 100 });
    expect([first?.at, second?.at]).toEqual([100, 108]);
  });
});

describe("cells", () => {
  test("a slice has exactly the cells asked for; a halved wide character is a blank", () => {
    fc.assert(
      fc.property(styledLine, fc.nat(20), fc.nat(20), (line, from, length) => {
        const width = spansWidth(line);
        expect(spansWidth(sliceSpans(line, from, from + length))).toBe(Math.max(0, Math.min(width, from + length) - Math.min(width, from)));
      }),
      { numRuns: 1000 },
    );
    expect(rowText({ spans: sliceSpans([span("漢字")], 1, 3) })).toBe("  ");
  });

  test("an overlay covers its cells and moves none", () => {
    expect(rowText({ spans: overlaySpans([span("漢字漢字")], [span("xx")], 3) })).toBe("漢 xx 字");
    expect(rowText({ spans: overlaySpans([span("ab")], [span("x")], 4) })).toBe("ab  x");
  });

  test("an ellipsis takes the last cell", () => {
    expect(ellipsize("漢字漢字", 5)).toBe("漢字…");
    expect(textWidth(ellipsize("漢字漢字", 6))).toBeLessThanOrEqual(6);
    expect(ellipsize("abc", 3)).toBe("abc");
  });
});
