import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSearch, textOf } from "../../../src/session/grep/lines.js";
import { requiredLiterals } from "../../../src/session/grep/literal.js";
import { preparePattern } from "../../../src/session/grep/pattern.js";
import { Prefilter } from "../../../src/session/grep/prefilter.js";
import { tokensOf } from "../../../src/session/grep/tokens.js";

const literalsOf = (pattern: RegExp): readonly string[] | undefined =>
  requiredLiterals(pattern)?.literals.map((literal) => literal.toString("utf8"));

/** What the search promises: each line judged alone; a line's end is LF, with one CR before it. */
function linesAlone(pattern: RegExp, text: string): readonly number[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const line = new RegExp(pattern.source, pattern.flags.replace(/[gy]/gu, ""));
  return lines.flatMap((ended, index) => (line.test(ended.endsWith("\r") ? ended.slice(0, -1) : ended) ? [index + 1] : []));
}

/** What the search does, a few hits at a time. */
function searched(pattern: RegExp, text: string, hits = 3): readonly number[] {
  const prepared = preparePattern(pattern);
  const raw = Buffer.from(text, "utf8");
  if (prepared.required !== undefined && !new Prefilter(prepared.required).mayMatch(raw)) return [];
  const search = new LineSearch(raw);
  const found: number[] = [];
  const lines = text.split("\n");
  while (!search.isDone) {
    search.run(prepared, { hits, bytes: 10 }, { steps: undefined });
    for (const hit of search.take()) {
      found.push(hit.line);
      expect(textOf(raw, hit.start, hit.end)).toBe(lines[hit.line - 1]?.replace(/\r$/u, ""));
    }
  }
  return found;
}

describe("what every match must hold", () => {
  test.each([
    [/needle/, ["needle"]],
    [/ne+dle/, ["dle"]],
    [/foo\d+barbar/, ["barbar"]],
    [/a\.b\/c/, ["a.b/c"]],
    [/[abc]xyz?q/, ["xy"]],
    [/é水/u, ["é水"]],
    [/x{2}ab/, ["ab"]],
    [/ab\u0041cd\x41/, ["ab"]],
    [/^ab$/m, ["ab"]],
    [/foo|barbar/, ["foo", "barbar"]],
    [/(foo)?bar/, ["bar"]],
    [/(?:a|b)cde(?=x)/, ["cde"]],
    [/(?<!no)match/, ["match"]],
    [/Needle/i, ["needle"]],
    [/Desk\d/iu, ["de"]],
  ])("of %s is %j", (pattern, literals) => {
    expect(literalsOf(pattern)).toEqual(literals);
  });

  test.each([
    [/foo|b/],
    [/(foo)/],
    [/./],
    [/a?b?/],
    [/é水/i],
    [/ks/iu],
    [new RegExp("[[a-z]foo]", "v")],
    [new RegExp("\ud800ab")],
    [/a|b|c|d|e|f|g|h|i/],
  ])("of %s is not known", (pattern) => {
    expect(literalsOf(pattern)).toBeUndefined();
  });

  test("is found across the windows that case is folded in", () => {
    const filter = new Prefilter({ literals: [Buffer.from("needle")], isFolded: true });
    for (const at of [256 * 1024 - 6, 256 * 1024 - 3, 256 * 1024]) {
      expect(filter.mayMatch(Buffer.from(`${".".repeat(at)}NeeDLE`))).toBe(true);
      expect(filter.mayMatch(Buffer.from(`${".".repeat(at)}Nee.DLE`))).toBe(false);
    }
  });
});

const PATTERNS: readonly RegExp[] = [
  /b/,
  /^/,
  /$/,
  /^$/,
  /^a/,
  /b$/,
  /a.*b/,
  /a.*b/s,
  /a\s*b/,
  /\s+$/,
  /\S+\s\S+/,
  /[^a]b/,
  /[^a]+$/,
  /[\s\S]b/,
  /[\W]a/,
  /\W/,
  /\D{2}/,
  /a\r/,
  /\r$/,
  /(?!a)b/,
  /(?<=a)b/,
  /(?<!a\n)b/,
  /^(?![^]*c)b/,
  /(a|b)\1/,
  /(?<x>a)\k<x>/,
  /\bab\b/,
  /\Bb/,
  /a|b$/,
  /A\sB/i,
  /é./u,
  /\p{L}+é/u,
  /\P{L}b/u,
  /😀/u,
  /[😀é]b/u,
  /^./mu,
  /a\nb/,
  /a\u000ab/,
  /a[\n]b/,
  /\cJ/,
  /[\0-\x7f]b/,
  /(?:)/,
  /(?:a|)+?b/,
  new RegExp("[[a-z]--[b]]", "v"),
];

describe("finding lines in a text", () => {
  test.each(PATTERNS.map((pattern) => [pattern] as const))("%s gives the lines that match it alone", (pattern) => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", " ", "\t", "\n", "\r\n", "\r", "é", "😀", "\u2028", "ab", "aa", "\n\n"), { maxLength: 24 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 4 }), (sample, hits) => {
        expect(searched(pattern, sample, hits)).toEqual(linesAlone(pattern, sample));
      }),
      { numRuns: 300 },
    );
  });

  test("patterns put together from pieces give the lines that match them alone", () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      ".",
      "\\s",
      "\\S",
      "[^a]",
      "[ab]",
      "^",
      "$",
      "\\b",
      "(a|b)",
      "(?:a\\sb)",
      "\\W",
      "é",
      "\\n",
      "[^]",
      "(?=b)",
      "ab",
    );
    const pattern = fc.array(fc.tuple(piece, fc.constantFrom("", "", "*", "+", "?", "{2}", "*?")), { minLength: 1, maxLength: 5 });
    const text = fc.array(fc.constantFrom("a", "b", " ", "\n", "\r\n", "é", "ab", "aab"), { maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, fc.constantFrom("", "i", "s", "m"), text, (pieces, flags, sample) => {
        const source = pieces.map(([of, times]) => (/^(?:\^|\$|\\b|\(\?=b\))$/u.test(of) ? of : of + times)).join("");
        const regex = new RegExp(source, flags);
        expect(searched(regex, sample)).toEqual(linesAlone(regex, sample));
      }),
      { numRuns: 3000 },
    );
  });

  test("a pattern in pieces is the pattern", () => {
    for (const { source } of [...PATTERNS.slice(0, -1), /a{2,3}?b{c}[\]x]\/(?<n>y)\k<n>/, /\u{1F600}\p{Lu}\cA\x41/u])
      expect(
        tokensOf(source)
          .map(({ text }) => text)
          .join(""),
      ).toBe(source);
  });

  test("no line is lost where a long text is decoded in segments, and a long line is one line", () => {
    const short = Array.from({ length: 8_000 }, (_, index) => `line ${index} of é text\r`);
    const long = "x".repeat(700_000);
    const text = [...short, `${long}needle ${long}`, "", "needle again", ...short, "last needle"].join("\n");
    for (const pattern of [/needle/, /n[e]{2}dl\w/, /(?=n)n\w+e /]) expect(searched(pattern, text, 100)).toEqual(linesAlone(pattern, text));
    const every = searched(/^/, text, 100_000);
    expect(every).toEqual(Array.from({ length: 16_004 }, (_, index) => index + 1));
  });
});
