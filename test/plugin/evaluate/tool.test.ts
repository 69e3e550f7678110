import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { evaluate, type EvaluateArgs } from "../../../plugins/tool-evaluate/index.js";
import { createEvaluator, type Evaluator } from "../../../src/plugin/evaluate/index.js";
import { runTool } from "../../plugins/fake-context.js";
import { openStage, realClock, type Stage } from "../stage.js";

let stage: Stage;
let evaluator: Evaluator;
beforeAll(async () => {
  stage = await openStage();
  evaluator = createEvaluator({ ...stage.files, clock: realClock });
});
afterAll(async () => {
  await evaluator.close();
  await stage.close();
});

/** The tool over the real sandbox, with texts as files of two lines a window. */
const run = async (args: EvaluateArgs, files: Readonly<Record<string, string>> = {}) =>
  await runTool(evaluate, args, {
    evaluate: async (input) => {
      const made = await evaluator.run(input, new AbortController().signal);
      if (!made.ok) throw Object.assign(new Error(made.error.what), { name: "HostError", ...made.error });
      return { value: made.value };
    },
    read: async ({ path, offset = 1, lineCharacters = 2_000 }) => {
      const all = (files[path] ?? "").split("\n");
      const lines = all.slice(offset - 1, offset + 1);
      return {
        type: "text",
        path,
        lines,
        firstLine: offset,
        totalLines: all.length,
        totalBytes: 0,
        cutLines: lines.flatMap(({ length }, index) => (length > lineCharacters ? [{ line: offset + index, length }] : [])),
        truncated: offset + 1 < all.length,
        encoding: "utf-8",
      };
    },
  });

const textOf = async (code: string, files: Readonly<Record<string, string>> = {}): Promise<string> =>
  (await run({ code, files: Object.keys(files) }, files)).text;

describe("code", () => {
  test("gets its input and gives its value", async () => {
    expect(await run({ code: "return input.a + 1", input: '{"a":1}' })).toMatchObject({ text: "2", isError: false, summary: "2" });
    expect(await run({ code: "const input = 1, lines = 2; // own names\nreturn input + lines" })).toMatchObject({ text: "3" });
    expect(await run({ code: "1;" })).toMatchObject({ text: "null", isError: false });
  });

  test("gets files whole, however many windows they take", async () => {
    expect(await textOf("return files['a.txt'].split('\\n').length", { "a.txt": "1\n2\n3\n4\n5" })).toBe("5");
  });

  test("gets data of one long line, and is told what is too long", async () => {
    const data = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n })));
    expect(await textOf("return sum(JSON.parse(files['a.json']).map(({ n }) => n))", { "a.json": data })).toBe("199990000");
    expect(await textOf("return 1", { "a.json": "x".repeat(2 * 1024 * 1024 + 1) })).toContain("line 1 has 2097153 characters, too long");
  });

  test("what it writes to the console comes with the value", async () => {
    expect((await run({ code: "console.log('x', {a: 1}); console.error(2); return 7" })).text).toBe('7\n[console]\nx {"a":1}\n2\n');
  });

  test.each([
    ["new Map([['a', 1], [2, new Set([3])]])", { 2: [3], a: 1 }],
    ["new Map([[[1, 2], 'pair']])", [[[1, 2], "pair"]]],
    ["[new Set(['x', 'x', 'y'])]", [["x", "y"]]],
    ["{ big: 12345678901234567890n, none: NaN, all: -Infinity }", { big: "12345678901234567890", none: "NaN", all: "-Infinity" }],
    ["[/a+/g, new Error('boom'), new Date(0)]", ["/a+/g", "Error: boom", "1970-01-01T00:00:00.000Z"]],
    ["{ then: 1, kept: undefined, f() {} }", { then: 1 }],
  ])("%s comes back as what it holds", async (code, value) => {
    expect(JSON.parse((await run({ code: `return ${code}` })).text)).toEqual(value);
  });

  test("a promise in the value is told instead of shown as an empty object", async () => {
    const { text, isError } = await run({ code: "return [1, 2].map(async (n) => n)" });
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining("await it, several with Promise.all") as string });
  });

  test("what cannot be written to the console does not end the code", async () => {
    expect((await run({ code: "const a = {}; a.a = a; console.log(a, undefined, 1n, new Map([['k', 1]])); return 1" })).text).toMatch(
      /^1\n\[console\]\n\(cannot be shown: .*\) undefined "1" \{"k":1\}\n$/u,
    );
  });

  test("a list of flat objects is a table for people, and JSON for the model", async () => {
    const { details, text, summary } = await run({ code: "return [{a: 1, b: 'x'}, {a: null, c: true}]" });
    expect(details?.view).toEqual({
      type: "table",
      columns: ["a", "b", "c"],
      rows: [
        ["1", "x", ""],
        ["", "", "true"],
      ],
    });
    expect({ value: JSON.parse(text) as unknown, summary }).toEqual({
      value: [
        { a: 1, b: "x" },
        { a: null, c: true },
      ],
      summary: "2 items",
    });
  });

  test("a long value is cut and says how long it was", async () => {
    expect((await run({ code: "return 'x'.repeat(40000)" })).text).toMatch(/\[cut; the value has 40000 characters/u);
  });
});

