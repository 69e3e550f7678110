import { describe, expect, test } from "vitest";
import * as sdk from "../../../src/plugin/sdk.js";
import { POST } from "../../../src/plugin/engine/index.js";
import { endOf, startGuest, toolSource } from "../sandbox.js";

const run = async (code: string, options = {}) => {
  const guest = await startGuest(toolSource(code), options);
  return { guest, end: guest.call("run") };
};

describe("modules", () => {
  test("the entry loads with smith:sdk and its default export is used", async () => {
    const { guest, end } = await run(`return result("hello", { summary: "s" });`);
    expect(guest.posts[0]?.kind).toBe(POST.loaded);
    expect(end).toEqual({ type: "returned", value: { text: "hello", isError: false, summary: "s" } });
  });

  test("smith:sdk has every run-time name of the author's SDK, with the same behaviour", async () => {
    const names = Object.keys(sdk).sort();
    const inputs = [`"a b"`, `" a"`, `"\\"x\\""`, `"{\\"a\\":1}"`, `"{"`, `"a\\nb"`];
    const guest = await startGuest(`import * as sdk from "smith:sdk";
export default { tools: { run: () => ({ names: Object.keys(sdk).sort(), outs: [${inputs.join(",")}].map((text) =>
  [sdk.parseJson(text) ?? null, sdk.result(text), sdk.failure(text, { summary: text })]) }) } };`);
    const texts = inputs.map((text) => JSON.parse(text) as string);
    const outs = texts.map((text) => [sdk.parseJson(text) ?? null, sdk.result(text), sdk.failure(text, { summary: text })]);
    expect(guest.call("run")?.value).toEqual({ names, outs });
  });

  test.each(["fs", "node:fs", "/etc/passwd", "../../x.js", "./other.js", "https://example.com/x.js", "plugin:other", "", "a\u0000b"])(
    "import of %j is refused with words that help and no host stack",
    async (name) => {
      const { end } = await run(
        `try { await import(${JSON.stringify(name)}); return "loaded"; } catch (error) { return { text: String(error) + error.stack }; }`,
      );
      expect(end?.value["text"]).toMatch(/cannot import .* smith-agent\/plugin and files of its own package/u);
      expect(end?.value["text"]).not.toMatch(/node_modules|\.ts:|engine\.js|file:/u);
    },
  );

  test("a static import of anything else fails the load", async () => {
    const guest = await startGuest(`import fs from "fs"; export default {};`);
    expect(endOf(guest.posts, 0)).toMatchObject({
      type: "threw",
      value: { message: expect.stringContaining("smith-agent/plugin and files of its own package") as string },
    });
  });

  test("a syntax error names the line of the module", async () => {
    const guest = await startGuest(`export default {\n  tools: { run() { return 1 +; } } };`);
    const end = endOf(guest.posts, 0);
    expect(end?.value["name"]).toBe("SyntaxError");
    expect(end?.value["stack"]).toMatch(/test\/index\.js:2/u);
  });

  test("a module without a default export is told what to write", async () => {
    const guest = await startGuest(`export const tools = {};`);
    expect(endOf(guest.posts, 0)?.value["message"]).toMatch(/export default definePlugin/u);
  });
});

describe("determinism", () => {
  test("the clock stands still for a delivery and shows its time", async () => {
    const { end } = await run(
      `const a = Date.now(); for (let i = 0; i < 3e5; i++); return { a, b: Date.now(), c: new Date().toISOString(), now: ctx.now };`,
      { now: 1_600_000_000_123 },
    );
    expect(end?.value).toEqual({ a: 1_600_000_000_123, b: 1_600_000_000_123, c: "2020-09-13T12:26:40.123Z", now: 1_600_000_000_123 });
  });

  test("random numbers come from the seed", async () => {
    const numbers = async (seed: number) =>
      (await run(`return { n: [Math.random(), Math.random(), Math.random()] };`, { seed })).end?.value["n"];
    expect(await numbers(11)).toEqual(await numbers(11));
    expect(await numbers(11)).not.toEqual(await numbers(12));
  });

  test("the time zone is UTC", async () => {
    const { end } = await run(`return { hours: new Date(0).getHours(), offset: new Date(0).getTimezoneOffset() };`);
    expect(end?.value).toEqual({ hours: 0, offset: 0 });
  });
});

