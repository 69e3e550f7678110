import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DELIVERY, POST } from "../../src/plugin/engine/index.js";
import { startGuest, type TestGuest } from "./sandbox.js";

/** Anything that would only exist on the host's side of the wall. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[^\w/-]/gu, "\\$&");
const HOST_TRACES = new RegExp(`node_modules|quickjs-wasi|engine\\.ts|file://|${ROOT}|node:internal|JSException`);

/** The ways into a plugin that get a context. */
const PATHS = ["tool", "command", "handler"] as const;
type Path = (typeof PATHS)[number];

/** A plugin with one function of this kind whose body is `code`; `before` stands at the top of its module. */
const sourceOf = (path: Path, code: string, before = ""): string =>
  `import { definePlugin, result, failure, isHostError, parseJson } from "smith:sdk"; ${before}
export default definePlugin({ ${path}s: { run: async (args, ctx) => { ${code} } } });`;

const callOf = (guest: TestGuest, path: Path, args: unknown = {}, name = "run") =>
  guest.deliver(DELIVERY[path], { name, args, cwd: "/work", now: 1_700_000_000_000, config: {} });

/** Runs hostile code; whatever it managed to say. The guest lives on or is dead, the test process is unhurt. */
async function attackBy(path: Path, code: string) {
  const guest = await startGuest(sourceOf(path, code), { sliceMs: 2_000 });
  const end = callOf(guest, path);
  const said = JSON.stringify(guest.posts);
  expect(said).not.toMatch(HOST_TRACES);
  // Pollution of the host would show here, whatever the test looks at.
  expect(Object.prototype).not.toHaveProperty("polluted");
  return { guest, end, text: end?.value["text"] };
}

describe.each(PATHS)("by a %s: what is reachable", (path) => {
  const attack = (code: string) => attackBy(path, code);
  test.each([
    ["the constructor of a host operation", `ctx.fs.read.constructor("return typeof process + typeof require")()`],
    ["the constructor of console", `console.log.constructor("return typeof process + typeof require")()`],
    ["an async function's constructor", `await (async () => {}).constructor("return typeof process + typeof require")()`],
    ["a generator's constructor", `(function* () {}).constructor("return typeof process + typeof require")().next().value`],
    ["eval", `(0, eval)("typeof process + typeof require")`],
    ["new Function", `new Function("return typeof process + typeof require")()`],
    [
      "the constructor of a host error",
      `await ctx.fs.read(1n).catch((error) => error.constructor.constructor("return typeof process + typeof require")())`,
    ],
    [
      "a caller",
      `(function f() { try { return String(f.caller) === "null" || f.caller === undefined ? "undefinedundefined" : "caller"; } catch { return "undefinedundefined"; } })()`,
    ],
  ])("%s leads nowhere", async (_name, expression) => {
    expect((await attack(`return { text: ${expression} };`)).text).toBe("undefinedundefined");
  });

  test("the global object holds no function of the host", async () => {
    const { text } = await attack(`
      const odd = [];
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        const value = globalThis[name];
        if (typeof value === "function" && /post|dispatch|host|deliver/i.test(name + value.name)) odd.push(name);
      }
      return { text: odd.join() };`);
    expect(text).toBe("");
  });

  test("an error's stack names only the guest's own files", async () => {
    const { text } = await attack(`try { null.x } catch (error) { return { text: error.stack }; }`);
    expect(text).toMatch(/test\/index\.js/u);
    expect(text).not.toMatch(HOST_TRACES);
  });

  test("prepareStackTrace sees no frame of the host", async () => {
    const { text } = await attack(`
      Error.prepareStackTrace = (error, frames) => frames.map((frame) => String(frame.getFileName()) + String(frame.getFunction && frame.getFunction())).join("|");
      return { text: String(new Error("x").stack) };`);
    expect(text).not.toMatch(HOST_TRACES);
  });

  test("a second import of the SDK or of the entry gives nothing more", async () => {
    const { text } = await attack(
      `const sdk = await import("smith:sdk"); const main = await import("plugin:main"); return { text: Object.keys(sdk).length + Object.keys(main).join() };`,
    );
    expect(text).toMatch(/^\d+default$/u);
  });
});

describe.each(PATHS)("by a %s: what crosses", (path) => {
  const attack = (code: string) => attackBy(path, code);
  test.each([
    ["own keys named __proto__", `JSON.parse('{"__proto__": {"polluted": 1}, "text": "x"}')`],
    ["a Proxy", `new Proxy({ text: "x" }, { get: (target, key) => { if (key === "toJSON") return undefined; return target[key]; } })`],
    ["a getter", `({ get text() { return "x"; } })`],
    ["toJSON", `({ toJSON: () => ({ text: "x" }) })`],
    ["a class instance", `new (class Result { text = "x"; get more() { throw 1; } })()`],
    ["a thenable", `({ then: (resolve) => resolve({ text: "x" }) })`],
    ["a promise of a promise", `Promise.resolve(Promise.resolve({ text: "x" }))`],
  ])("%s arrives as plain data", async (_name, expression) => {
    expect((await attack(`return ${expression};`)).text).toBe("x");
  });

  test.each([
    ["an array of 5 million holes", `const a = []; a.length = 5e6; return { text: a };`],
    ["20 MB of text", `return { text: "x".repeat(20 << 20) };`],
    ["a Proxy that throws", `return new Proxy({}, { ownKeys() { throw new Error("trap"); } });`],
    ["a revoked Proxy", `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy;`],
    ["a getter that throws", `return { get text() { throw new Error("trap"); } };`],
    ["toJSON that returns itself for ever", `const a = { toJSON() { return { a }; } }; return a;`],
    ["a cycle", `const a = {}; a.text = a; return a;`],
    ["a BigInt", `return { text: 10n ** 30n };`],
    ["an array that contains itself through a Proxy", `const a = []; a.push(new Proxy(a, {})); return { text: a };`],
    ["a thenable that throws", `return { get then() { throw new Error("trap"); } };`],
    ["nesting 100,000 deep", `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return { text: a };`],
  ])("%s is refused or stopped, never copied out", async (_name, code) => {
    const { guest, end } = await attack(code);
    expect(end?.type === "threw" || guest.engine.fault !== undefined).toBe(true);
    expect(Math.max(0, ...guest.posts.map(({ json }) => json.length))).toBeLessThan(20_000);
  });

  test.each([
    ["NUL", "a\u0000b"],
    ["a lone surrogate", "\ud83d"],
    ["a pair", "😀"],
    ["line separators", "\u2028\u2029"],
  ])("text with %s is the same on both sides", async (_name, text) => {
    const guest = await startGuest(sourceOf(path, `return { text: args.text, units: args.text.length };`));
    expect(callOf(guest, path, { text })?.value).toEqual({ text, units: text.length });
  });
});