describe("errors", () => {
  test("name the line of the code", async () => {
    const { text, isError } = await run({ code: "const a = 1;\n\nthrow new Error('price:120 at line 99')" });
    expect(isError).toBe(true);
    expect(text).toContain("price:120 at line 99");
    expect(text).toMatch(/\bcode:3\b/u);
  });

  test.each(["require('fs')", "process.env", "fetch('http://x')", "setTimeout(f, 1)"])(
    "%s: nothing is advised that only plugins have",
    async (code) => {
      const { text, isError } = await run({ code: `return ${code}` });
      expect(isError).toBe(true);
      expect(text).toContain("is not defined");
      expect(text).not.toMatch(/plugin|context\.|import/u);
    },
  );

  test("of the language are told", async () => {
    expect(await run({ code: "return (" })).toMatchObject({ isError: true, text: expect.stringContaining("SyntaxError") as string });
  });

  test("an endless loop ends, and says so", async () => {
    expect(await run({ code: "for (;;);" })).toMatchObject({ isError: true, text: expect.stringMatching(/10,000 ms/u) as string });
  }, 30_000);

  test.each([
    [{ code: " " }, "code is empty"],
    [{ code: "1", input: "{" }, "input is not JSON"],
  ])("%j is refused before anything runs", async (args, text) => {
    expect((await runTool(evaluate, args, {})).text).toContain(text);
  });
});

describe("helpers", () => {
  const CSV = '\ufeffname,note\r\n"Smith, J","said ""hi""\nand left"\r\nB,\r\n';

  test("csv reads quotes, line ends in fields and a byte order mark (RFC 4180)", async () => {
    const value = await run({ code: "return csv(input)", input: JSON.stringify(CSV) });
    expect(JSON.parse(value.text)).toEqual([
      { name: "Smith, J", note: 'said "hi"\nand left' },
      { name: "B", note: "" },
    ]);
  });

  test("toCsv and csv are each other's reverse", async () => {
    const rows = [
      ["a", 'b"c', "d\ne", "f,g", ""],
      ["1", "2", "3", "4", "5"],
    ];
    const { text } = await run({ code: "return csv(toCsv(input), { header: false })", input: JSON.stringify(rows) });
    expect(JSON.parse(text)).toEqual(rows);
  });

  test.each([
    ["csv('a\\tb\\n1\\t2', { separator: '\\t' })", [{ a: "1", b: "2" }]],
    ["jsonl('{\"a\":1}\\n\\n2\\n')", [{ a: 1 }, 2]],
    ["lines('a\\r\\nb\\n')", ["a", "b"]],
    ["sum([1, '2', 3])", 6],
    ["countBy([{k: 'x'}, {k: 'y'}, {k: 'x'}], 'k')", { x: 2, y: 1 }],
    ["countBy(['constructor', 'toString'], (name) => name)", { constructor: 1, toString: 1 }],
    ["groupBy([1, 2, 3], (n) => n % 2 ? 'odd' : 'even')", { odd: [1, 3], even: [2] }],
  ])("%s", async (code, value) => {
    expect(JSON.parse((await run({ code: `return ${code}` })).text)).toEqual(value);
  });

  test("a field that does not end and a line that is no JSON are told by their place", async () => {
    expect((await run({ code: "return csv('a\\n\"b')" })).text).toContain("a quoted field of row 2 does not end");
    expect((await run({ code: "return jsonl('1\\n{')" })).text).toContain("line 2 is not JSON");
  });
});
