import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/effect/secrets/index.js";

const through = (values: readonly string[], pieces: readonly string[]): string => {
  const redactor = createRedactor(values);
  return [...pieces.map((piece) => redactor.push(piece)), redactor.end()].join("");
};

describe("taking secrets out of a stream", () => {
  test.each<readonly [string, readonly string[], readonly string[], string]>([
    ["in one piece", ["secret"], ["a secret b"], "a [redacted] b"],
    ["in two pieces", ["secret"], ["a sec", "ret b"], "a [redacted] b"],
    ["letter by letter", ["secret"], [..."a secret b"], "a [redacted] b"],
    ["twice in a row", ["abcd"], ["abcdab", "cd"], "[redacted][redacted]"],
    ["a start that is none after all", ["secret"], ["sec", "ond"], "second"],
    ["a start at the end", ["secret"], ["a sec"], "a sec"],
    ["one that begins another", ["abcd", "abcdefgh"], ["xabcd", "efghy"], "x[redacted]y"],
    ["one that begins another and ends there", ["abcd", "abcdefgh"], ["xabcd", "efg"], "x[redacted]efg"],
    ["one in another", ["bcde", "abcdef"], ["abcdef bcde"], "[redacted] [redacted]"],
    ["characters of patterns", ["a.c*(d"], ["abcd a.c*(d"], "abcd [redacted]"],
    ["a value too short to be one", ["abc"], ["abc"], "abc"],
    ["nothing to take out", [], ["a", "b"], "ab"],
  ])("%s", (_name, values, pieces, expected) => {
    expect(through(values, pieces)).toBe(expected);
  });

  test("however it is cut, no value comes through, and texts without one are unchanged", () => {
    const letter = fc.constantFrom("a", "b", "c");
    const word = fc.array(letter, { minLength: 4, maxLength: 7 }).map((letters) => letters.join(""));
    const property = fc.property(
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.array(
        fc.array(letter, { maxLength: 12 }).map((letters) => letters.join("")),
        { maxLength: 8 },
      ),
      (values, pieces) => {
        const shown = through(values, pieces);
        for (const part of shown.split("[redacted]")) for (const value of values) expect(part).not.toContain(value);
        const whole = pieces.join("");
        if (!values.some((value) => whole.includes(value))) expect(shown).toBe(whole);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});
