import { describe, expect, test } from "vitest";
import { type GuestModules, readModuleTable } from "../../../src/plugin/engine/index.js";
import { endOf, startGuest } from "../sandbox.js";
import { moduleTable, type ModuleSources } from "../stage.js";

function tableOf(modules: ModuleSources): GuestModules {
  const table = readModuleTable(JSON.stringify(moduleTable(modules)), "main.js");
  if (table === undefined) throw new Error("no table");
  return table;
}
const runIn = async (modules: ModuleSources) => {
  const guest = await startGuest(tableOf(modules));
  return { guest, end: guest.call("run") };
};
const textOf = async (modules: ModuleSources): Promise<unknown> => (await runIn(modules)).end?.value["text"];

describe("a plugin of several modules", () => {
  test("imports its own files, statically and dynamically, and the SDK by either name", async () => {
    const text = await textOf({
      "main.js": `import { definePlugin, result } from "smith-agent/plugin"; import { a } from "./lib/a.js";
export default definePlugin({ tools: { run: async () => result(a() + (await import("./late.js")).late) } });`,
      "lib/a.js": `import { result } from "smith:sdk"; import { b } from "./b.js"; export const a = () => result("a").text + b;`,
      "lib/b.js": `export const b = "b";`,
      "late.js": `export const late = "late";`,
    });
    expect(text).toBe("ablate");
  });

  test("may import in a circle, and each module is evaluated once", async () => {
    const text = await textOf({
      "main.js": `import { odd } from "./odd.js"; import "./even.js"; export default { tools: { run: () => ({ text: String(odd(7)) + globalThis.count }) } };`,
      "odd.js": `import { even } from "./even.js"; globalThis.count = (globalThis.count ?? 0) + 1; export const odd = (n) => (n === 0 ? false : even(n - 1));`,
      "even.js": `import { odd } from "./odd.js"; globalThis.count = (globalThis.count ?? 0) + 1; export const even = (n) => (n === 0 ? true : odd(n - 1));`,
    });
    expect(text).toBe("true2");
  });

  test("names its modules in stack frames as they are named in the package", async () => {
    const { end } = await runIn({
      "main.js": `import { deep } from "./src/lib/deep.js";\n\nexport default { tools: { run: () => deep() } };`,
      "src/lib/deep.js": `export const deep = () => {\n  throw new Error("bad");\n};`,
    });
    expect(end?.value["stack"]).toMatch(/at deep \(src\/lib\/deep\.js:2:13\)\n\s+at run \(main\.js:3:/u);
  });

  test.each([
    ["a file that is not in the table", `"./other.js"`],
    ["a name of the table by itself", `"lib/a.js"`],
    ["a path above", `"../../etc/passwd"`],
    ["an absolute path", `"/lib/a.js"`],
    ["Node", `"node:fs"`],
    ["a package", `"left-pad"`],
    ["the entry's inner name", `"plugin:other"`],
    ["a name every object inherits", `"constructor"`],
    ["__proto__", `"__proto__"`],
    ["a URL", `"data:text/javascript,export default 1"`],
  ])("cannot import %s", async (_name, specifier) => {
    const { guest, end } = await runIn({
      "main.js": `import "./lib/a.js"; export default { tools: { run: async () => { try { await import(${specifier}); return { text: "loaded" }; } catch (error) { return { text: String(error) }; } } } };`,
      "lib/a.js": `export {};`,
    });
    expect(end?.value["text"]).toMatch(
      /cannot import .* from main\.js: a plugin may import smith-agent\/plugin and files of its own package/u,
    );
    expect(guest.engine.fault).toBeUndefined();
  });

  test("has no way past the table by a base of its own making", async () => {
    const text = await textOf({
      "main.js": `import "./lib/a.js"; export default { tools: { run: async () => {
        const tries = [() => (0, eval)('import("./a.js")'), () => new Function('return import("./a.js")')(), () => (async () => {}).constructor('return import("./a.js")')()];
        const ends = []; for (const go of tries) ends.push(await go().then(() => "loaded", () => "no")); return { text: ends.join() };
      } } };`,
      "lib/a.js": `import "./a.js"; export {};`,
    });
    expect(text).toBe("no,no,no");
  });

  test("fails to load with the import that is missing", async () => {
    const guest = await startGuest(tableOf({ "main.js": `import "./lib/a.js"; export default {};`, "lib/a.js": `import "left-pad";` }));
    expect(endOf(guest.posts, 0)).toMatchObject({
      value: { message: expect.stringContaining(`cannot import "left-pad" from lib/a.js`) as string },
    });
  });
});

describe("a table of modules", () => {
  test.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["null", "null"],
    ["without the entry", `{"modules":{"a.js":""},"imports":{}}`],
    ["with a source that is no text", `{"modules":{"main.js":1},"imports":{}}`],
    ["with imports that are no object", `{"modules":{"main.js":""},"imports":[]}`],
    ["with a target that is no text", `{"modules":{"main.js":""},"imports":{"main.js":{"./a.js":1}}}`],
    ["with a module in the place of the SDK", `{"modules":{"main.js":"","smith:sdk":""},"imports":{}}`],
  ])("that is %s is none", (_name, text) => {
    expect(readModuleTable(text, "main.js")).toBeUndefined();
  });

  test("may have modules of any name", async () => {
    const text = `{"modules":{"main.js":"import \\"./constructor\\"; import \\"./__proto__\\"; export default { tools: { run: () => ({ text: \\"ok\\" }) } };","constructor":"export {};","__proto__":"export {};"},"imports":{"main.js":{"./constructor":"constructor","./__proto__":"__proto__"}}}`;
    const table = readModuleTable(text, "main.js");
    if (table === undefined) throw new Error("no table");
    expect((await startGuest(table)).call("run")?.value["text"]).toBe("ok");
  });
});
