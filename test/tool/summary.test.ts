import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/base/index.js";
import type { ToolDefinition } from "../../src/schema/index.js";
import { summarizeData } from "../../src/tool/index.js";

const tool = (resultSummary: string | undefined): ToolDefinition => ({
  name: "count",
  plugin: "p",
  description: "",
  parameters: {},
  readOnly: true,
  timeoutMs: 1,
  summaryKeys: [],
  ...(resultSummary === undefined ? {} : { resultSummary }),
});

describe("the words of a definition for its results", () => {
  test.each<[string, string | undefined, JsonValue | undefined, string | undefined]>([
    ["are filled with values of the data", "{{count}} in {{ file }}", { count: 3, file: "a.ts" }, "3 in a.ts"],
    ["are one line", "{{text}}", { text: "a\n b" }, "a b"],
    ["are not used when a value is missing", "{{count}}", { other: 1 }, undefined],
    ["are not used when a value is no word", "{{count}}", { count: [1] }, undefined],
    ["name own members only", "{{toString}}", {}, undefined],
    ["need data", "{{count}}", undefined, undefined],
    ["are none where the definition has none", undefined, { count: 3 }, undefined],
  ])("%s", (_, template, data, expected) => {
    expect(summarizeData(tool(template), data)).toBe(expected);
  });

  test("are bounded", () => {
    expect(summarizeData(tool("{{text}}"), { text: "x".repeat(500) })).toHaveLength(120);
  });
});
