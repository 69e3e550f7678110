import { expect, test } from "vitest";
import { createOptionTable } from "../../src/config/option-table.js";
import { closest } from "../../src/base/index.js";
import { editDistance } from "../../src/base/closest.js";

test.each([
  ["", "", 0],
  ["model", "model", 0],
  ["modle", "model", 1],
  ["model", "mode", 1],
  ["abc", "", 3],
  ["kitten", "sitting", 3],
])("distance of %j and %j is %i", (left, right, distance) => {
  expect(editDistance(left, right)).toBe(distance);
  expect(editDistance(right, left)).toBe(distance);
});

test.each([
  ["evl", ["eval", "sessions"], "eval"],
  ["--modle", ["--mode", "--model"], "--model"],
  ["MODEL", ["model"], "model"],
  ["banana", ["eval", "sessions"], undefined],
  ["x", ["eval"], undefined],
  ["e".repeat(65), ["eval"], undefined],
])("%s is taken for the nearest of %j", (word, names, found) => {
  expect(closest(word, names)).toBe(found);
});

test.each([
  ["modle", "model"],
  ["max-turns", "limits.max-turns"],
  ["limit.max-turns", "limits.max-turns"],
  ["limits.max-truns", "limits.max-turns"],
  ["printonexit", "ui.print-on-exit"],
  ["colour", undefined],
])("key %s suggests %s", (key, found) => {
  expect(createOptionTable().suggest(key)).toBe(found);
});
