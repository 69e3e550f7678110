import { beforeAll, describe, expect, test } from "vitest";
import { loadStripper, type Stripper } from "../../../src/plugin/package/strip.js";
import type { ModuleExtension } from "../../../src/plugin/package/specifier.js";

let stripper: Stripper;

beforeAll(async () => {
  stripper = await loadStripper();
}, 30_000);

const importsOf = (text: string, extension: ModuleExtension = ".ts"): readonly string[] => {
  const stripped = stripper.strip(text, extension);
  if (!stripped.ok) throw new Error(`${stripped.error.words} ${String(stripped.error.line)}:${String(stripped.error.column)}`);
  return stripped.value.imports.map(({ specifier, line, column }) => `${specifier} ${String(line)}:${String(column)}`);
};

const problemOf = (text: string, extension: ModuleExtension = ".ts"): unknown => {
  const stripped = stripper.strip(text, extension);
  return stripped.ok ? undefined : stripped.error;
};

describe("finding imports", () => {
  test.each<[string, string, readonly string[]]>([
    ["a default import", `import a from "./a.js"; a;`, ["./a.js 1:15"]],
    ["single quotes", `import a from './a.js'; a;`, ["./a.js 1:15"]],
    ["a namespace", `import * as a from "./a.js"; a;`, ["./a.js 1:20"]],
    ["default and names", `import a, { b as c } from "./a.js"; a; c;`, ["./a.js 1:27"]],
    ["an import for its effects", `import "./a.js";`, ["./a.js 1:8"]],
    ["a clause over several lines", `import {\n  a,\n  // from "./no.js"\n  b,\n}\n  from\n  "./a.js"; a; b;`, ["./a.js 7:3"]],
    ["no space at all", `import{a}from"./a.js";a;`, ["./a.js 1:14"]],
    ["names called from", `import from from "./a.js"; import { from as b } from "./b.js"; from; b;`, ["./a.js 1:18", "./b.js 1:54"]],
    ["names that are strings", `import { "from x" as a } from "./a.js"; a;`, ["./a.js 1:31"]],
    ["attributes", `import a from "./a.json" with { type: "json" }; a;`, ["./a.json 1:15"]],
    ["export of all", `export * from "./a.js";`, ["./a.js 1:15"]],
    ["export of all as one", `export * as from from "./a.js"; export * as "s t" from "./b.js";`, ["./a.js 1:23", "./b.js 1:56"]],
    ["export of some", `export { a, b as default } from "./a.js";`, ["./a.js 1:33"]],
    ["import() of a string", `await import("./a.js"); import("./b.js", {});`, ["./a.js 1:14", "./b.js 1:32"]],
    ["import() in a template", "const t = `x ${await import('./a.js')} y`; t;", ["./a.js 1:29"]],
    ["several on a line", `import a from "./a.js"; import b from "./b.js"; a; b;`, ["./a.js 1:15", "./b.js 1:39"]],
    ["after types that are removed", `const x: { a: string } = {} as never; import a from "./a.js"; a; x;`, ["./a.js 1:53"]],
    ["lines ended by CR and LF", `import type { T } from "./t.js";\r\nimport a from "./a.js";\r\na as T;\r\n`, ["./a.js 2:15"]],
  ])("%s", (_, text, expected) => {
    expect(importsOf(text)).toEqual(expected);
  });

  test.each<[string, string]>([
    ["line comments", `// import "./a.js"\nexport {};`],
    ["block comments", `/* import a from "./a.js"; export * from "./b.js" */ export {};`],
    ["strings", `export const s = 'import "./a.js"';`],
    ["templates", 'export const s = `import "./a.js"; ${1} export * from "./b.js"`;'],
    ["regular expressions", `export const r = /import "a" from 'b'/;`],
    ["import() of anything but a string", 'export const f = (x: string) => [import(x), import("./a" + x), import(`./a.js`)];'],
    ["import.meta", `export const u = import.meta; const from = "./a.js"; from;`],
    [
      "members called import",
      `a.import("./a.js"); a?.import("./a.js"); class K { import() {} #import() { this.#import("x"); } } ({ import: 1 }); K;`,
    ],
    ["exports that are followed by a string", `const a = 1, from = 2; export { a };\n"from"; from; export { from }\n"./x.js"`],
    ["imports of types", `import type { A } from "lodash"; import type B from "b"; import { type C } from "c"; export type D = A | B | C;`],
    ["imports used as types only", `import { A } from "lodash"; export const a: A = 1;`],
    ["exports of types", `export type { A } from "lodash"; export type * from "b";`],
  ])("none in %s", (_, text) => {
    expect(importsOf(text)).toEqual([]);
  });

  test("JavaScript keeps imports it does not use, and its text is untouched", () => {
    const text = `import a from "./a.js";\nexport const b = 1 < 2;\n`;
    expect(importsOf(text, ".js")).toEqual(["./a.js 1:15"]);
    expect(importsOf(`export {} from "./a.js";`, ".js")).toEqual(["./a.js 1:16"]);
    expect(stripper.strip(text, ".mjs")).toMatchObject({ ok: true, value: { code: text } });
  });
});

