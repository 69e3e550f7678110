import { describe, expect, test } from "vitest";
import { createPage, createTail, type Excerpt } from "../../src/mcp/resources/excerpt.js";

const filled = (excerpt: Excerpt, pieces: readonly string[]): readonly unknown[] => {
  for (const piece of pieces) if (!excerpt.push(piece)) break;
  return [excerpt.text, excerpt.from, excerpt.next];
};

describe("a tail", () => {
  test.each([
    ["nothing", [], ["", 0, undefined]],
    ["what has room", ["aa", "bb"], ["aabb", 0, undefined]],
    ["the newest whole pieces within its bytes", ["aa", "bb", "üü", "c"], ["üüc", 2, undefined]],
    ["the newest even when it has no room", ["a", "1234567"], ["1234567", 1, undefined]],
    ["what comes behind one that had none", ["1234567", "b"], ["b", 1, undefined]],
  ])("has %s", (_name, pieces, expected) => {
    expect(filled(createTail(6), pieces)).toEqual(expected);
  });

  test("of many pieces is found in a time that grows with them", () => {
    const tail = createTail(100_000);
    for (let n = 0; n < 300_000; n += 1) tail.push(`${String(n).padStart(9, "0")}\n`);
    expect([tail.text.length, tail.from, tail.text.slice(0, 9)]).toEqual([100_000, 290_000, "000290000"]);
  });
});

describe("a page", () => {
  test.each([
    [0, ["aaa", "bbb", "c"], ["aaabbb", 0, 2]],
    [0, ["aaa", "bbb"], ["aaabbb", 0, undefined]],
    [1, ["aaa", "bbb", "c", "üü"], ["bbbc", 1, 3]],
    [2, ["a", "b"], ["", 2, undefined]],
    [1, ["a", "1234567", "b"], ["1234567", 1, 2]],
  ])("from %i on of %j", (from, pieces, expected) => {
    expect(filled(createPage(from, 6), pieces)).toEqual(expected);
  });
});
