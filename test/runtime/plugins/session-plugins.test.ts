import { describe, expect, test } from "vitest";
import { ok } from "../../../src/base/index.js";
import type { CommandContribution, CompiledPlugin } from "../../../src/plugin/types.js";
import type { RuntimeSession } from "../../../src/runtime/types.js";
import type { Action, Entry, SmithEvent } from "../../../src/schema/index.js";
import { answer } from "../../agent/fixtures.js";
import { withLive } from "../live-bench.js";
import { active, generation, noGrants, resource } from "./fixtures.js";
import { pluginBench } from "./plugin-bench.js";

const LINT = "acme.lint";

const command = (name: string, extra: Partial<CommandContribution> = {}): CommandContribution => ({
  name,
  plugin: LINT,
  aliases: [],
  description: "Runs the linter",
  timeoutMs: 1000,
  ...extra,
});

const manifest: Partial<CompiledPlugin> = {
  commands: [command("lint", { aliases: ["l"] }), command("skill:", { each: "skill" })],
  grants: { ...noGrants, ui: ["notify", "status"] },
  options: [{ name: "lint.max", plugin: LINT, type: "integer", default: 5, help: "", secret: false }],
  states: [
    { key: "seen", plugin: LINT, scope: "session", version: 2, maxBytes: 100, fork: "copy" },
    { key: "rules", plugin: LINT, scope: "project", version: 1, maxBytes: 100, fork: "fresh" },
  ],
};

const withCommand = (actions: readonly Action[], before: () => void = () => undefined) =>
  pluginBench(generation(1, [active(LINT, manifest)], [resource(LINT, "tidy")]), {
    command: async ({ record }) => {
      before();
      if (actions.some(({ type }) => type === "set-status")) await record();
      return ok(actions);
    },
  });

const typesOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ type }) => type);