describe("removing types", () => {
  test("every line stays where it was", () => {
    const text = [
      `import type { A } from "./a.js";`,
      `interface B {`,
      `  readonly c: A;`,
      `}`,
      `export class D<T extends B> {`,
      `  private x?: T;`,
      `  constructor(readonly y: string) {}`,
      `}`,
      `export const e = <T,>(t: T): t is NonNullable<T> => t !== null;`,
      `throw new Error("line 10");`,
    ].join("\n");
    const stripped = stripper.strip(text, ".ts");
    const lines = stripped.ok ? stripped.value.code.split("\n") : [];
    expect(lines[9]).toBe(`throw new Error("line 10");`);
    expect(lines[4]).toContain("class D");
    expect(lines).toHaveLength(10);
  });

  test("a class field that only has a type stays a field, and parameter properties are set", () => {
    const stripped = stripper.strip(`export class A { b: number; constructor(private c: string) {} }`, ".ts");
    expect(stripped.ok && stripped.value.code).toMatch(/this\.c = c/u);
  });
});

describe("what cannot run", () => {
  test.each<[string, string, ModuleExtension, unknown]>([
    ["a missing value", `const a = 1;\nconst b = ;\n`, ".ts", { type: "syntax", line: 2, column: 11 }],
    ["a missing bracket", `export function f() {\n  return [1;\n}`, ".js", { type: "syntax", line: 2, column: 12 }],
    ["types in JavaScript", `export const a: string = "";`, ".js", { type: "syntax", line: 1, column: 15 }],
    ["an open template", "export const a = `b", ".ts", { type: "syntax", line: 1 }],
    ["JSX", `export const a = <b>text</b>;`, ".ts", { type: "syntax", line: 1 }],
    ["broken JSON", `{\n  "a": 1,\n  "b" 2\n}`, ".json", { type: "syntax", line: 3, column: 7 }],
    [
      "a namespace",
      `export const a = 1;\n  namespace N { export const b = 1; }`,
      ".ts",
      { type: "construct", words: "a namespace", line: 2, column: 3 },
    ],
    ["export =", `const a = 1;\nexport = a;`, ".ts", { type: "construct", words: "`export =`", line: 2, column: 1 }],
    ["import =", `import a = require("b"); a;`, ".ts", { type: "construct", words: "`import … =`", line: 1, column: 1 }],
  ])("%s is told with its place", (_, text, extension, expected) => {
    expect(problemOf(text, extension)).toMatchObject(expected as object);
  });

  test.each<[string, string]>([
    [
      "declared namespaces",
      `declare namespace A { namespace B { const c: 1 } } declare module "x" { export = y; } declare global { var z: 1 }`,
    ],
    [
      "namespace as a name",
      `const namespace = { module: 1 }; type T = { namespace: string; module: { a: 1 } }; export const a: T | undefined = namespace.module as never;`,
    ],
    ["exports with values", `export const a = 1; export let b = a; export type C = { d: 1 };`],
  ])("%s are no loss", (_, text) => {
    expect(problemOf(text)).toBeUndefined();
  });

  test("code that takes the parser exponentially long is given up, and the parser works on", () => {
    expect(problemOf(`export const a = ${"<T>(".repeat(40)}1${")".repeat(40)};`)).toMatchObject({ type: "time" });
    expect(importsOf(`import "./a.js";`)).toEqual(["./a.js 1:8"]);
  });

  test.each<[string, string]>([
    ["imports", `import "./a.js";`],
    ["exports", "export {};"],
    ["lines of imports", `import "./a.js";\n`],
    ["declarations", "declare module 'x'\n"],
    ["declared namespaces", "declare namespace A {}\n"],
    ["words that may begin one", "export import "],
  ])(
    "thousands of %s on end take linear time",
    (_, text) => {
      expect(problemOf(text.repeat(20_000)) ?? {}).not.toMatchObject({ type: "time" });
    },
    20_000,
  );

  test("ten thousand brackets are a syntax problem, not a crash", () => {
    expect(problemOf(`export const a = ${"[".repeat(20_000)}${"]".repeat(20_000)};`)).toMatchObject({ type: "syntax" });
  });
});

test("JSON runs as the value of its text", () => {
  const stripped = stripper.strip(`{ "__proto__": { "a": 1 }, "b": "\u2028" }`, ".json");
  expect(stripped).toEqual({
    ok: true,
    value: { code: `export default JSON.parse(${JSON.stringify(`{ "__proto__": { "a": 1 }, "b": "\u2028" }`)});\n`, imports: [] },
  });
});
