import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStage, read, type Stage, type TestHost } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

const PATHS = ["tool", "command", "handler"] as const;
type Path = (typeof PATHS)[number];
const MIB = 1024 * 1024;
const LONG_MS = 20_000;

/** A plugin that does the same by every way in. */
const source = (code: string): string =>
  `const run = async (input, ctx) => { ${code} };
export default { tools: { run }, commands: { run }, handlers: { idle: run } };`;

/** How a call ended, in one word, and what was said. */
async function callBy({ run, command, handler }: TestHost, path: Path): Promise<{ readonly end: string; readonly words: string }> {
  if (path === "tool") {
    const { end, output } = await run("a", {}, { timeoutMs: LONG_MS });
    return { end: output.isError ? end : "returned", words: output.text };
  }
  const result = await (path === "command" ? command("a", "", { timeoutMs: LONG_MS }) : handler("a", undefined, { timeoutMs: LONG_MS }));
  return result.ok ? { end: "returned", words: "" } : { end: result.error.code, words: result.error.what };
}

/** The 99th percentile of how late the main loop came round, ms. */
const latenessOf = (delay: IntervalHistogram): number => delay.percentile(99) / 1e6 - RESOLUTION_MS;
const RESOLUTION_MS = 5;

/** The same while a thread of nobody's is busy for a second: what this machine does to a main loop at this moment. */
async function latenessBesideBusyThread(): Promise<number> {
  const worker = new Worker("for (;;);", { eval: true });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  delay.disable();
  await worker.terminate();
  return latenessOf(delay);
}

const HOSTILE: readonly (readonly [string, string])[] = [
  ["a loop", `for (;;);`],
  ["a loop in a getter of its result", `return { get text() { for (;;); }, isError: false };`],
  ["a loop in toJSON", `return { toJSON() { for (;;); } };`],
  ["a loop in a Proxy", `return new Proxy({}, { ownKeys() { for (;;); }, get() { for (;;); } });`],
  ["a loop in what it throws", `throw { get message() { for (;;); } };`],
  ["a loop in a thenable", `return { then() { for (;;); } };`],
  ["a chain of microtasks", `const f = () => Promise.resolve().then(f); f(); await new Promise(() => {});`],
  ["a backtracking pattern", `/^(a+)+$/.test("a".repeat(50) + "b");`],
  ["a loop inside the engine's own code", `const big = "a".repeat(16 << 20); for (;;) big.indexOf("b");`],
  ["a join of an endless array", `return new Array(1e8) + "";`],
  ["objects without end", `const a = []; for (;;) a.push({ a: 1 });`],
  ["texts without end", `let t = "x"; for (;;) { t += t; globalThis.keep = [globalThis.keep, t + Math.random()]; }`],
  ["buffers without end", `const a = []; for (;;) a.push(new ArrayBuffer(1 << 20));`],
  ["a Map without end", `const m = new Map(); for (let i = 0; ; i++) m.set(i, "x" + i);`],
  ["promises without end", `for (;;) new Promise(() => {});  `],
  ["rejections without end", `for (;;) Promise.reject(new Error("x"));`],
  ["a flood of logs", `for (;;) console.log("x".repeat(2000));`],
  ["a flood of what it says to people", `for (;;) ctx.ui.notify("x".repeat(4000));`],
  ["a flood of operations", `for (;;) ctx.fs.read({ path: "x".repeat(1000) }).catch(() => 0);`],
  ["a result of 100 MB", `return { text: "x".repeat(1e8), isError: false };`],
  [
    "a result of a million keys",
    `const o = {}; for (let i = 0; i < 1e6; i++) o["k" + i] = i; return { text: "", isError: false, details: { data: o } };`,
  ],
  [
    "a result nested without end",
    `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return { text: "", isError: false, details: { data: a } };`,
  ],
  ["recursion without end", `const f = () => f() + 1; return { text: String(f()), isError: false };`],
  ["recursion through JSON", `const a = { toJSON() { return { a }; } }; return a;`],
  ["an import of Node", `await import("node:child_process");`],
  ["a promise that never settles", `await new Promise(() => {});`],
  ["an operation with a cyclic input", `const a = {}; a.a = a; await ctx.fs.read(a);`],
  ["an operation nobody knows", `await ctx.fs.format({});`],
  ["host functions called as constructors", `new ctx.fs.read({ path: "x" });`],
];