describe("a command", () => {
  test("that wants nothing and has no effect leaves no trace, not even a file", async () => {
    await withLive(async (bench) => {
      const { connect, routed } = withCommand([]);
      const live = bench.create({ connect });
      expect(await live.session.runCommand("lint", " all ")).toEqual({ ok: true, value: { carriedOut: 0 } });
      expect(routed.size).toBe(0);
      expect(live.changes()).toBe(0);
    });
  });

  test("is found by its name, its alias, and made for a resource it gets that resource", async () => {
    const seen: unknown[] = [];
    await withLive(async (bench) => {
      const plugins = pluginBench(generation(1, [active(LINT, manifest)], [resource(LINT, "tidy")]), {
        command: async (call) => {
          seen.push([call.command.name, call.args, call.resource?.name]);
          return await Promise.resolve(ok([]));
        },
      });
      const { session } = bench.create({ connect: plugins.connect });
      for (const name of ["lint", "l", "skill:tidy"]) await session.runCommand(name, " a b ");
      expect(await session.runCommand("lnt", "")).toMatchObject({
        ok: false,
        error: { code: "command.unknown", next: "Did you mean /lint?" },
      });
    });
    expect(seen).toEqual([
      ["lint", "a b", undefined],
      ["lint", "a b", undefined],
      ["skill:", "a b", "tidy"],
    ]);
  });

  test("what it wants is on record with it, told, and in the page of who reads the session later", async () => {
    await withLive(async (bench) => {
      const { connect } = withCommand([
        { type: "notify", text: "3 findings", role: "warning" },
        { type: "set-state", scope: "session", key: "seen", value: 3 },
      ]);
      const live = bench.create({ connect });
      await live.turn("hello", "hi");
      expect(await live.session.runCommand("lint", "src")).toEqual({ ok: true, value: { carriedOut: 2 } });
      const told = { type: "notice", plugin: LINT, text: "3 findings", role: "warning" };
      expect(live.events.filter(({ type }) => type === "notice")).toMatchObject([told]);
      const entries = await bench.entries();
      expect(entries.find(({ type }) => type === "invocation")).toMatchObject({
        plugin: LINT,
        generation: 1,
        trigger: { type: "command", name: "lint", args: "src" },
      });
      expect(entries.find(({ type }) => type === "actions")).toMatchObject({
        trigger: "command",
        accepted: [{ plugin: LINT }, { plugin: LINT }],
      });
      expect(entries.find(({ type }) => type === "state")).toMatchObject({ owner: LINT, key: "seen", value: 3, version: 2, fork: "copy" });
      await live.session.close();
      const again = await bench.reopen();
      const { events } = await again.session.backlog({ limit: 10 });
      expect(events.map(({ type }) => type)).toEqual(["user", "assistant", "notice"]);
      expect(events.at(-1)).toMatchObject(told);
    });
  });

  test("a batch that may not be is refused whole, and nothing of it is recorded", async () => {
    await withLive(async (bench) => {
      const { connect } = withCommand([
        { type: "set-thinking", level: "high" },
        { type: "set-model", model: "nope" },
      ]);
      const live = bench.create({ connect });
      expect(await live.session.runCommand("lint", "")).toMatchObject({ ok: false, error: { code: "plugin.model-refused" } });
      expect(live.session.status().thinking).toBeUndefined();
      expect(live.changes()).toBe(0);
    });
  });

  test("enqueued input begins a turn, and its receipt comes with the outcome", async () => {
    await withLive(async (bench) => {
      const { connect } = withCommand([{ type: "enqueue", text: "fix all findings" }]);
      const live = bench.create({ connect });
      const ran = await live.session.runCommand("lint", "");
      if (!ran.ok || ran.value.receipt === undefined) throw new Error("no receipt");
      (await live.nextRound()).end({ type: "done", result: answer("fixed") });
      expect(await ran.value.receipt.settled).toMatchObject({ status: "ok", reply: "fixed" });
      expect(live.events.find(({ type }) => type === "user")).toMatchObject({ text: "fix all findings" });
    });
  });

  test("is aborted with the work of the session, and refused once that is closed", async () => {
    await withLive(async (bench) => {
      let begun = (): void => undefined;
      const running = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const plugins = pluginBench(generation(1, [active(LINT, manifest)]), {
        command: async ({ signal }) => {
          begun();
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
          return ok([]);
        },
      });
      const live = bench.create({ connect: plugins.connect });
      const ran = live.session.runCommand("lint", "");
      await running;
      await live.session.abort();
      expect(await ran).toEqual({ ok: true, value: { carriedOut: 0 } });
      await live.session.close();
      expect(await live.session.runCommand("lint", "")).toMatchObject({ ok: false, error: { code: "session.closed" } });
    });
  });
});

const statusOf = ({ session }: { readonly session: RuntimeSession }): ReturnType<RuntimeSession["status"]> => session.status();

