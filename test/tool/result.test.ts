import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_RESULT_BYTES } from "../../src/schema/index.js";
import { boundResult, createRegistry, summarizeArguments, summarizeResult } from "../../src/tool/index.js";

describe("boundResult", () => {
  test("a result at the bound is whole", () => {
    const text = "x".repeat(MAX_RESULT_BYTES);
    expect(boundResult({ text, isError: false })).toEqual({ output: { text, isError: false }, omittedBytes: 0 });
  });

  test("a longer result keeps head and tail and tells the original size", () => {
    const { output, omittedBytes } = boundResult({ text: `HEAD${"x".repeat(200_000)}TAIL`, isError: false });
    expect(output.text.startsWith("HEAD") && output.text.endsWith("TAIL")).toBe(true);
    expect(output.text).toContain("200008 bytes");
    expect(omittedBytes).toBeGreaterThan(200_008 - MAX_RESULT_BYTES);
  });

  test("no character is split and the bound holds, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 200, maxLength: 1000 }), fc.integer({ min: 150, max: 400 }), (text, max) => {
        const well = text.toWellFormed();
        const { output } = boundResult({ text: well, isError: false }, max);
        expect(output.text.isWellFormed()).toBe(true);
        if (!well.includes("\ufffd")) expect(output.text).not.toContain("\ufffd");
        expect(Buffer.byteLength(output.text)).toBeLessThanOrEqual(Math.max(max, 150));
      }),
    );
  });
});

describe("summaries", () => {
  test.each([
    [{ command: "npm test", timeout_s: 3 }, "npm test"],
    [{ command: "a\n  b" }, "a b"],
    [{ command: ["a.csv", "b.csv"] }, "a.csv, b.csv"],
    [{ command: [{ many: true, question: "Which one?", options: ["a"] }] }, "Which one?"],
    [{ command: [{ count: 1 }, 2] }, '{"count":1}, 2'],
    [{}, ""],
  ])("arguments %o read as %s", (args, text) => {
    const tool = { name: "shell", plugin: "t", description: "", parameters: {}, readOnly: false, timeoutMs: 1, summaryKeys: ["command"] };
    expect(summarizeArguments(tool, args)).toBe(text);
  });

  test("where a definition names none, lists and objects are not shown", () => {
    expect(summarizeArguments(undefined, { items: [{ text: "a" }], at: { x: 1 }, path: "a.ts", offset: 3, limit: 4 })).toBe("a.ts 3");
    expect(summarizeArguments(undefined, { items: [{ text: "a" }] })).toBe("");
  });

  test("a result without words of its own is counted", () => {
    expect(summarizeResult("a\nb", false)).toBe("2 lines");
    expect(summarizeResult("no such file\nmore", true)).toBe("no such file");
  });
});

describe("registry", () => {
  const tools = ["read", "write"].map((name) => ({
    name,
    plugin: "t",
    description: "",
    parameters: {},
    readOnly: true,
    timeoutMs: 1,
    summaryKeys: [],
  }));

  test.each([
    [undefined, ["read", "write"]],
    [["write"], ["write"]],
    [[], []],
  ])("only %o keeps %o", (only, names) => {
    expect(createRegistry(tools, only).active.map((tool) => tool.name)).toEqual(names);
  });
});