describe.each(PATHS)("by a %s:", (path) => {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  test.each(HOSTILE)("%s costs the call and nobody else", async (_name, code) => {
    const made = await stage.host({ trees: { a: { "main.js": source(code) } }, more: { quarantine: "never" } });
    const before = process.memoryUsage.rss();
    delay.enable();
    const { end, words } = await callBy(made, path);
    delay.disable();
    expect(end).not.toBe("returned");
    expect(words.length).toBeGreaterThan(0);
    expect(words.length).toBeLessThan(20_000);
    expect(words).not.toMatch(/smith:prelude|node_modules|quickjs|file:\/\//u);
    expect(process.memoryUsage.rss() - before).toBeLessThan(250 * MIB);
    await made.host.close();
  });

  test("the main loop came round in time through all of it", async () => {
    expect(delay.count).toBeGreaterThan(1_000);
    expect(latenessOf(delay)).toBeLessThan(50 + (await latenessBesideBusyThread()));
  });
});

describe("work after the end", () => {
  test("of a call is refused, whatever kept the context", async () => {
    const code = `let kept;
export default { tools: { run: async (args, ctx) => {
  const first = kept; kept = ctx;
  if (first === undefined) { ctx.fs.read({ path: "x" }).then(() => ctx.fs.write({ path: "late", content: "" })).catch(() => 0); return { text: "first", isError: false }; }
  return { text: await first.fs.write({ path: "later", content: "" }).catch((error) => error.code), isError: false };
} } };`;
    const made = await stage.host({ trees: { a: { "main.js": code } }, gateway: () => read({}) });
    expect((await made.run("a")).output.text).toBe("first");
    expect((await made.run("a")).output.text).toBe("plugin.settled");
    expect(made.effects.map(({ operation }) => operation)).toEqual(["fs.read"]);
  });

  test("of a guest that was destroyed never comes: its answers are dropped", async () => {
    const answers: (() => void)[] = [];
    const code = `export default { tools: { run: async (args, ctx) => {
  if (args.again) return { text: "again", isError: false };
  const p = ctx.fs.read({ path: "x" }).then(() => ctx.fs.write({ path: "late", content: "" }));
  await null; if (args.loop) for (;;); await p; return { text: "no", isError: false };
} } };`;
    const made = await stage.host({
      trees: { a: { "main.js": code } },
      gateway: () => new Promise((resolve) => answers.push(() => resolve(read({})))),
    });
    expect((await made.run("a", { loop: true }, { timeoutMs: LONG_MS })).end).toBe("destroyed");
    for (const answer of answers) answer();
    expect((await made.run("a", { again: true })).output.text).toBe("again");
    expect(made.effects.map(({ operation }) => operation)).toEqual(["fs.read"]);
  });
});

describe("bundled plugins in one thread", () => {
  const STUCK = `export default { tools: { run: () => { const big = "a".repeat(16 << 20); for (;;) big.indexOf("b"); } } };`;

  test("a handler and a command that had done nothing run again; one with an effect ends with its evidence", async () => {
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const made = await stage.host({
      modules: {
        stuck: STUCK,
        idle: `export default { handlers: { idle: () => [{ type: "notify", text: "handled" }] }, commands: { run: () => [{ type: "notify", text: "done" }] } };`,
        busy: `export default { commands: { run: async (args, ctx) => { await ctx.fs.write({ path: "x", content: "" }); return []; } } };`,
      },
      tools: { idle: [], busy: [] },
      gateway: () => {
        begun();
        return new Promise<never>(() => undefined);
      },
    });
    const busy = made.command("busy", "", { timeoutMs: LONG_MS });
    await started;
    const stuck = made.run("stuck", {}, { timeoutMs: LONG_MS });
    const [handled, done] = await Promise.all([
      made.handler("idle", undefined, { timeoutMs: LONG_MS }),
      made.command("idle", "", { timeoutMs: LONG_MS }),
    ]);
    expect([handled, done]).toMatchObject([{ value: [{ text: "handled" }] }, { value: [{ text: "done" }] }]);
    expect((await stuck).end).toBe("destroyed");
    expect(await busy).toMatchObject({
      error: {
        code: "plugin.invocation-destroyed",
        what: expect.stringContaining("fs.write (effect 00000001): outcome unknown") as string,
      },
    });
    expect(made.diagnostics.map(({ code }) => code)).toEqual(["plugin.destroyed"]);
  });
});
