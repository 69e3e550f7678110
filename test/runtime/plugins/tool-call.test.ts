import { describe, expect, test } from "vitest";
import { type CallId, ok } from "../../../src/base/index.js";
import type { GenerationLease, HandlerContribution } from "../../../src/plugin/types.js";
import type { Action, ToolDefinition } from "../../../src/schema/index.js";
import { withLive } from "../live-bench.js";
import { active, generation } from "./fixtures.js";
import { pluginBench } from "./plugin-bench.js";

const PLUGIN = "acme.files";

const tool = (name: string, extra: Partial<ToolDefinition> = {}): ToolDefinition => ({
  ...{ name, plugin: PLUGIN, description: name, readOnly: false, timeoutMs: 1000, summaryKeys: [] },
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  ...extra,
});

const handler: HandlerContribution = { event: "tool-proposed", plugin: PLUGIN, timeoutMs: 1000, order: 0, required: true, state: [] };

function bench(policy?: (call: CallId) => Action) {
  const ran: unknown[] = [];
  const code: Partial<GenerationLease> = {
    tools: {
      run: async ({ args }) => {
        ran.push(args);
        return await Promise.resolve({ output: { text: "done", isError: false, summary: "1 file" }, mutation: "applied", end: "returned" });
      },
    },
    handler: async ({ event }) =>
      await Promise.resolve(ok(event.type === "tool-proposed" && policy !== undefined ? [policy(event.call)] : [])),
  };
  const manifest = { tools: [tool("put"), tool("nu", { program: "nu" })], handlers: policy === undefined ? [] : [handler] };
  return { ran, ...pluginBench(generation(1, [active(PLUGIN, manifest)]), code) };
}

const use = { signal: new AbortController().signal };

describe("a tool that no model calls", () => {
  test("is on record as an invocation before it runs, and leaves no route behind", async () => {
    await withLive(async (live) => {
      const { connect, ran, routed } = bench();
      const { session } = live.create({ connect });
      const ended = await session.callTool("put", { path: "a" }, use);
      expect(ended).toEqual(ok({ text: "done", isError: false, omittedBytes: 0, mutation: "applied", summary: "1 file" }));
      expect([ran, routed.size]).toEqual([[{ path: "a" }], 0]);
      const entries = await live.entries();
      expect(entries.filter(({ type }) => type === "invocation")).toMatchObject([
        { plugin: PLUGIN, trigger: { type: "tool", name: "put", args: '{"path":"a"}' } },
      ]);
    });
  });

  test.each([
    ["is unknown", "pat", { path: "a" }, 'Unknown tool "pat"'],
    ["lacks its program", "nu", { path: "a" }, "needs the program nu"],
    ["is given what it does not take", "put", {}, "Invalid arguments for put"],
  ])("that %s is a result that says so, and nothing runs", async (_name, name, args, words) => {
    await withLive(async (live) => {
      const { connect, ran } = bench();
      const ended = await live.create({ connect }).session.callTool(name, args, use);
      expect(ended).toMatchObject({ ok: true, value: { isError: true, mutation: "not-applied" } });
      expect(ended.ok && ended.value.text).toContain(words);
      expect(ran).toEqual([]);
    });
  });

  test.each<[string, (call: CallId) => Action, string | undefined]>([
    ["denies it", (call) => ({ type: "deny-tool", call, why: "not today" }), "not today"],
    ["wants a person asked", (call) => ({ type: "ask-tool", call }), "Not run"],
    ["gives it arguments it does not take", (call) => ({ type: "rewrite-tool", call, args: {} }), "Not run"],
    ["gives it others", (call) => ({ type: "rewrite-tool", call, args: { path: "b" } }), undefined],
  ])("obeys a policy that %s", async (_name, policy, words) => {
    await withLive(async (live) => {
      const { connect, ran } = bench(policy);
      const ended = await live.create({ connect }).session.callTool("put", { path: "a" }, use);
      expect(ended.ok && ended.value.text).toContain(words ?? "done");
      expect(ran).toEqual(words === undefined ? [{ path: "b" }] : []);
    });
  });

  test("is aborted by its own signal alone", async () => {
    await withLive(async (live) => {
      const { connect, ran } = bench();
      const { session } = live.create({ connect });
      expect(await session.callTool("put", { path: "a" }, { signal: AbortSignal.abort() })).toMatchObject({
        ok: true,
        value: { isError: true },
      });
      expect(await session.callTool("put", { path: "b" }, use)).toMatchObject({ ok: true, value: { isError: false } });
      expect(ran).toEqual([{ path: "b" }]);
    });
  });
});
