import { describe, expect, test } from "vitest";
import { DELIVERY, POST } from "../../../src/plugin/engine/index.js";
import { endOf, startGuest, toolSource } from "../sandbox.js";

/** Runs a tool up to its first host call. */
async function callOf(code: string) {
  const guest = await startGuest(toolSource(code));
  guest.call("run");
  const call = guest.posts.find((post) => post.kind === POST.call);
  return { guest, call, answer: (value: unknown) => guest.answer(call?.id ?? 0, value), end: () => endOf(guest.posts, 1)?.value };
}

describe("operations in a handier form", () => {
  test.each([
    [`ctx.state.get("k")`, "state.get", { key: "k" }, { value: [1] }, [1]],
    [`ctx.state.get("k")`, "state.get", { key: "k" }, { value: null }, null],
    [`ctx.state.former("k")`, "state.get", { key: "k" }, { value: null, former: { version: 1, value: [1] } }, { version: 1, value: [1] }],
    [`ctx.state.former("k")`, "state.get", { key: "k" }, { value: [1] }, null],
    [`ctx.state.put("k", { a: 1 })`, "state.put", { key: "k", value: { a: 1 } }, { stored: true }, "nothing"],
    [`ctx.secrets.keep("t", "v")`, "secrets.keep", { name: "t", value: "v" }, { reference: "{secret:t}" }, "{secret:t}"],
    [`ctx.state.delete("k")`, "state.delete", { key: "k" }, { existed: true }, "nothing"],
    [`ctx.ui.ask({ text: "?" })`, "ui.ask", { text: "?" }, { text: "x" }, "x"],
    [`ctx.ui.choose({ text: "?", options: [] })`, "ui.choose", { text: "?", options: [] }, { values: ["a"] }, ["a"]],
    [`ctx.ui.confirm({ text: "?" })`, "ui.confirm", { text: "?" }, { yes: null }, null],
    [`ctx.clock.sleep(5)`, "clock.sleep", { ms: 5 }, { now: 9 }, "nothing"],
    [`ctx.clock.now()`, "clock.now", {}, { now: 9 }, 9],
    [`ctx.entropy.bytes(2)`, "entropy.bytes", { count: 2 }, { base64: "AAA=" }, "AAA="],
    [`ctx.net.fetch({ url: "x" })`, "net.fetch", { url: "x" }, { status: 200 }, { status: 200 }],
  ])("%s asks for %s", async (code, ...[operation, input, output, expected]) => {
    const { call, answer, end } = await callOf(`const got = await ${code}; return { got: got === undefined ? "nothing" : got };`);
    expect([call?.text, JSON.parse(call?.json ?? "null")]).toEqual([operation, input]);
    answer(output);
    expect(end()).toEqual({ got: expected });
  });

  test("a refusal reaches whoever awaits, and nobody else", async () => {
    const { guest, call } = await callOf(
      `try { await ctx.state.get("k"); } catch (error) { return { code: error.code, host: isHostError(error) }; }`,
    );
    guest.refuse(call?.id ?? 0, { code: "plugin.unknown-state", what: "no", why: "", next: "" });
    expect(endOf(guest.posts, 1)?.value).toEqual({ code: "plugin.unknown-state", host: true });
    expect(guest.posts.filter((post) => post.kind === POST.log)).toEqual([]);
  });
});

describe("what is said to people", () => {
  test("leaves as a type and JSON, with the call it belongs to", async () => {
    const guest = await startGuest(toolSource(`ctx.ui.notify("a", "warning"); ctx.ui.status("k", "b"); ctx.ui.progress("c"); return {};`));
    guest.call("run");
    const said = guest.posts.filter((post) => post.kind === POST.emit);
    expect(said.map(({ id, text, json }) => [id, text, JSON.parse(json) as unknown])).toEqual([
      [1, "notify", { text: "a", role: "warning" }],
      [1, "status", { key: "k", text: "b" }],
      [1, "progress", { text: "c" }],
    ]);
  });

  test.each([
    ["20 MB", `"x".repeat(20 << 20)`],
    ["an object that cannot be text", `{ toString() { throw new Error("trap"); } }`],
    ["a symbol", `Symbol("x")`],
    ["nothing", `undefined`],
  ])("is bounded text even when it is %s", async (_name, value) => {
    const guest = await startGuest(toolSource(`ctx.ui.notify(${value}); return {};`));
    guest.call("run");
    expect(guest.posts.find((post) => post.kind === POST.emit)?.json.length).toBeLessThan(6_000);
  });

  test("is nothing once the call has settled", async () => {
    const guest = await startGuest(
      `let kept; export default { tools: { keep: (args, ctx) => { kept = ctx; return {}; }, use: () => { kept.ui.notify("late"); return {}; } } };`,
    );
    guest.call("keep");
    guest.call("use");
    expect(guest.posts.filter((post) => post.kind === POST.emit)).toEqual([]);
  });
});

describe("commands and handlers", () => {
  const SOURCE = `export default {
  commands: { run: (args, ctx) => [{ args, item: ctx.item, keys: Object.keys(ctx).slice(0, 4) }], quiet: () => undefined, later: async () => null },
  handlers: { idle: (event, ctx) => [{ event, invocation: ctx.invocation, values: ctx.values, config: ctx.config }] },
};`;
  const base = { cwd: "/work", now: 1, config: { a: 1 } };

  test("a command gets its arguments and the item it was made for", async () => {
    const guest = await startGuest(SOURCE);
    expect(guest.deliver(DELIVERY.command, { ...base, name: "run", args: "x y", item: { name: "i" } })?.value).toEqual([
      { args: "x y", item: { name: "i" }, keys: ["cwd", "now", "config", "item"] },
    ]);
  });

  test.each(["quiet", "later"])("a command that returns nothing (%s) wants nothing", async (name) => {
    const guest = await startGuest(SOURCE);
    expect(guest.deliver(DELIVERY.command, { ...base, name, args: "" })).toEqual({ type: "returned", value: [] });
  });

  test("a handler gets the event, its values and the invocation", async () => {
    const guest = await startGuest(SOURCE);
    const event = { type: "idle" };
    expect(guest.deliver(DELIVERY.handler, { ...base, name: "idle", args: event, invocation: "i", values: { k: [1] } })?.value).toEqual([
      { event, invocation: "i", values: { k: [1] }, config: { a: 1 } },
    ]);
  });

  test.each([
    [DELIVERY.command, "toString", "command"],
    [DELIVERY.handler, "closing", "handler"],
  ] as const)("one that is not there is named", async (kind, name, word) => {
    const guest = await startGuest(SOURCE);
    expect(guest.deliver(kind, { ...base, name })?.value["message"]).toBe(`the plugin's default export has no ${word} "${name}"`);
  });
});