describe.each(PATHS)("by a %s: what is thrown", (path) => {
  const attack = (code: string) => attackBy(path, code);
  test.each([
    ["a string of 20 MB", `throw "x".repeat(20 << 20);`],
    ["an error of 20 MB", `throw new Error("x".repeat(20 << 20));`],
    ["null", `throw null;`],
    ["a symbol", `throw Symbol("x");`],
    ["a Proxy that throws", `throw new Proxy({}, { get() { throw new Error("trap"); } });`],
    ["an error whose message throws", `throw { get message() { throw this; }, get name() { throw this; } };`],
    [
      "an error that cannot be turned into text",
      `throw { toString() { throw new Error("trap"); }, message: { toString() { throw new Error("trap"); } } };`,
    ],
    [
      "an error that says it is the host's",
      `throw Object.assign(new Error("x"), { name: "HostError", code: "grant.denied", what: {}, next: 1 });`,
    ],
  ])("%s becomes bounded words", async (_name, code) => {
    const { guest, end } = await attack(code);
    expect(end?.type).toBe("threw");
    expect(JSON.stringify(end).length).toBeLessThan(20_000);
    expect(guest.engine.fault).toBeUndefined();
  });

  test("an exception out of a promise job of the guest's own making kills it quietly", async () => {
    const { guest } = await attack(`
      class P extends Promise { constructor(run) { super((a, b) => run(() => { throw new Proxy({}, { get() { throw 1; } }); }, () => { throw { get message() { throw this; } }; })); } }
      P.resolve(1).then(() => 1); Promise.prototype.then.call(Object.assign(Promise.resolve(), { constructor: P }), () => 1); return { text: "x" };`);
    expect(callOf(guest, path) === undefined || guest.engine.fault === undefined).toBe(true);
  });
});

describe.each(PATHS)("by a %s: tampering", (path) => {
  test.each([
    ["JSON", `JSON.stringify = () => "{}"; JSON.parse = () => { throw 1; };`],
    ["Promise.prototype.then", `Promise.prototype.then = () => {};`],
    ["Promise.resolve", `Promise.resolve = () => { throw 1; };`],
    ["Map", `Map.prototype.get = Map.prototype.has = Map.prototype.delete = Map.prototype.set = () => undefined;`],
    ["Reflect and Function.prototype", `Reflect.apply = () => 1; Function.prototype.call = Function.prototype.apply = () => 1;`],
    ["Object.prototype", `Object.prototype.toJSON = function () { return "changed"; }; delete Object.prototype.toJSON;`],
    ["String.prototype", `String.prototype.slice = String.prototype.split = () => { throw 1; };`],
  ])("%s replaced by the plugin changes nothing about how its call ends", async (_name, code) => {
    const guest = await startGuest(sourceOf(path, `await null; return result("still " + args.n + ctx.cwd);`, code));
    expect(callOf(guest, path, { n: 1 })?.value).toEqual({ text: "still 1/work", isError: false });
  });

  test("the context and its operations cannot be changed for later calls", async () => {
    const guest = await startGuest(
      sourceOf(
        path,
        `try { ctx.fs.read = () => 1; } catch {} try { ctx.fs = {}; } catch {} try { Object.getPrototypeOf(ctx.fs).read = 1; } catch {}
      return { text: typeof ctx.fs.read + ctx.fs.read.name };`,
      ),
    );
    callOf(guest, path);
    expect(callOf(guest, path)?.value["text"]).toMatch(/^function/u);
  });

  test("an answer to a call that was never made, or made twice, is dropped", async () => {
    const guest = await startGuest(sourceOf(path, `const r = await ctx.fs.read({ path: "x" }); return { text: r.text };`));
    callOf(guest, path);
    guest.answer(99, { text: "forged" });
    guest.answer(1, { text: "first" });
    guest.answer(1, { text: "second" });
    expect(guest.posts.filter((post) => post.kind === POST.returned).map(({ json }) => json)).toEqual([`{"text":"first"}`]);
  });

  test("names that every object inherits are neither tools nor operations", async () => {
    const guest = await startGuest(
      sourceOf(path, `return { text: [ctx.constructor === Object, "toString" in ctx.fs, Object.keys(ctx).join()].join(" ") };`),
    );
    for (const name of ["toString", "constructor", "__proto__", "hasOwnProperty"])
      expect(callOf(guest, path, {}, name)?.value["message"]).toMatch(/has no (tool|command|handler)/u);
    expect(callOf(guest, path)?.value["text"]).toBe(
      "true true cwd,now,config,fs,search,process,net,evaluate,vcs,state,ui,resource,clock,entropy,text,mcp,tools,agent,secrets",
    );
  });
});
