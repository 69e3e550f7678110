import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { err } from "../../src/base/index.js";
import type { EffectReply } from "../../src/effect/index.js";
import { diagnostic } from "../../src/schema/index.js";
import { toolSource } from "./sandbox.js";
import { applied, openStage, read, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

const lost = diagnostic({ code: "effect.lost", what: "It is not known.", why: "The disk is gone.", next: "Look." });

const hostOf = (code: string, more = {}) => stage.host({ modules: { a: toolSource(code) }, ...more });

describe("a call that ends by itself", () => {
  test("returns the tool's result", async () => {
    const { run } = await hostOf(
      `return result("hi " + args.name + " in " + ctx.cwd, { summary: "s", details: { diff: "d", data: { n: [1, null] } } });`,
    );
    expect(await run("a", { name: "you" })).toEqual({
      output: { text: "hi you in /project", isError: false, summary: "s", details: { diff: "d", data: { n: [1, null] } } },
      mutation: "not-applied",
      end: "returned",
    });
  });

  test("asks the gateway in the host's own words: plugin, cause, grants, cwd, generation", async () => {
    const { run, effects } = await hostOf(`const r = await ctx.fs.read({ path: "x", limit: 2 }); return result(r.lines.join());`, {
      gateway: () => read({ lines: ["1", "2"] }),
    });
    expect((await run("a")).output.text).toBe("1,2");
    expect(effects).toHaveLength(1);
    expect(effects[0]).toMatchObject({
      operation: "fs.read",
      input: { path: "x", limit: 2 },
      context: {
        plugin: "a",
        generation: 1,
        cause: "call",
        work: "work",
        cwd: "/project",
        grants: { fsWrite: ["workspace"], process: [] },
      },
    });
  });

  test.each([
    ["applied", ["applied", "not-applied"], "applied"],
    ["not-applied", ["not-applied", "not-applied"], "not-applied"],
    ["unknown", ["applied", "unknown"], "unknown"],
  ] as const)("its mutation is %s for effects that were %j", async (_name, outcomes, expected) => {
    let at = 0;
    const { run } = await hostOf(
      `await ctx.fs.write({ path: "a", content: "" }); await ctx.fs.write({ path: "b", content: "" }); return failure("no");`,
      {
        gateway: () => ({ ...applied({}), outcome: outcomes[at++] ?? "unknown" }),
      },
    );
    expect(await run("a")).toEqual({ output: { text: "no", isError: true }, mutation: expected, end: "returned" });
  });

  test("it names each file its effects changed or may have, once and in order; also where it failed", async () => {
    const replies: readonly EffectReply<never>[] = [
      { ...applied({}), touched: "/project/b" },
      read({}),
      { outcome: "unknown", result: err(lost), touched: "/project/a" },
      { ...applied({}), touched: "/project/b" },
    ];
    let at = 0;
    const { run } = await hostOf(
      `for (const path of ["b", "c", "a", "b"]) await ctx.fs.write({ path, content: "" }).catch(() => undefined); throw new Error("no");`,
      { gateway: () => replies[at++] ?? read({}) },
    );
    expect(await run("a")).toMatchObject({ end: "failed", mutation: "unknown", touched: ["/project/b", "/project/a"] });
  });

  test("progress of an effect reaches the invocation", async () => {
    const seen: string[] = [];
    const { run } = await hostOf(`await ctx.process.run({ command: "x" }); return result("done");`, {
      gateway: (_op: unknown, _input: unknown, context: { onProgress?: (text: string) => void }) => {
        context.onProgress?.("half");
        return applied({});
      },
    });
    await run("a", {}, { onProgress: (text) => seen.push(text) });
    expect(seen).toEqual(["half"]);
  });
});

describe("a call that fails", () => {
  test("a thrown error is an error result with the plugin's frames only", async () => {
    const { run } = await hostOf(`const deep = () => { throw new RangeError("bad " + args.n); }; deep();`);
    const { output, end, mutation } = await run("a", { n: 1 });
    expect({ isError: output.isError, end, mutation }).toEqual({ isError: true, end: "failed", mutation: "not-applied" });
    expect(output.text).toMatch(/^RangeError: bad 1\nat deep \(a\/index\.js:2:\d+\)\nat run \(a\/index\.js:2:\d+\)$/u);
  });

  test("a refused operation that the tool lets through is the tool's result, in the host's words", async () => {
    const refusal = diagnostic({
      code: "grant.denied",
      what: "a may not write /etc/x.",
      why: "Its grant is the workspace.",
      next: "Write inside the workspace.",
    });
    const { run } = await hostOf(`await ctx.fs.write({ path: "/etc/x", content: "" }); return result("written");`, {
      gateway: () => ({ outcome: "not-applied", result: err(refusal) }),
    });
    expect(await run("a")).toEqual({
      output: { text: "a may not write /etc/x.\nIts grant is the workspace.\nWrite inside the workspace.", isError: true },
      mutation: "not-applied",
      end: "failed",
    });
  });

  test.each([
    ["an operation with a wrong field", `ctx.fs.read({ path: 1 })`, /input\.path must be a string, got 1/u],
    [
      "an operation with an extra field",
      `ctx.fs.read({ path: "x", mode: "rw" })`,
      /input\.mode must be absent \(known: path, offset, limit, lineCharacters\)/u,
    ],
    ["an operation with a key __proto__", `ctx.fs.read(JSON.parse('{"path":"x","__proto__":{"a":1}}'))`, /__proto__ must be absent/u],
    ["a missing global", `fetch("http://localhost")`, /fetch is not defined\nUse context\.net\.fetch/u],
  ])("%s is answered with what to correct and causes no effect", async (_name, code, words) => {
    const { run, effects } = await hostOf(`await ${code}; return result("");`);
    const { output, end } = await run("a");
    expect(output.text).toMatch(words);
    expect({ end, count: effects.length }).toEqual({ end: "failed", count: 0 });
  });

  test.each([
    ["nothing", "", /the result is undefined, not JSON/u],
    ["a string", `return "x";`, /result must be an object, got "x"/u],
    ["a result with a number as text", `return result(5);`, /result\.text must be a string, got 5/u],
    ["a result with an unknown field", `return result("x", { extra: 1 });`, /result\.extra must be absent/u],
    [
      "a key __proto__ in its data",
      `return result("x", { details: { data: JSON.parse('{"__proto__":1}') } });`,
      /free of the key __proto__/u,
    ],
    ["a cycle", `const a = {}; a.a = a; return result("x", { details: { data: a } });`, /not JSON/u],
    ["a BigInt", `return result("x", { details: { data: 1n } });`, /not JSON/u],
    ["more than 2 MiB", `return result("x".repeat(3 << 20));`, /more than 2097152; return less/u],
    [
      "data that is too deep",
      `let a = []; for (let i = 0; i < 100; i++) a = [a]; return result("", { details: { data: a } });`,
      /at most 32 levels/u,
    ],
  ])("a tool that returns %s is told so", async (_name, code, words) => {
    const { run } = await hostOf(code);
    const { output, end } = await run("a");
    expect(output.text).toMatch(words);
    expect({ isError: output.isError, end }).toEqual({ isError: true, end: "failed" });
  });

  test("a person is asked 50 times by one call, and then no more", async () => {
    const source = toolSource(
      `let asked = 0; for (;;) { const code = await ctx.ui.confirm({ text: "Sure?" }).then(() => "", (e) => e.code); if (code !== "") return result(asked + " " + code); asked += 1; }`,
    );
    const made = await stage.host({ modules: { p: source }, gateway: () => read({ yes: null }) });
    expect((await made.run("p")).output.text).toBe("50 plugin.question-count");
    expect(made.effects).toHaveLength(50);
  });

  test("a tool that waits for nothing fails at once instead of at its timeout", async () => {
    const { run } = await hostOf(`await new Promise(() => {}); return result("");`);
    expect(await run("a", {}, { timeoutMs: 60_000 })).toMatchObject({
      end: "failed",
      output: { text: expect.stringContaining("can never happen") as string },
    });
  });

  test("a module that cannot load fails its calls with file and line, and later calls again", async () => {
    const { run, diagnostics } = await stage.host({ modules: { a: "export default {\n  tools: { run() { return 1 +; } } };" } });
    const settled = [await run("a"), await run("a")];
    for (const { output, end } of settled) {
      expect(output.text).toMatch(/^The plugin of run, a, could not be loaded: SyntaxError: [\s\S]*a\/index\.js:2/u);
      expect(end).toBe("failed");
    }
    expect(diagnostics.map(({ code }) => code)).toEqual(["plugin.destroyed", "plugin.destroyed"]);
  });

  test("arguments over the bound are refused before anything starts", async () => {
    const { run } = await hostOf(`return result("ran");`);
    expect(await run("a", { content: "x".repeat(5 << 20) })).toMatchObject({
      end: "failed",
      output: { text: expect.stringContaining("Send the work in parts") as string },
    });
  });

  test("a failure of the host itself is not swallowed", async () => {
    const { run } = await hostOf(`try { await ctx.fs.read({ path: "x" }); } catch {} return result("went on");`, {
      gateway: () => Promise.reject(new Error("disk on fire")),
    });
    await expect(run("a")).rejects.toThrow("disk on fire");
  });
});

describe("a call that is stopped", () => {
  /** A process that only ends when its signal says so. */
  const untilAborted = (_op: unknown, _input: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<never>((resolve) => signal.addEventListener("abort", () => resolve(applied({ aborted: true }) as never), { once: true }));

  test("a timeout stops its effects and says how long it had", async () => {
    const { run, effects } = await hostOf(
      `await ctx.process.run({ command: "sleep 9" }); await ctx.fs.write({ path: "after", content: "" }); return result("no");`,
      { gateway: untilAborted },
    );
    const settled = await run("a", {}, { timeoutMs: 1_000 });
    expect(settled).toMatchObject({ end: "timed-out", mutation: "applied" });
    expect(settled.output.text).toMatch(/timed out: it had not finished after 1 s[\s\S]*process\.run \(effect 00000001\): applied/u);
    expect(effects.map(({ operation }) => operation)).toEqual(["process.run"]);
  });

  test("an abort lets the tool say what it has", async () => {
    const stop = new AbortController();
    const { run } = await hostOf(`const r = await ctx.process.run({ command: "x" }); return failure("stopped: " + r.aborted);`, {
      gateway: (...call: Parameters<typeof untilAborted>) => {
        queueMicrotask(() => stop.abort());
        return untilAborted(...call);
      },
    });
    expect(await run("a", {}, { signal: stop.signal })).toEqual({
      output: { text: "stopped: true", isError: true },
      mutation: "applied",
      end: "aborted",
    });
  });

  test("an abort ends within 250 ms even when an effect does not react, and its outcome is unknown", async () => {
    const stop = new AbortController();
    let aborted = 0;
    const { run } = await hostOf(`await ctx.fs.write({ path: "x", content: "" }); return result("no");`, {
      gateway: () => {
        setImmediate(() => {
          aborted = performance.now();
          stop.abort();
        });
        return new Promise<never>(() => undefined);
      },
    });
    const settled = await run("a", {}, { signal: stop.signal });
    expect(performance.now() - aborted).toBeLessThan(400);
    expect(settled).toMatchObject({ end: "aborted", mutation: "unknown" });
    expect(settled.output.text).toMatch(/effect 00000001\): outcome unknown/u);
  });

  test("an aborted signal starts nothing", async () => {
    const { run, effects } = await hostOf(`await ctx.fs.read({ path: "x" }); return result("no");`);
    expect(await run("a", {}, { signal: AbortSignal.abort() })).toMatchObject({ end: "aborted", mutation: "not-applied" });
    expect(effects).toEqual([]);
  });

  test("effects left behind by a returned call are aborted and waited for; none starts after it", async () => {
    let signal: AbortSignal | undefined;
    const { run, effects } = await hostOf(
      `const p = ctx.fs.write({ path: "x", content: "" }); p.then(() => ctx.fs.write({ path: "late", content: "" })).catch(() => 0); return result("early");`,
      {
        gateway: (_op: unknown, _input: unknown, context: { signal: AbortSignal }) => {
          signal = context.signal;
          return untilAborted(_op, _input, context);
        },
      },
    );
    expect(await run("a")).toEqual({ output: { text: "early", isError: false }, mutation: "applied", end: "returned" });
    expect(signal?.aborted).toBe(true);
    expect((await run("a")).end).toBe("returned");
    expect(effects.map(({ input }) => (input as { path: string }).path)).toEqual(["x", "x"]);
  });

  test("closing the host ends calls in flight as destroyed", async () => {
    let start = (): void => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    const { run, host } = await hostOf(`await ctx.fs.write({ path: "x", content: "" }); return result("no");`, {
      gateway: (_op: unknown, _input: unknown, context: { signal: AbortSignal }) => {
        start();
        return untilAborted(_op, _input, context);
      },
    });
    const running = run("a");
    await started;
    await host.close();
    expect(await running).toMatchObject({ end: "destroyed", mutation: "applied" });
    expect(await run("a")).toMatchObject({ end: "destroyed" });
  });
});

describe("calls beside each other", () => {
  test("two calls of one plugin run in parallel and keep apart", async () => {
    const answers: (() => void)[] = [];
    const { run } = await hostOf(`const r = await ctx.fs.read({ path: args.path }); return result(args.path + r.lines[0]);`, {
      gateway: (_op: unknown, input: { path: string }) =>
        new Promise((resolve) => {
          answers.push(() => resolve(read({ lines: [input.path.toUpperCase()] })));
          if (answers.length === 2) for (const answer of answers.reverse()) answer();
        }),
    });
    const settled = await Promise.all([run("a", { path: "x" }), run("a", { path: "y" })]);
    expect(settled.map(({ output }) => output.text)).toEqual(["xX", "yY"]);
  });

  test("globals of one plugin are not another's", async () => {
    const { run } = await stage.host({
      modules: {
        a: toolSource(`globalThis.shared = 1; Array.prototype.map = null; return result("set");`),
        b: toolSource(`return result(String(globalThis.shared) + typeof [].map);`),
      },
    });
    await run("a");
    expect((await run("b")).output.text).toBe("undefinedfunction");
  });

  test("console lines are passed on with their plugin", async () => {
    const { run, logs } = await hostOf(`console.error("x", 1); return result("");`);
    await run("a");
    expect(logs).toEqual([{ plugin: "a", level: "error", text: "x 1", dropped: 0 }]);
  });
});
