import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEvaluator, type Evaluator } from "../../../src/plugin/evaluate/index.js";
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

const run = (source: string, more: { readonly input?: never; readonly timeoutMs?: number } = {}, signal = new AbortController().signal) =>
  evaluator.run({ source, ...more }, signal);

const diagnosticOf = async (source: string, more = {}) => {
  const result = await run(source, more);
  return result.ok ? { code: "none", what: JSON.stringify(result.value) } : result.error;
};

describe("a source", () => {
  test("is the body of a function of its input, and may await", async () => {
    const result = await evaluator.run(
      { source: "const double = async (n) => n * 2;\nreturn { sum: await double(input.a) + input.b[0] };", input: { a: 2, b: [3] } },
      new AbortController().signal,
    );
    expect(result).toEqual({ ok: true, value: { sum: 7 } });
  });

  test("that returns nothing gives null", async () => {
    expect(await run("1 + 1")).toEqual({ ok: true, value: null });
  });

  test("leaves nothing behind for the next one", async () => {
    await run("globalThis.left = 1; Array.prototype.map = null;");
    expect(await run("return typeof left + typeof [].map")).toEqual({ ok: true, value: "undefinedfunction" });
  });

  test("finds no operation, no module and nothing of the machine", async () => {
    const source = `const found = [typeof process, typeof fetch, typeof require, typeof setTimeout, typeof context];
      for (const name of ["fs", "smith:host", "./x.js"]) try { await import(name); found.push(name); } catch { found.push("no"); }
      return found.join();`;
    expect(await run(source)).toEqual({ ok: true, value: "undefined,undefined,undefined,undefined,undefined,no,no,no" });
  });

  test("runs beside others", async () => {
    const results = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => evaluator.run({ source: "return input", input: n }, new AbortController().signal)),
    );
    expect(results.map((result) => result.ok && result.value)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("what goes wrong", () => {
  test.each([
    ["an error", "const a = 1;\nnull.x;", "evaluate.failed", /cannot read property 'x' of null[\s\S]*source:2:1/u],
    [
      "an error in a function",
      "const f = () => {\n\n  throw new RangeError('bad');\n};\nf();",
      "evaluate.failed",
      /RangeError: bad\nat f \(source:3:/u,
    ],
    ["a syntax error", "return 1;\nreturn 1 +;", "evaluate.failed", /SyntaxError[\s\S]*source:2:/u],
    ["an end too early", "a(", "evaluate.failed", /SyntaxError[\s\S]*source:1/u],
    ["a function as result", "return () => 1;", "evaluate.failed", /not JSON/u],
    ["a cycle", "const a = {}; a.a = a; return a;", "evaluate.failed", /not JSON/u],
    ["a result that is too deep", "let a = 1; for (let i = 0; i < 100; i++) a = [a]; return a;", "evaluate.result", /32 levels/u],
    ["a promise that never settles", "await new Promise(() => {});", "evaluate.stalled", /never happen/u],
    ["too much memory", "const a = []; for (;;) a.push('x'.repeat(1 << 20) + a.length);", "evaluate.memory", /memory/u],
  ])("%s is said with the source's own lines", async (_name, source, code, words) => {
    const found = await diagnosticOf(source, { timeoutMs: 10_000 });
    expect(found.code).toBe(code);
    expect(found.what).toMatch(words);
    expect(found.what).not.toMatch(/smith:|native|node_modules/u);
  });

  test.each([
    ["a loop", "for (;;);"],
    ["a loop after await", "await null; for (;;);"],
    ["a backtracking pattern", `return /^(a+)+$/.test("a".repeat(40) + "b");`],
    ["a loop inside the engine's own code", `const big = "a".repeat(16 << 20); for (;;) big.indexOf("b");`],
  ])("%s is stopped after its time", async (_name, source) => {
    const started = performance.now();
    expect((await diagnosticOf(source, { timeoutMs: 200 })).code).toBe("evaluate.timeout");
    // 200 ms of its own, 250 to kill it, the rest for a machine that others share.
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await run("return 'alive'")).toEqual({ ok: true, value: "alive" });
  });

  test("an abort ends it", async () => {
    const stop = new AbortController();
    const running = run("for (;;);", { timeoutMs: 10_000 }, stop.signal);
    stop.abort();
    const result = await running;
    expect(result.ok ? "" : result.error.code).toBe("evaluate.aborted");
    expect((await run("return 1", {}, AbortSignal.abort())).ok).toBe(false);
  });

  test("an input over the bound is refused", async () => {
    expect((await diagnosticOf(`return ${JSON.stringify("x".repeat(5 << 20))}`)).code).toBe("evaluate.input-size");
  });
});
