import { describe, expect, test } from "vitest";
import { jsonProblem } from "../../src/base/index.js";

describe("why a text is no JSON", () => {
  test.each([
    ['{"a":1}', undefined],
    ['{\n  "a": 1,\n}', /^line 3, column 1: Expected double-quoted property name$/u],
    ['{"a": 1\n "b": 2}', /^line 2, column 2: Expected ',' or '\}' after property value$/u],
    ['{"a":1}}', /^line 1, column 8: Unexpected non-whitespace character after JSON$/u],
    ["// c\n{}", /^Unexpected token '\/'$|^line 1, column 1: Unexpected token/u],
    ["", /^Unexpected end of JSON input$/u],
    ['{"key": "SECRET-VALUE", x}', /^line 1, column 25: Expected double-quoted property name$/u],
  ])("%j", (text, expected) => {
    const problem = jsonProblem(text);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(expected);
  });

  test("repeats nothing of the text", () => {
    for (const text of ['{"key": SECRET}', '{"key": "SECRET" "SECRET"}', "SECRET", '["SECRET",]'])
      expect(jsonProblem(text)).not.toContain("SECRET");
  });
});
