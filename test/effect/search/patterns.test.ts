import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileLinePattern } from "../../../src/effect/search/pattern/index.js";
import { needlesOf, sourceWithinLines } from "../../../src/effect/search/pattern/source.js";
import { nextMatch } from "../../../src/effect/search/grep/matches.js";
import type { GrepInput } from "../../../src/schema/index.js";
import { errorOf, valueOf } from "../support.js";

describe("texts every match holds", () => {
  test.each([
    ["needle", ["needle"]],
    ["foo\\s+(\\w+)\\(", ["foo"]],
    ["colou?r", ["colo"]],
    ["ab+c", ["ab"]],
    ["ab*cd", ["cd"]],
    ["x{0,3}yz", ["yz"]],
    ["a\\.b\\(c", ["a.b(c"]],
    ["foo|ba(r|z)", ["foo", "ba"]],
    ["(foo)?bar", ["bar"]],
    ["[abc]def[x]", ["def"]],
    ["foo|\\d+", undefined],
    ["(foo|bar)", undefined],
    ["\\w+", undefined],
    ["", undefined],
  ])("%s", (source, needles) => {
    expect(needlesOf(source)).toEqual(needles);
  });
});

describe("what other dialects mean and JavaScript does not", () => {
  test.each(["\\Afoo", "foo\\z", "foo\\Z", "a\\hb", "\\Qa.b\\E", "[\\h]x", "\\x{3bb}", "\\pLx", "\\\\\\A"])(
    "%s is refused instead of read as letters",
    (pattern) => {
      expect(errorOf(compileLinePattern({ pattern }))).toMatchObject({ code: "search.bad-pattern" });
      expect(errorOf(compileLinePattern({ pattern })).what).toMatch(/\\[A-Za-z] means nothing in it\.$/u);
    },
  );

  test.each([
    ["\\p{L}+", "λ"],
    ["\\u{3bb}", "λ"],
    ["\\-\\_x", "-_x"],
    ["a\\\\Ab", "a\\Ab"],
    ["\\<div\\>", "<div>"],
    ["(?P<year>\\d{4})", "in 1999"],
    ["\\(?P<x", "P<x"],
    ["\\u03bb\\-", "λ-"],
    ["interface{}", "interface{}"],
  ])("%s finds %s", (pattern, line) => {
    expect(valueOf(compileLinePattern({ pattern })).search(line)).toBeGreaterThanOrEqual(0);
  });
});

describe("the form that stays within lines", () => {
  test.each([
    ["a\\sb", "a[^\\S\\n]b"],
    ['[^"]*', '[^"\\n]*'],
    ["\\Wx\\D", "[^\\w\\n]x[^\\d\\n]"],
    ["[a-z_.-]+\\b", "[a-z_.-]+\\b"],
    ["a(?=b)", undefined],
    ["(?<!a)b", undefined],
    ["[\\s\\S]", undefined],
    ["a\\nb", undefined],
    ["[^]", undefined],
  ])("%s", (source, expected) => {
    expect(sourceWithinLines(source)).toBe(expected);
  });
});

const ATOMS = [
  "a",
  "b",
  "ab",
  ".",
  "\\w",
  "\\s",
  "\\S",
  "\\W",
  "\\d",
  "\\D",
  "[ab]",
  "[^a]",
  "[^\\s]",
  "\\b",
  "^",
  "$",
  "(a|b)",
  "(?:ab)",
  "\\.",
  " ",
  "é",
  "\\x61",
  "(?=b)",
  "x",
];
const QUANTIFIERS = ["", "", "", "*", "+", "?", "{0,2}", "{2}", "*?"];
const source = fc
  .array(fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS)), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map(([atom, quantifier]) => (/^(?:\^|\$|\\b|\(\?=)/u.test(atom) ? atom : atom + quantifier)).join(""));
const pattern = fc.oneof(
  source,
  fc.tuple(source, source).map(([left, right]) => `${left}|${right}`),
);
const text = fc
  .array(fc.constantFrom("a", "b", "ab", " ", "\n", "\r\n", "\r", ".", "1", "é", "x", "\u2028", "\t"), { maxLength: 30 })
  .map((parts) => parts.join(""));

/** Line by line, as the rule is written. */
function matchingLines(input: GrepInput, all: string): readonly string[] {
  const { search } = valueOf(compileLinePattern(input));
  const lines = all.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => line.replace(/\r$/u, "")).filter((line) => search(line) >= 0);
}

function foundLines(input: GrepInput, all: string): readonly string[] {
  const compiled = valueOf(compileLinePattern(input));
  if (compiled.needles?.some((needle) => Buffer.from(all).includes(needle)) === false) return [];
  const found: string[] = [];
  for (let at = 0; at < all.length;) {
    const match = nextMatch(all, at, compiled, () => "none");
    if (match === undefined) break;
    found.push(all.slice(match.start, match.end));
    at = match.next;
  }
  return found;
}

const asked = fc.record({ pattern, literal: fc.boolean(), word: fc.boolean(), ignoreCase: fc.boolean() });

test("whatever speeds a search up, it finds the lines that match one by one", () => {
  fc.assert(
    fc.property(asked, text, (input, all) => {
      expect(foundLines(input, all)).toEqual(matchingLines(input, all));
    }),
    { numRuns: 3000 },
  );
});
