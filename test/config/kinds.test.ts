import { describe, expect, test } from "vitest";
import { boolean, choice, duration, integer, type Kind, list, positiveNumber, text } from "../../src/config/kinds.js";

const count = integer({ min: 1, example: 5 });
const cost = positiveNumber({ unit: "US dollars", example: 1 });
const names = list({ noun: "names", example: ["a"] });
const word = text({ constraint: "a word", example: "x" });
const level = choice(["off", "info"]);

describe("reading text (flags, variables, --config)", () => {
  test.each<[string, Kind<unknown>, string, unknown]>([
    ["integer", count, "5", 5],
    ["integer below the least", count, "0", undefined],
    ["integer, negative", count, "-1", undefined],
    ["integer with a fraction", count, "1.5", undefined],
    ["integer with an exponent", count, "1e3", undefined],
    ["integer in words", count, "five", undefined],
    ["integer, empty", count, "", undefined],
    ["integer beyond what a number holds", count, "9007199254740993", undefined],
    ["number", cost, "2.50", 2.5],
    ["number, zero", cost, "0", undefined],
    ["number with a sign for money", cost, "$2", undefined],
    ["duration without unit is seconds", duration(), "90", 90_000],
    ["duration with units", duration(), "1h2m3s4ms", 3_723_004],
    ["duration with a fraction", duration(), "1.5m", 90_000],
    ["duration, zero", duration(), "0s", undefined],
    ["duration, unknown unit", duration(), "3d", undefined],
    ["duration, trailing text", duration(), "3s!", undefined],
    ["duration beyond a timer", duration(), "600h", undefined],
    ["list", names, "a, b,c", ["a", "b", "c"]],
    ["list, the word none", names, "none", []],
    ["list with an empty item", names, "a,,b", undefined],
    ["boolean true", boolean(), "TRUE", true],
    ["boolean off", boolean(), "off", false],
    ["boolean, another word", boolean(), "maybe", undefined],
    ["boolean, a name of Object", boolean(), "constructor", undefined],
    ["choice", level, "info", "info"],
    ["choice in another case", level, "INFO", undefined],
    ["text", word, " x ", " x "],
    ["text, blank", word, "  ", undefined],
    ["text that may be empty", text({ constraint: "", example: "", allowEmpty: true }), "", ""],
  ])("%s", (_name, kind, source, value) => {
    expect(kind.parseText(source)).toEqual(value);
  });
});

describe("reading KDL arguments", () => {
  test.each<[string, Kind<unknown>, readonly (string | number | boolean | null)[], unknown]>([
    ["integer", count, [5], 5],
    ["integer as a string", count, ["5"], undefined],
    ["integer, none given", count, [], undefined],
    ["integer, two given", count, [1, 2], undefined],
    ["infinity", count, [Infinity], undefined],
    ["number", cost, [0.5], 0.5],
    ["duration as text", duration(), ["10m"], 600_000],
    ["duration as number", duration(), [30], 30_000],
    ["list", names, ["a", "b"], ["a", "b"]],
    ["list of nothing", names, [], []],
    ["list with a number", names, ["a", 1], undefined],
    ["boolean", boolean(), [false], false],
    ["boolean as a word", boolean(), ["true"], undefined],
    ["text", word, ["x"], "x"],
    ["null", word, [null], undefined],
    ["choice", level, ["off"], "off"],
  ])("%s", (_name, kind, values, value) => {
    expect(kind.parseArguments(values)).toEqual(value);
  });
});
