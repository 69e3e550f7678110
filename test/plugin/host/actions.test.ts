import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { err } from "../../../src/base/index.js";
import type { EffectContext } from "../../../src/effect/index.js";
import { type Diagnostic, diagnostic } from "../../../src/schema/index.js";
import { applied, openStage, read, type Stage } from "../stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

/** A plugin whose command `run` and handler of `idle` do the same. */
const source = (code: string): string =>
  `const run = async (input, ctx) => { ${code} };
export default { commands: { run }, handlers: { idle: run } };`;
const hostOf = (code: string, more = {}) => stage.host({ trees: { a: { "main.js": source(code) } }, tools: { a: [] }, ...more });

const errorOf = (result: { readonly ok: boolean; readonly error?: unknown }): Diagnostic => {
  if (result.ok) throw new Error("it succeeded");
  // A failed result of a command or handler holds a diagnostic.
  return result.error as Diagnostic;
};

describe.each(["command", "handler"] as const)("a %s", (kind) => {
  test("returns actions, read field by field", async () => {
    const made = await hostOf(
      `return [{ type: "notify", text: "a\\u001b" }, { type: "set-state", scope: "session", key: "k", value: ctx.config }];`,
      {
        more: { config: (plugin: string) => ({ of: plugin }) },
      },
    );
    expect(await made[kind]("a")).toEqual({
      ok: true,
      value: [
        { type: "notify", text: "a\ufffd" },
        { type: "set-state", scope: "session", key: "k", value: { of: "a" } },
      ],
    });
  });

  test("that returns nothing wants nothing", async () => {
    expect(await (await hostOf(""))[kind]("a")).toEqual({ ok: true, value: [] });
  });

  test.each([
    ["no list", `return "x";`, "plugin.bad-actions", /result must be an array, got "x"/u],
    [
      "an action that is none",
      `return [{ type: "notify", text: "x" }, { type: "fly" }];`,
      "plugin.bad-actions",
      /result\[1\]\.type must be one of/u,
    ],
    ["too many", `return Array.from({ length: 65 }, () => ({ type: "notify", text: "x" }));`, "plugin.bad-actions", /0 to 64 items/u],
    ["too much", `return [{ type: "add-message", text: "x".repeat(300 * 1024) }];`, "plugin.batch-size", /characters/u],
    ["an error", `null.x;`, "plugin.invocation-failed", /TypeError: cannot read property 'x' of null\nat run \(main\.js:1:/u],
    ["a promise that never settles", `await new Promise(() => {});`, "plugin.invocation-stalled", /never happen/u],
    ["a cycle", `const a = []; a.push(a); return a;`, "plugin.invocation-failed", /not JSON/u],
    ["a hog", `const a = []; for (;;) a.push(new ArrayBuffer(40 << 20));`, "plugin.invocation-destroyed", /more memory/u],
  ])("that gives %s is a diagnostic that names plugin and place", async (_name, code, diagnostic, words) => {
    const error = errorOf(await (await hostOf(code))[kind]("a"));
    expect([error.code, error.source]).toEqual([diagnostic, { type: "plugin", id: "a" }]);
    expect(error.what).toMatch(words);
    expect(error.what).toMatch(kind === "command" ? /^The command run of a/u : /^The handler of idle of a/u);
  });

  test("that lets a refusal of the host through is told in the host's words, with what to do about that", async () => {
    const refusal = diagnostic({ code: "ui.unavailable", what: "Nobody can be asked.", why: "No frontend.", next: "Decide alone." });
    const gateway = () => ({ outcome: "not-applied", result: err(refusal) }) as const;
    const error = errorOf(await (await hostOf(`await ctx.ui.ask({ text: "Why?" });`, { gateway }))[kind]("a"));
    expect(error).toMatchObject({
      code: "plugin.invocation-refused",
      what: `The ${kind === "command" ? "command run" : "handler of idle"} of a was refused something. Nobody can be asked.`,
      why: "No frontend. Nothing of what it wanted was carried out; operations it had made by then are on record.",
      next: "Decide alone.",
    });
  });

  test("that loops is stopped by its own slice", async () => {
    const made = await hostOf("for (;;);");
    const started = performance.now();
    const error = errorOf(await made[kind]("a", undefined, { timeoutMs: 20_000 }));
    expect(error.what).toContain(`ran for ${kind === "command" ? "1,000" : "250"} ms without yielding`);
    expect(performance.now() - started).toBeLessThan(kind === "command" ? 3_000 : 2_000);
  });

  test("that takes too long is stopped, says what it did, and what it returns later is not carried out", async () => {
    const made = await hostOf(
      `await ctx.fs.write({ path: "x", content: "" }); await ctx.clock.sleep(1e6).catch(() => 0); return [{ type: "notify", text: "late" }];`,
      {
        gateway: (operation: string, _input: unknown, { signal }: EffectContext) =>
          operation === "fs.write"
            ? applied({})
            : new Promise((resolve) => signal.addEventListener("abort", () => resolve(read({ now: 0 })), { once: true })),
      },
    );
    const error = errorOf(await made[kind]("a", undefined, { timeoutMs: 300 }));
    expect(error.code).toBe("plugin.invocation-timeout");
    expect(error.what).toMatch(/after 0\.3 s[\s\S]*fs\.write \(effect 00000001\): applied/u);
  });

  test("is recorded before its first operation, once, and not at all without one", async () => {
    const order: string[] = [];
    const record = (): Promise<void> => {
      order.push("record");
      return Promise.resolve();
    };
    const gateway = (operation: string) => {
      order.push(operation);
      return read({ lines: [] });
    };
    const busy = await hostOf(`await Promise.all([ctx.fs.read({ path: "x" }), ctx.fs.read({ path: "y" })]); await ctx.vcs.status({});`, {
      gateway,
    });
    await busy[kind]("a", undefined, { record });
    expect(order).toEqual(["record", "fs.read", "fs.read", "vcs.status"]);
    order.length = 0;
    await (await hostOf(`ctx.fs.read({ path: 1 }).catch(() => 0); return [];`, { gateway }))[kind]("a", undefined, { record });
    expect(order).toEqual([]);
  });

  test("starts no effect when it cannot be recorded", async () => {
    const made = await hostOf(`await ctx.fs.write({ path: "x", content: "" }).catch(() => 0); return [];`);
    await expect(made[kind]("a", undefined, { record: () => Promise.reject(new Error("disk full")) })).rejects.toThrow("disk full");
    expect(made.effects).toEqual([]);
  });

  test("asks in the host's own words: invocation, plugin, grants, folder of its data", async () => {
    const made = await hostOf(`await ctx.state.put("seen", 1); return [];`, {
      gateway: () => read({ stored: true }),
      manifests: { a: { states: [{ key: "seen", plugin: "a", scope: "project", version: 1, maxBytes: 100, fork: "copy" }] } },
      more: { dataDir: (plugin: string) => `/data/${plugin}` },
    });
    expect(await made[kind]("a")).toMatchObject({ ok: true });
    expect(made.effects).toMatchObject([
      {
        operation: "state.put",
        input: { key: "seen", value: 1, scope: "project" },
        context: {
          plugin: "a",
          generation: 1,
          cause: "invocation",
          cwd: "/project",
          dataDir: "/data/a",
          resources: [],
          grants: { fsWrite: ["workspace"] },
        },
      },
    ]);
  });

  test("cannot touch state it did not declare", async () => {
    const made = await hostOf(
      `try { await ctx.state.get("sen"); } catch (error) { return [{ type: "notify", text: error.code + " " + error.next }]; }`,
      {
        manifests: { a: { states: [{ key: "seen", plugin: "a", scope: "user", version: 1, maxBytes: 100, fork: "copy" }] } },
      },
    );
    expect(await made[kind]("a")).toMatchObject({
      value: [{ text: expect.stringMatching(/^plugin\.unknown-state Use one of seen \(did you mean seen\?\)/u) as string }],
    });
    expect(made.effects).toEqual([]);
  });

  test("that was aborted before does not start, and one that is aborted ends within 250 ms", async () => {
    const made = await hostOf(`await ctx.fs.read({ path: "x" }); for (;;);`, { gateway: () => read({}) });
    expect(errorOf(await made[kind]("a", undefined, { signal: AbortSignal.abort() })).code).toBe("plugin.invocation-aborted");
    expect(made.effects).toEqual([]);
    const stop = new AbortController();
    let aborted = 0;
    const looping = await hostOf(`await ctx.fs.read({ path: "x" }); await ctx.fs.read({ path: "y" });`, {
      gateway: () => {
        aborted = performance.now();
        stop.abort();
        return new Promise(() => undefined);
      },
    });
    expect(errorOf(await looping[kind]("a", undefined, { signal: stop.signal })).code).toBe("plugin.invocation-aborted");
    expect(performance.now() - aborted).toBeLessThan(1_000);
  });

  test("of a plugin that is not in use is refused", async () => {
    expect(errorOf(await (await hostOf(""))[kind]("gone")).code).toBe("plugin.not-in-generation");
  });
});

describe("grants of one call", () => {
  test.each([
    ["a tool that changes things", { readOnly: false }, ["workspace"]],
    ["a read-only tool", { readOnly: true }, []],
  ])("%s", async (_name, tool, fsWrite) => {
    const code = `export default { tools: { run: async (args, ctx) => { await ctx.fs.read({ path: "x" }); return { text: "", isError: false }; } } };`;
    const made = await stage.host({ trees: { a: { "main.js": code } } });
    const definition = made.lease.generation.tools[0];
    if (definition === undefined) throw new Error("no tool");
    await made.run("a", {}, { tool: { ...definition, ...tool } });
    expect(made.effects[0]?.context.grants).toMatchObject({ fsRead: ["workspace"], fsWrite });
  });

  test("are what the user's policy leaves of them", async () => {
    const code = `export default { tools: { run: async (args, ctx) => { await ctx.fs.read({ path: "x" }); return { text: "", isError: false }; } } };`;
    const made = await stage.host({ trees: { a: { "main.js": code } }, more: { denied: () => ["fs"] } });
    await made.run("a");
    expect(made.effects[0]?.context.grants).toMatchObject({ fsRead: [], fsWrite: [] });
  });

  test("come with the folders of what the plugin collects", async () => {
    const code = `export default { tools: { run: async (args, ctx) => { await ctx.fs.read({ path: "x" }); return { text: "", isError: false }; } } };`;
    const { plugins } = await stage.input({
      trees: { a: { "main.js": code } },
      manifests: {
        a: {
          resources: [
            { kind: "skill", plugin: "a", format: "front-matter", sources: [], maxBytes: 1, cut: false, named: "folder" },
            { kind: "note", plugin: "a", format: "text", sources: [], maxBytes: 1, cut: false, named: "file" },
          ],
        },
      },
    });
    const resource = (plugin: string, kind: string, path: string) => ({
      kind,
      plugin,
      name: path,
      description: "",
      from: "user" as const,
      path,
      text: "",
      attributes: {},
    });
    const resources = [
      resource("a", "skill", "/s/one/SKILL.md"),
      resource("a", "note", "/n/two.md"),
      resource("b", "skill", "/s/three/SKILL.md"),
    ];
    const made = await stage.host({ more: { input: { plugins, resources } } });
    await made.run("a");
    expect(made.effects[0]?.context.resources).toEqual(["/s/one", "/n/two.md"]);
  });
});

describe("a question to a person", () => {
  test("does not use up the time of the call that asks", async () => {
    const code = `export default { tools: { run: async (args, ctx) => ({ text: String(await ctx.ui.ask({ text: "?" })), isError: false }) } };`;
    let answer = (): void => undefined;
    const made = await stage.host({
      trees: { a: { "main.js": code } },
      gateway: () =>
        new Promise((resolve) => {
          answer = () => resolve(read({ text: "yes" }));
          // Longer than the tool has altogether.
          setTimeout(() => answer(), 900);
        }),
    });
    expect(await made.run("a", {}, { timeoutMs: 600 })).toMatchObject({ end: "returned", output: { text: "yes" } });
  });
});
