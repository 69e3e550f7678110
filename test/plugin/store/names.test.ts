import { describe, expect, test } from "vitest";
import { isPluginId } from "../../../src/plugin/ids.js";
import { foldName, nameProblem, plainWords } from "../../../src/plugin/store/names.js";

describe("names in a package", () => {
  test.each(["a", "src/main.ts", "a b/c.d", "constructor", "__proto__/x", "…/ä.md", ".hidden", "...a"])("%j can be used", (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  test.each([
    ["", "it is empty"],
    ["/a", "it is absolute"],
    ["a\\b", "backslash or a colon"],
    ["c:a", "backslash or a colon"],
    ["a//b", "empty part"],
    ["a/", "empty part"],
    ["./a", "empty part"],
    ["a/./b", "empty part"],
    ["..", "empty part"],
    ["a/../b", "empty part"],
    ["a /b", "ends in a space or a dot"],
    ["a./b", "ends in a space or a dot"],
    ["...", "ends in a space or a dot"],
    ["a\0b", "invisible"],
    ["a\u200bb", "invisible"],
    ["a\u2028b", "invisible"],
    ["a\ud800b", "invisible"],
    ["a\ufffdb", "not UTF-8"],
    ["x".repeat(201), "part of it is longer"],
    ["x/".repeat(16) + "x", "folders deep"],
    ["x".repeat(513), "longer than 512"],
  ])("%j cannot: %s", (name, reason) => {
    expect(nameProblem(name)).toContain(reason);
  });

  test("are the same where case and composition are", () => {
    expect(foldName("SRC/E\u0301.ts")).toBe(foldName("src/\u00e9.ts"));
  });
});

test.each(["a", "a.", ".a", "a..b", "A.b", "a.B", "a_b.c", "1.a", "a.1", "a/b.c", "a.b\n", `a.${"b".repeat(100)}`])("%j is no id", (id) => {
  expect(isPluginId(id)).toBe(false);
});

test("words of a stranger are one line, shown whole or cut, with nothing hidden", () => {
  expect(plainWords("a\u001b[2J\nb\u202ec")).toBe("a\\u{1b}[2J\\u{a}b\\u{202e}c");
  expect(plainWords("x".repeat(20), 10)).toBe(`${"x".repeat(9)}…`);
});
