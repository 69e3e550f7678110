import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPackage, type CheckReport, type CheckStep } from "../../../src/plugin/check/index.js";
import { openStage, realClock, type Stage } from "../stage.js";

let stage: Stage;
let root: string;
let count = 0;
beforeAll(async () => {
  stage = await openStage();
  root = await realpath(await mkdtemp(join(tmpdir(), "smith-check-")));
});
afterAll(async () => {
  await stage.close();
  await rm(root, { recursive: true, force: true });
});

const MANIFEST = `plugin "acme.todo" version="1.0.0" sdk=1 entry="src/main.ts" {
  description "Counts what is left to do"
  grants { fs read="workspace" }
  tool "todo" read-only=#true { description "Counts" }
  command "todo" help="Shows them"
}
`;
const MAIN = `import { definePlugin, result } from "smith-agent/plugin";
import { count } from "./count.js";
export default definePlugin({
  tools: { todo: async (_args: object, ctx) => result(String(await count(ctx))) },
  commands: { todo: async (_args: string, ctx) => [{ type: "notify", text: String(await count(ctx)) }] },
});
`;
const COUNT = `import type { PluginContext } from "smith-agent/plugin";
export async function count(ctx: PluginContext): Promise<number> {
  const file = await ctx.fs.read({ path: "TODO" });
  return file.type === "text" ? file.lines.length : 0;
}
`;
const TEST = `import { test } from "smith-agent/plugin";
import plugin from "../src/main.js";
test("counts lines", async (t) => {
  const ctx = t.context({ "fs.read": (input) => ({ type: "text", path: input.path, lines: ["a", "b"] }) });
  t.equal(await plugin.commands.todo("", ctx), [{ type: "notify", text: "2" }]);
});
test("says when it may not read", async (t) => {
  let code = "";
  try { await plugin.commands.todo("", t.context()); } catch (error) { code = error.code; }
  t.equal(code, "grant.denied");
});
`;
const WHOLE = { "manifest.kdl": MANIFEST, "src/main.ts": MAIN, "src/count.ts": COUNT, "test/todo.test.ts": TEST };

async function check(
  files: { readonly [name: string]: string },
  more: { readonly signal?: AbortSignal; readonly testMs?: number } = {},
): Promise<{ readonly report: CheckReport; readonly steps: readonly CheckStep[] }> {
  count += 1;
  const dir = join(root, `package-${count}`);
  for (const [name, text] of Object.entries({ ...WHOLE, ...files })) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  const steps: CheckStep[] = [];
  const { signal = new AbortController().signal, ...rest } = more;
  const report = await checkPackage(dir, {
    others: [],
    ...stage.files,
    cacheDir: join(root, "cache"),
    clock: realClock,
    signal,
    report: (step) => steps.push(step),
    ...rest,
  });
  return { report, steps };
}

const testsOf = (steps: readonly CheckStep[]) => steps.flatMap((step) => (step.type === "test" ? [step] : []));
const moduleOf = (steps: readonly CheckStep[]) => steps.find((step) => step.type === "module");

describe("a sound package", () => {
  test("is loaded, compared with its manifest and tested, and its grants are said", async () => {
    const { report, steps } = await check({});
    expect(steps).toEqual([
      { type: "manifest", problems: [] },
      { type: "module", problems: [], missing: [] },
      { type: "test", file: "test/todo.test.ts", name: "counts lines", passed: true },
      { type: "test", file: "test/todo.test.ts", name: "says when it may not read", passed: true },
      { type: "grants", grants: [expect.objectContaining({ facility: "fs-read" })] },
    ]);
    expect(report).toEqual({ isSound: true, tests: { passed: 2, failed: 0 } });
  });

  test("gives its tests contexts with options, values and everything that is said to people", async () => {
    const { steps } = await check({
      "manifest.kdl": MANIFEST.replace("grants {", 'state "k" scope="session"\n  grants { ui "notify" "status" "progress" "confirm"; '),
      "test/todo.test.ts": `import { test } from "smith-agent/plugin";
test("context", async (t) => {
  const asked = [];
  const ctx = t.context(
    { "state.get": ({ key }) => ({ value: key }), "ui.confirm": () => ({ yes: true }), "clock.now": () => ({ now: 5 }), "state.put": (input) => (asked.push(input), { stored: true }) },
    { config: { max: 3 }, values: { a: 1 } },
  );
  ctx.ui.notify("x"); ctx.ui.status("k", "x"); ctx.ui.progress("x");
  t.equal([ctx.config, ctx.values, await ctx.state.get("k"), await ctx.ui.confirm({ text: "?" }), await ctx.clock.now()], [{ max: 3 }, { a: 1 }, "k", true, 5]);
  t.equal(await ctx.state.put("k", [1]), undefined);
  t.equal(asked, [{ value: [1], key: "k", scope: "session" }], "whatever the order of keys");
});`,
    });
    expect(testsOf(steps)).toEqual([{ type: "test", file: "test/todo.test.ts", name: "context", passed: true }]);
  });
});

