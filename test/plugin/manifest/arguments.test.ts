import { describe, expect, test } from "vitest";
import { compiled, problems, tool } from "./stage.js";

const schemaOf = async (args: string): Promise<unknown> => (await compiled(tool(args))).tools[0]?.parameters;

describe("arguments", () => {
  test.each([
    [`arg "a" type="string"`, { a: { type: "string" } }],
    [`arg "a" type="string" enum="x, y"`, { a: { type: "string", enum: ["x", "y"] } }],
    [`arg "a" type="string" min=1 max=9`, { a: { type: "string", minLength: 1, maxLength: 9 } }],
    [`arg "a" type="number" min=-0.5 max=2`, { a: { type: "number", minimum: -0.5, maximum: 2 } }],
    [`arg "a" type="boolean" help="h"`, { a: { type: "boolean", description: "h" } }],
    [`arg "a" type="integer[]" max-items=3 min=0`, { a: { type: "array", items: { type: "integer", minimum: 0 }, maxItems: 3 } }],
    [
      `arg "a" type="object" { arg "b" type="string" }`,
      { a: { type: "object", properties: { b: { type: "string" } }, additionalProperties: false } },
    ],
    [
      `arg "a" type="object[]" help="h" { arg "b" type="string" required=#true }`,
      {
        a: {
          type: "array",
          description: "h",
          items: { type: "object", properties: { b: { type: "string" } }, required: ["b"], additionalProperties: false },
        },
      },
    ],
  ])("%s is %j", async (line, properties) => {
    expect(await schemaOf(line)).toEqual({ type: "object", properties, additionalProperties: false });
  });
});

describe("names of arguments", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__"])(
    "%s is refused: every object has it",
    async (name) => {
      const [problem] = await problems(tool(`    arg "${name}" type="string"`));
      expect(problem).toMatch(/^5:9 manifest\.bad-value the name of arg is /u);
    },
  );

  test.each(["1st", "a-b", "a b", "ä", "x".repeat(65)])("%s is refused", async (name) => {
    expect((await problems(tool(`    arg "${name}" type="string"`))).map((problem) => problem.slice(0, 22))).toEqual([
      "5:9 manifest.bad-value",
    ]);
  });
});
