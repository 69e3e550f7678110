import { describe, expect, test } from "vitest";
import type { PackageContent } from "../../../src/plugin/package/content.js";
import { buildTable } from "../../../src/plugin/package/table.js";

const contentOf = (files: Readonly<Record<string, string | Uint8Array>>): PackageContent => ({
  root: "/p",
  files: new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content as string)])),
  stamps: [],
  treeHash: "",
});

const importsOf = async (files: Readonly<Record<string, string>>, entry = "src/main.ts"): Promise<unknown> => {
  const table = await buildTable(contentOf(files), entry);
  return table.ok ? table.value.imports : table.error.map(({ code }) => code);
};

const problemsOf = async (files: Readonly<Record<string, string | Uint8Array>>, entry = "src/main.ts"): Promise<readonly unknown[]> => {
  const table = await buildTable(contentOf(files), entry);
  return table.ok ? [] : table.error.map(({ code, source, next }) => ({ code, source, next }));
};

describe("resolving imports", () => {
  test.each<[string, string, string, string]>([
    ["the file itself", "./a.ts", "src/a.ts", "src/a.ts"],
    ["a JavaScript file itself", "./a.js", "src/a.js", "src/a.js"],
    ["the source of a .js name", "./a.js", "src/a.ts", "src/a.ts"],
    ["the source of a .mjs name", "./a.mjs", "src/a.mts", "src/a.mts"],
    ["a name without extension", "./a", "src/a.ts", "src/a.ts"],
    ["a JavaScript name without extension", "./a", "src/a.mjs", "src/a.mjs"],
    ["a name with a dot in it", "./a.config", "src/a.config.ts", "src/a.config.ts"],
    ["a folder", "./a", "src/a/index.ts", "src/a/index.ts"],
    ["a folder with a slash", "./a/", "src/a/index.js", "src/a/index.js"],
    ["the folder above", "..", "index.ts", "index.ts"],
    ["its own folder", ".", "src/index.ts", "src/index.ts"],
    ["a file of another folder", "../lib/a.js", "lib/a.ts", "lib/a.ts"],
    ["a detour", "./x/../.././src/a.js", "src/a.ts", "src/a.ts"],
    ["JSON", "./a.json", "src/a.json", "src/a.json"],
  ])("%s", async (_, specifier, file, expected) => {
    const files = { "src/main.ts": `import a from "${specifier}"; a;`, [file]: file.endsWith(".json") ? "{}" : "export default 1;" };
    expect(await importsOf(files)).toEqual({ "src/main.ts": { [specifier]: expected }, [expected]: {} });
  });

  test("a file that is there comes before the source it might have had", async () => {
    const files = {
      "src/main.ts": `import "./a.js"; import "./b";`,
      "src/a.js": "",
      "src/a.ts": "",
      "src/b.ts": "",
      "src/b.js": "",
      "src/b/index.ts": "",
    };
    expect(await importsOf(files)).toMatchObject({ "src/main.ts": { "./a.js": "src/a.js", "./b": "src/b.ts" } });
  });

  test("the SDK is left to the engine, by both of its names", async () => {
    const files = { "src/main.ts": `import { result } from "smith-agent/plugin"; import { failure } from "smith:sdk"; result; failure;` };
    expect(await importsOf(files)).toEqual({ "src/main.ts": {} });
  });

  test("modules may import each other in a circle, and themselves", async () => {
    const files = { "a.js": `import "./b.js"; import "./a.js";`, "b.js": `import "./a.js";` };
    expect(await importsOf(files, "a.js")).toEqual({ "a.js": { "./b.js": "b.js", "./a.js": "a.js" }, "b.js": { "./a.js": "a.js" } });
  });

  test("files called like properties of every object are files", async () => {
    const files = { "a.js": `import "./__proto__.js"; import "./constructor";`, "__proto__.js": "", "constructor.js": "" };
    expect(await importsOf(files, "a.js")).toEqual({
      "a.js": { "./__proto__.js": "__proto__.js", "./constructor": "constructor.js" },
      "__proto__.js": {},
      "constructor.js": {},
    });
  });
});

test("the table holds what the entry reaches, and nothing else is looked at", async () => {
  const table = await buildTable(
    contentOf({
      "src/main.ts": `import { a } from "./a.js";\nexport const b: number = a;\n`,
      "src/a.ts": "export const a = 1;\n",
      "src/broken.ts": "export const = ;",
      "prompts/a.md": "text",
    }),
    "src/main.ts",
  );
  expect(table).toEqual({
    ok: true,
    value: {
      entry: "src/main.ts",
      modules: { "src/main.ts": `import { a } from "./a.js";\nexport const b = a;\n`, "src/a.ts": "export const a = 1;\n" },
      imports: { "src/main.ts": { "./a.js": "src/a.ts" }, "src/a.ts": {} },
    },
  });
});

