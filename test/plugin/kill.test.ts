import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SLICE_MS, TERMINATE_AFTER_MS } from "../../src/plugin/limits.js";
import { toolSource } from "./sandbox.js";
import { openStage, read, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

/** Room for a machine that other suites share; what is stuck for good hangs far beyond it. */
const SLACK_MS = 750;

const LOOPS = [
  ["a loop", "for (;;);"],
  ["a loop after await", "await null; for (;;);"],
  ["a microtask chain", "const f = () => { Promise.resolve().then(f); }; f(); await new Promise(() => {});"],
  ["a loop inside the engine's own code", `const big = "a".repeat(16 << 20); for (;;) big.indexOf("b");`],
] as const;

/** Runs something and counts how often the main loop came round meanwhile. */
async function watched<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly tookMs: number; readonly turns: number }> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  const started = performance.now();
  const value = await work();
  clearInterval(timer);
  return { value, tookMs: performance.now() - started, turns };
}

describe("a guest that does not yield", () => {
  test.each(LOOPS)("%s is gone soon after its slice, and the main loop never waits", async (_name, code) => {
    const { run, host, diagnostics } = await stage.host({ modules: { a: toolSource(code) } });
    host.warm("tools");
    const { value, tookMs, turns } = await watched(() => run("a", {}, { timeoutMs: 20_000 }));
    expect(value).toMatchObject({ end: "destroyed", mutation: "not-applied", output: { isError: true } });
    expect(value.output.text).toMatch(
      /^The plugin of run, a, was stopped: it ran for 1,000 ms without yielding\.\nIt had changed nothing\./u,
    );
    expect(tookMs).toBeLessThan(SLICE_MS + 250 + SLACK_MS);
    // 200 on a quiet machine; a loop that held the main thread would leave none.
    expect(turns).toBeGreaterThan(20);
    expect(diagnostics.map(({ code: found }) => found)).toEqual(["plugin.destroyed"]);
  });

  test.each(LOOPS)("%s ends within 250 ms of an abort", async (_name, code) => {
    const stop = new AbortController();
    let aborted = 0;
    const { run, diagnostics } = await stage.host({
      modules: { a: toolSource(`await ctx.fs.read({ path: "started" }); ${code}`) },
      gateway: () => {
        setImmediate(() => {
          aborted = performance.now();
          stop.abort();
        });
        return read({});
      },
    });
    const settled = await run("a", {}, { signal: stop.signal, timeoutMs: 20_000 });
    expect(settled).toMatchObject({ end: "aborted", mutation: "not-applied" });
    expect(performance.now() - aborted).toBeLessThan(TERMINATE_AFTER_MS + 50 + SLACK_MS);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ["objects", "const a = []; for (;;) a.push({ a: 1 });"],
    ["strings", `const a = []; for (;;) a.push("x".repeat(1 << 20) + a.length);`],
  ])("memory taken as %s ends the guest and says so", async (_name, code) => {
    const { run } = await stage.host({ modules: { a: toolSource(code) } });
    const { output, end } = await run("a", {}, { timeoutMs: 20_000 });
    expect(end).toBe("destroyed");
    expect(output.text).toMatch(/used more memory than a plugin may have|without yielding/u);
  });

  test("a module that loops while it loads fails its call", async () => {
    const { run } = await stage.host({ modules: { a: "for (;;); export default {};" } });
    expect(await run("a", {}, { timeoutMs: 20_000 })).toMatchObject({ end: "destroyed" });
  });

  test("a flood of host calls is refused by credit, a flood of log lines is dropped with a count", async () => {
    const { run, effects, logs } = await stage.host({
      modules: {
        a: toolSource(`for (let i = 0; i < 5000; i++) console.log(i);
          const calls = []; for (let i = 0; i < 2000; i++) calls.push(ctx.fs.read({ path: "x" }).then(() => 1, (error) => error.code));
          const ends = await Promise.all(calls);
          return result(ends.filter((end) => end === 1).length + " " + ends.filter((end) => end === "plugin.call-credit").length);`),
      },
    });
    expect((await run("a")).output.text).toBe("64 1936");
    expect(effects).toHaveLength(64);
    expect(logs.length).toBeLessThanOrEqual(100);
  });
});