describe("host calls", () => {
  test("a call resolves with its answer and rejects with a HostError", async () => {
    const guest = await startGuest(
      toolSource(`
      const read = await ctx.fs.read({ path: "a" });
      try { await ctx.fs.write({ path: "b", content: "" }); } catch (error) {
        return { text: read.lines[0], host: isHostError(error), code: error.code, next: error.next, message: error.message };
      }`),
    );
    guest.call("run");
    const first = guest.posts.at(-1);
    expect(first).toMatchObject({ kind: POST.call, extra: 1, text: "fs.read", json: `{"path":"a"}` });
    guest.answer(first?.id ?? 0, { lines: ["x"] });
    guest.refuse(guest.posts.at(-1)?.id ?? 0, { code: "grant.denied", what: "no", why: "because", next: "ask" });
    expect(endOf(guest.posts, 1)?.value).toEqual({ text: "x", host: true, code: "grant.denied", next: "ask", message: "no" });
  });

  test("a context is dead once its call has settled", async () => {
    const guest = await startGuest(`let kept;
export default { tools: { keep: (args, ctx) => { kept = ctx; return {}; }, use: async () => { try { await kept.fs.read({ path: "x" }); } catch (error) { return { code: error.code }; } } } };`);
    guest.call("keep");
    expect(guest.call("use")?.value).toEqual({ code: "plugin.settled" });
    expect(guest.posts.filter((post) => post.kind === POST.call)).toEqual([]);
  });

  test("a refused post rejects the call instead of hanging it", async () => {
    const { end } = await run(`try { await ctx.fs.read({ path: "x" }); } catch (error) { return { code: error.code }; }`, {
      accept: (post: { kind: number }) => post.kind !== POST.call,
    });
    expect(end?.value).toEqual({ code: "plugin.call-credit" });
  });

  test.each([
    ["a cycle", "const a = {}; a.a = a; await ctx.fs.read(a)"],
    ["a BigInt", "await ctx.fs.read({ path: 1n })"],
    ["a function", "await ctx.fs.read(() => 1)"],
  ])("an input that is %s is refused", async (_name, code) => {
    const { end } = await run(`try { ${code} } catch (error) { return { code: error.code }; }`);
    expect(end?.value).toEqual({ code: "plugin.call-input" });
  });

  test("an input over the bound is refused before it is copied", async () => {
    const { end } = await run(
      `try { await ctx.fs.write({ path: "x", content: "y".repeat(2 << 20) }) } catch (error) { return { code: error.code }; }`,
    );
    expect(end?.value).toEqual({ code: "plugin.call-size" });
  });
});

describe("what is there and what is not", () => {
  test("nothing of Node or the host is reachable", async () => {
    const names = [
      "process",
      "require",
      "Buffer",
      "fetch",
      "setTimeout",
      "setInterval",
      "crypto",
      "performance",
      "WebAssembly",
      "Worker",
      "SharedArrayBuffer",
      "Atomics",
      "WeakRef",
      "FinalizationRegistry",
      "Intl",
      "navigator",
      "gc",
      "print",
      "std",
      "os",
      "post",
      "dispatch",
    ];
    const { end } = await run(`return { there: ${JSON.stringify(names)}.filter((name) => name in globalThis) };`);
    expect(end?.value).toEqual({ there: [] });
  });

  test("UTF-8 coding equals the platform's", async () => {
    const texts = ["", "abc", "äß€", "😀\u0000z", "\ud800a", "\udc00"];
    const bytes = [
      [0xff],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x98, 0x80],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xef, 0xbb, 0xbf, 0x41],
      [0xe2, 0x28, 0xa1],
      [0xf5, 0x41],
      [0xe0, 0x80, 0x41],
    ];
    const { end } = await run(
      `return { enc: ${JSON.stringify(texts)}.map((t) => [...new TextEncoder().encode(t)]), dec: ${JSON.stringify(bytes)}.map((b) => new TextDecoder().decode(new Uint8Array(b))) };`,
    );
    expect(end?.value).toEqual({
      enc: texts.map((text) => [...new TextEncoder().encode(text)]),
      dec: bytes.map((list) => new TextDecoder().decode(new Uint8Array(list))),
    });
  });

  test("console writes bounded log lines", async () => {
    const { guest } = await run(`console.warn("a", { b: 1 }, 2); console.log("x".repeat(1e6)); return {};`);
    const logs = guest.posts.filter((post) => post.kind === POST.log);
    expect(logs.map((post) => [post.id, post.json.length])).toEqual([
      [2, 11],
      [1, 2048],
    ]);
    expect(logs[0]?.json).toBe(`a {"b":1} 2`);
  });
});