describe("imports that cannot be", () => {
  test.each<[string, string, string]>([
    ["packages", "lodash", "package.bare-import"],
    ["scoped packages", "@scope/name/deep.js", "package.bare-import"],
    ["packages called like properties of every object", "constructor", "package.bare-import"],
    ["the rest of smith", "smith-agent", "package.bare-import"],
    ["imports by the package's own map", "#lib", "package.bare-import"],
    ["hidden names that are no path", ".hidden", "package.bare-import"],
    ["modules of Node", "node:fs", "package.node-import"],
    ["modules of Node by their old names", "fs/promises", "package.node-import"],
    ["absolute paths", "/etc/passwd", "package.outside-import"],
    ["URLs of files", "file:///etc/passwd", "package.outside-import"],
    ["URLs", "https://example.com/a.js", "package.outside-import"],
    ["data", "data:text/javascript,1", "package.outside-import"],
    ["drives", "C:/a.js", "package.outside-import"],
    ["ways out of the package", "../../a.js", "package.outside-import"],
    ["the folder around the package", "../..", "package.outside-import"],
    ["ways out and in again", "../../p/src/a.js", "package.outside-import"],
    ["files that are not there", "./zzzzzz.js", "package.missing-import"],
    ["another case of letters", "./Other.js", "package.missing-import"],
    ["texts", "../notes.md", "package.not-a-module"],
    ["declarations", "./types.d.ts", "package.not-a-module"],
    ["tests", "../test/a.js", "package.test-import"],
    ["queries", "./other.ts?raw", "package.missing-import"],
  ])("%s are refused where they stand", async (_, specifier, code) => {
    const files = {
      "src/main.ts": `\n  import "${specifier}";`,
      "src/other.ts": "",
      "src/types.d.ts": "",
      "notes.md": "",
      "test/a.ts": "",
    };
    expect(await problemsOf(files)).toMatchObject([{ code, source: { type: "file", path: "/p/src/main.ts", line: 2, column: 10 } }]);
  });

  test("a file that is nearly meant is named as it would be written", async () => {
    const files = { "src/main.ts": `import "../lib/helper.js";`, "lib/helpers.ts": "" };
    expect(await problemsOf(files)).toMatchObject([{ code: "package.missing-import", next: "Did you mean ../lib/helpers.ts?" }]);
  });

  test("paths written with escapes are refused", async () => {
    expect(await problemsOf({ "src/main.ts": `import "./\\x61.js";` })).toMatchObject([{ code: "package.escaped-specifier" }]);
  });

  test("every problem of every module is told", async () => {
    const files = {
      "src/main.ts": `import "./a.js";\nimport "left-pad";`,
      "src/a.ts": `import "node:fs";\nimport "./b.js";`,
      "src/b.ts": "let = = ;",
    };
    expect(await problemsOf(files)).toMatchObject([
      { code: "package.bare-import", source: { path: "/p/src/main.ts", line: 2, column: 8 } },
      { code: "package.node-import", source: { path: "/p/src/a.ts", line: 1, column: 8 } },
      { code: "package.syntax", source: { path: "/p/src/b.ts", line: 1 } },
    ]);
  });

  test("at most twenty problems are told", async () => {
    expect(await problemsOf({ "a.js": `import "./missing.js";\n`.repeat(50_000) }, "a.js")).toHaveLength(20);
  });

  test("a module that takes too long to parse is told, and none after it is tried", async () => {
    const slow = `export const a = ${"<T>(".repeat(40)}1${")".repeat(40)};`;
    const files = { "src/main.ts": `import "./a.js"; import "./b.js";`, "src/a.ts": slow, "src/b.ts": slow };
    expect(await problemsOf(files)).toMatchObject([{ code: "package.parse-time", source: { path: "/p/src/a.ts" } }]);
  });

  test("import() of what is no plain string is left to run time", async () => {
    expect(await importsOf({ "a.js": "export const f = (x) => import(x);" }, "a.js")).toEqual({ "a.js": {} });
  });
});

describe("modules", () => {
  test("over two mebibytes are refused", async () => {
    const files = { "a.js": `import "./b.js";`, "b.js": " ".repeat(2 * 1024 * 1024 + 1) };
    expect(await problemsOf(files, "a.js")).toMatchObject([{ code: "package.module-size" }]);
  });

  test("that are no UTF-8 are refused", async () => {
    expect(await problemsOf({ "a.js": Buffer.from([0x61, 0xff]) }, "a.js")).toMatchObject([{ code: "package.not-text" }]);
  });

  test("lose their byte order mark", async () => {
    const table = await buildTable(contentOf({ "a.js": "\uFEFFexport {};" }), "a.js");
    expect(table).toMatchObject({ ok: true, value: { modules: { "a.js": "export {};" } } });
  });

  test.each(["src/mian.ts", "notes.md", "data.json", "test/main.ts", "types.d.ts", "../main.ts", "constructor"])(
    "%s is no entry",
    async (entry) => {
      const files = { "src/main.ts": "", "notes.md": "", "data.json": "{}", "test/main.ts": "", "types.d.ts": "" };
      expect(await problemsOf(files, entry)).toMatchObject([{ code: "package.no-entry" }]);
    },
  );

  test("the entry that was nearly meant is named", async () => {
    expect(await problemsOf({ "src/main.ts": "" }, "src/mian.ts")).toMatchObject([{ next: "Did you mean src/main.ts?" }]);
  });

  test("of tests may import those of the plugin and of the tests", async () => {
    const content = contentOf({
      "src/main.ts": "export default 1;",
      "test/a.test.ts": `import { test } from "smith-agent/plugin"; import main from "../src/main.js"; import "./given.js"; test; main;`,
      "test/given.ts": "",
    });
    expect(await buildTable(content, "src/main.ts", ["test/a.test.ts"])).toMatchObject({
      ok: true,
      value: { imports: { "test/a.test.ts": { "../src/main.js": "src/main.ts", "./given.js": "test/given.ts" }, "test/given.ts": {} } },
    });
  });
});