describe("what is wrong with a package", () => {
  test("a manifest that is broken is all there is to say", async () => {
    const { report, steps } = await check({ "manifest.kdl": MANIFEST.replace("tool ", "tol ") });
    expect(steps.map(({ type }) => type)).toEqual(["manifest"]);
    expect(steps[0]).toMatchObject({ problems: [{ source: { type: "file", line: 4 } }] });
    expect(report.isSound).toBe(false);
  });

  test("what is declared and not exported, and the other way round", async () => {
    const main = `export default { tools: { tod: () => ({}) }, commands: { todo: () => [] }, handlers: { idle: () => [] } };`;
    const { report, steps } = await check({
      "src/main.ts": main,
      "test/todo.test.ts": `import { test } from "smith-agent/plugin"; test("x", () => {});`,
    });
    expect(moduleOf(steps)).toMatchObject({
      missing: ["tool todo"],
      problems: [
        { code: "plugin.undeclared-export", next: expect.stringContaining('Rename it to "todo"') as string },
        { code: "plugin.undeclared-export", what: expect.stringContaining('handler "idle"') as string },
      ],
    });
    expect(report).toEqual({ isSound: false, tests: { passed: 1, failed: 0 } });
  });

  test.each([
    ["throws while it loads", `const a: { b: number } | null = null;\n\nexport default { a: a!.b };`, /TypeError[\s\S]*src\/main\.ts:3:/u],
    ["loops while it loads", `for (;;);\nexport default {};`, /1,000 ms without yielding/u],
    ["has no default export", `export const tools = {};`, /export default definePlugin/u],
    ["waits at its top level", `await new Promise(() => {});\nexport default {};`, /waits at its top level/u],
  ])("a module that %s, with the author's own line", async (_name, main, words) => {
    const { report, steps } = await check({ "src/main.ts": main });
    expect(moduleOf(steps)).toMatchObject({ problems: [{ code: "plugin.module-broken", what: expect.stringMatching(words) as string }] });
    expect(report.isSound).toBe(false);
  });

  test.each([
    ["throws", `null.x;`, /^failed\. TypeError: cannot read property 'x' of null\nat .*test\/todo\.test\.ts:3:/u],
    ["finds something else", `t.equal({ a: [1] }, { a: [2] });`, /got \{"a":\[1\]\}, expected \{"a":\[2\]\}/u],
    ["waits for ever", `await new Promise(() => {});`, /can never happen/u],
    ["loops", `for (;;);`, /5,000 ms without yielding|its time was over/u],
    ["leaves a rejection", `Promise.reject(new Error("lost"));`, /without a handler: Error: lost/u],
    ["says what it saw", `console.log("seen", 1); t.ok(false, "not there");`, /not there[\s\S]*seen 1/u],
  ])("a test that %s fails in words, and the next one runs", async (_name, body, words) => {
    const { report, steps } = await check(
      {
        "test/todo.test.ts": `import { test } from "smith-agent/plugin";\ntest("first", async (t) => {\n  ${body}\n});\ntest("second", () => {});`,
      },
      { testMs: 1_500 },
    );
    expect(testsOf(steps)).toMatchObject([
      { name: "first", passed: false, words: expect.stringMatching(words) as string },
      { name: "second", passed: true },
    ]);
    expect(report).toEqual({ isSound: false, tests: { passed: 1, failed: 1 } });
  });

  test("a test module that cannot load, or declares nothing", async () => {
    const { steps } = await check({ "test/todo.test.ts": `throw new Error("no");`, "test/more.test.ts": `export {};` });
    expect(testsOf(steps)).toMatchObject([
      { file: "test/more.test.ts", passed: false, words: expect.stringContaining("declares no test") as string },
      { file: "test/todo.test.ts", passed: false, words: expect.stringMatching(/Error: no[\s\S]*test\/todo\.test\.ts:1/u) as string },
    ]);
  });

  test("an abort ends it, and what was not looked at is not called sound", async () => {
    const stop = new AbortController();
    const running = check({ "src/main.ts": `for (;;);` }, { signal: stop.signal });
    stop.abort();
    expect((await running).report.isSound).toBe(false);
  });
});