describe("others in the same thread", () => {
  const LOOP = toolSource(`for (;;);`);
  const NATIVE_LOOP = toolSource(`const big = "a".repeat(16 << 20); for (;;) big.indexOf("b");`);

  test("a call that waits behind a loop is served afterwards, its own plugin untouched", async () => {
    const { run } = await stage.host({
      modules: { a: LOOP, b: toolSource(`globalThis.n = (globalThis.n ?? 0) + 1; return result(String(globalThis.n));`) },
    });
    expect((await run("b")).output.text).toBe("1");
    const [stuck, served] = await Promise.all([run("a", {}, { timeoutMs: 20_000 }), run("b")]);
    expect([stuck.end, served.output.text]).toEqual(["destroyed", "2"]);
  });

  test("a thread that had to go: untouched calls run again, those with effects say what they did", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { run } = await stage.host({
      modules: {
        a: NATIVE_LOOP,
        b: toolSource(`return result("served");`),
        c: toolSource(`await ctx.fs.write({ path: "x", content: "" }); return result("no");`),
      },
      gateway: async () => {
        release();
        await held;
        return new Promise<never>(() => undefined);
      },
    });
    const touched = run("c", {}, { timeoutMs: 20_000 });
    await held;
    const stuck = run("a", {}, { timeoutMs: 20_000 });
    const untouched = run("b", {}, { timeoutMs: 20_000 });
    expect((await untouched).output.text).toBe("served");
    expect((await stuck).end).toBe("destroyed");
    expect(await touched).toMatchObject({
      end: "destroyed",
      mutation: "unknown",
      output: { text: expect.stringContaining("fs.write (effect 00000001): outcome unknown") as string },
    });
  });

  test("a plugin that was stopped works again at its next call", async () => {
    const { run } = await stage.host({ modules: { a: toolSource(`if (args.loop) for (;;); return result("fine");`) } });
    expect((await run("a", { loop: true }, { timeoutMs: 50 })).end).toBe("timed-out");
    expect((await run("a", { loop: false })).output.text).toBe("fine");
  });

  test("a stuck tool does not hold up a provider", async () => {
    const { run, lease } = await stage.host({
      modules: { a: LOOP, p: `export default { providers: { toy: { plan: () => ({ type: "local", deltas: [] }) } } };` },
      tools: { p: [] },
      providers: { p: ["toy"] },
    });
    const stuck = run("a", {}, { timeoutMs: 20_000 });
    const started = performance.now();
    await lease.provider("toy")?.plan({
      provider: "toy",
      facts: {},
      stream: true,
      model: "m",
      endpoint: { baseUrl: "" },
      system: "",
      messages: [],
      tools: [],
      context: { cwd: "/" },
    });
    expect(performance.now() - started).toBeLessThan(SLICE_MS - 100);
    expect((await stuck).end).toBe("destroyed");
  });

  test.each(["none.image", "plugin-worker.mjs"])("without an image that fits (%s) guests start all the same", async (imageFile) => {
    const { run } = await stage.host({ modules: { a: toolSource("return result('x');") }, imageFile });
    expect((await run("a")).output.text).toBe("x");
  });

  test("a worker that cannot start ends its calls with the reason instead of hanging them", async () => {
    const { run } = await stage.host({ modules: { a: toolSource("return result('x');") }, workerFile: "not-there.mjs" });
    const { end, output } = await run("a", {}, { timeoutMs: 20_000 });
    expect(end).toBe("destroyed");
    expect(output.text).toMatch(/crashed with its thread: .*not-there\.mjs/u);
  });
});

describe("recursion and volume, on a thread with the room the product gives it", () => {
  test.each([
    [
      "60,000 arguments",
      `const many = new Array(60000).fill(1); try { console.log(...many); } catch (error) { return result(error.name); } return result("ok");`,
    ],
    [
      "deep recursion through JSON",
      `let t = "["; t = t.repeat(200000); try { JSON.parse(t); } catch (error) { return result(error.name); } return result("ok");`,
    ],
    ["deep recursion through eval", `try { eval("(".repeat(100000)); } catch (error) { return result(error.name); } return result("ok");`],
    [
      "deep recursion through toString",
      `const a = { toString() { return "" + a; } }; try { String(a); } catch (error) { return result(error.name); } return result("ok");`,
    ],
    [
      "deep recursion through a host operation",
      `const f = () => { ctx.fs.read({ get path() { return f(); } }).catch(() => 0); return "x"; }; try { f(); } catch (error) { return result(error.name); } return result("ok");`,
    ],
    [
      "a regular expression nested 10,000 deep",
      `try { new RegExp("(".repeat(10000) + ")".repeat(10000)); } catch (error) { return result(error.name); } return result("ok");`,
    ],
  ])("%s is an error of the guest's own, and it lives on", async (_name, code) => {
    const { run, diagnostics } = await stage.host({ modules: { a: toolSource(`if (args.again) return result("alive"); ${code}`) } });
    expect((await run("a")).output.text).toMatch(/^(RangeError|SyntaxError|InternalError|ok)$/u);
    expect((await run("a", { again: true })).output.text).toBe("alive");
    expect(diagnostics).toEqual([]);
  });
});