describe("errors", () => {
  test("a thrown error arrives with name, message and plugin frames", async () => {
    const { end } = await run(`throw new RangeError("bad");`);
    expect(end).toMatchObject({ type: "threw", value: { name: "RangeError", message: "bad" } });
    expect(end?.value["stack"]).toMatch(/run \(test\/index\.js:2:/u);
  });

  test("an unhandled rejection is reported in words and hurts nothing", async () => {
    const { guest, end } = await run(
      `Promise.reject(new TypeError("lost")); const p = Promise.reject(1); p.catch(() => 0); return { ok: true };`,
    );
    expect(end?.value).toEqual({ ok: true });
    const reports = guest.posts.filter((post) => post.kind === POST.log).map((post) => JSON.parse(post.json) as { message: string });
    expect(reports.map(({ message }) => message)).toEqual(["lost"]);
    expect(guest.engine.fault).toBeUndefined();
  });
});

describe("death", () => {
  test.each([
    ["a loop", "for (;;);"],
    ["a loop in try and finally", "for (;;) { try { for (;;); } catch {} finally { continue; } }"],
    ["a loop after await", "await null; for (;;);"],
    ["a microtask chain", "const f = () => Promise.resolve().then(f); await f();"],
    ["a backtracking pattern", `/^(a+)+$/.test("a".repeat(40) + "b");`],
    ["a getter that loops in an error", "throw { get message() { for (;;); } };"],
  ])("%s is interrupted at the deadline and the guest is dead", async (_name, code) => {
    const { guest } = await run(code, { sliceMs: 60 });
    expect(guest.engine.fault).toEqual({ type: "interrupted", detail: "interrupted" });
    const count = guest.posts.length;
    expect(guest.call("run")).toBeUndefined();
    expect(guest.posts.length).toBe(count);
  });

  test("a module that loops while it loads is interrupted, though its import only rejects", async () => {
    const guest = await startGuest("for (;;); export default {};", { sliceMs: 60 });
    expect(guest.engine.fault).toEqual({ type: "interrupted", detail: "interrupted" });
  });

  test.each([
    ["objects", "const a = []; for (;;) a.push({ a: 1, b: [1, 2] });"],
    ["strings", `const a = []; for (;;) a.push("x".repeat(1 << 20) + a.length);`],
    ["buffers", "const a = []; for (;;) a.push(new ArrayBuffer(4 << 20));"],
    ["objects inside try", "for (;;) { try { const a = []; for (;;) a.push({}); } catch {} }"],
  ])("memory taken as %s ends at the bound and cannot be caught", async (_name, code) => {
    const { guest } = await run(code, { sliceMs: 8_000 });
    expect(guest.engine.fault?.type).toBe("memory");
  });

  test("endless recursion is an error the guest may catch", async () => {
    const { guest, end } = await run(`const f = () => f() + 1; try { f(); } catch (error) { return { name: error.name }; }`);
    expect(end?.value).toEqual({ name: "RangeError" });
    expect(guest.engine.fault).toBeUndefined();
  });
});