describe("what plugins set for a run", () => {
  test("model, thinking, status items and options are in force at once and told", async () => {
    await withLive(async (bench) => {
      const { connect, config } = withCommand([
        { type: "set-model", model: "toy-2" },
        { type: "set-thinking", level: "high" },
        { type: "set-status", key: "lint", text: "3\nfindings", role: "warning" },
        { type: "set-config", option: "lint.max", value: 9 },
      ]);
      const live = bench.create({ connect });
      expect(await live.session.runCommand("lint", "")).toEqual({ ok: true, value: { carriedOut: 4 } });
      expect(statusOf(live)).toMatchObject({
        model: { provider: "toy", model: "toy-2" },
        modelSource: "toy-2",
        thinking: "high",
        statusItems: [{ plugin: LINT, key: "lint", text: "3 findings", role: "warning" }],
      });
      expect(config.of(LINT)).toEqual({ "lint.max": 9 });
      const told = live.events.filter(({ type }) => type === "model" || type === "status");
      expect(told).toMatchObject([
        { type: "model", model: { model: "toy-2" }, by: LINT },
        { type: "status", item: { key: "lint" } },
      ]);
    });
  });

  test("state of project and user goes through the ledger, with the command as its cause", async () => {
    await withLive(async (bench) => {
      const { connect, effects } = withCommand([{ type: "set-state", scope: "project", key: "rules", value: ["src/"] }]);
      const live = bench.create({ connect });
      await live.session.runCommand("lint", "");
      await live.session.close();
      const invocation = (await bench.entries()).find(({ type }) => type === "invocation");
      if (invocation?.type !== "invocation") throw new Error("no invocation");
      expect(effects).toMatchObject([
        {
          op: "state.put",
          input: { key: "rules", scope: "project", value: ["src/"] },
          context: { plugin: LINT, cause: invocation.invocation, dataDir: `/data/${LINT}` },
        },
      ]);
    });
  });

  test("items of a plugin that is gone go with it", async () => {
    await withLive(async (bench) => {
      const plugins = withCommand([{ type: "set-status", key: "lint", text: "3" }]);
      const live = bench.create({ connect: plugins.connect });
      await live.session.runCommand("lint", "");
      plugins.publish(generation(2, []));
      plugins.plugins().generationChanged([LINT]);
      expect(statusOf(live).statusItems).toEqual([]);
      expect(live.events.slice(-2)).toMatchObject([
        { type: "status", item: { text: "" } },
        { type: "generation", number: 2, changed: [LINT] },
      ]);
    });
  });

  test("a person's choice of a model that cannot be used changes nothing", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ connect: withCommand([]).connect });
      const before = statusOf(live);
      expect(await live.session.setModel("nope")).toMatchObject({ ok: false, error: { code: "model.unknown" } });
      expect(statusOf(live)).toBe(before);
      expect(await live.session.setModel("toy-3")).toEqual({ ok: true, value: { provider: "toy", model: "toy-3" } });
      await live.session.setThinking("low");
      expect(statusOf(live)).toMatchObject({ model: { model: "toy-3" }, thinking: "low" });
      await live.session.setThinking(undefined);
      expect(statusOf(live).thinking).toBeUndefined();
      expect(live.events).toMatchObject([{ type: "model", model: { model: "toy-3" } }]);
    });
  });
});

describe("what a plugin says while it runs", () => {
  test("is told and on record, under what ran", async () => {
    await withLive(async (bench) => {
      const plugins = withCommand([]);
      const live = bench.create({ connect: plugins.connect });
      const told = new Promise<SmithEvent>((resolve) => {
        live.session.observe(resolve);
      });
      const cause = "00000000-0000-7000-8000-0000000000cc";
      plugins.plugins().notify({ text: "half way" }, { plugin: LINT, cause: cause as never }, "command");
      expect(await told).toMatchObject({ type: "notice", plugin: LINT, text: "half way" });
      await live.session.close();
      expect(typesOf(await bench.entries())).toContain("actions");
      expect((await bench.entries()).find(({ type }) => type === "actions")).toMatchObject({ accepted: [{ invocation: cause }] });
    });
  });
});

describe("a value of the project that a handler sets", () => {
  test("is stored before the next handler is given its values", async () => {
    const order: string[] = [];
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const handler = { event: "turn-ended", plugin: LINT, order: 0, timeoutMs: 1000, required: false, state: ["rules"] } as const;
    const { connect } = pluginBench(
      generation(1, [active(LINT, { ...manifest, handlers: [handler] })]),
      { handler: async () => await Promise.resolve(ok([{ type: "set-state", scope: "project", key: "rules", value: 1 }])) },
      async () => {
        await gate;
        order.push("stored");
        return { outcome: "applied", result: ok(null as never) };
      },
      () => {
        order.push("given");
        return {};
      },
    );
    await withLive(async (bench) => {
      const live = bench.create({ connect });
      await live.turn("one", "1");
      await live.turn("two", "2");
      for (let at = 0; at < 20; at += 1) await new Promise(setImmediate);
      open();
      await live.session.close();
    });
    expect(order).toEqual(["given", "stored", "given", "stored"]);
  });
});
