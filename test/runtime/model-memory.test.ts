import { describe, expect, test } from "vitest";
import { ok } from "../../src/base/index.js";
import { recordedChoice } from "../../src/runtime/session/index.js";
import type { Action, Entry } from "../../src/schema/index.js";
import { openedReader } from "../session/support/store.js";
import { type LiveBench, type LiveExtra, withLive } from "./live-bench.js";
import { active, generation } from "./plugins/fixtures.js";
import { pluginBench } from "./plugins/plugin-bench.js";

const LINT = "acme.lint";

const chooser = (actions: readonly Action[] = []): NonNullable<LiveExtra["connect"]> =>
  pluginBench(
    generation(1, [
      active(LINT, { commands: [{ name: "pick", plugin: LINT, aliases: [], description: "Picks a model", timeoutMs: 1000 }] }),
    ]),
    { command: async () => await Promise.resolve(ok(actions)) },
  ).connect;

const choices = (entries: readonly Entry[]): readonly unknown[] =>
  entries.flatMap((entry) => (entry.type === "state" ? [[entry.owner, entry.key, entry.version, entry.fork, entry.value]] : []));

const recorded = (value: object): readonly unknown[] => ["core", "model", 1, "copy", value];

async function choiceOf({ store, id }: LiveBench, of = id): Promise<unknown> {
  const reader = await openedReader(store, of);
  const choice = await recordedChoice(reader);
  await reader.close();
  return choice;
}

describe("what was chosen in a session", () => {
  test("before its first input is in its first change, and looking leaves no file", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ connect: chooser() });
      expect(await live.session.setModel("toy-2")).toMatchObject({ ok: true, value: { model: "toy-2" } });
      await live.session.setThinking("high");
      expect(live.changes()).toBe(0);
      await live.turn("hello", "hi");
      const entries = await bench.entries();
      expect(entries.slice(0, 2).map(({ type }) => type)).toEqual(["session-info", "state"]);
      expect(choices(entries)).toEqual([recorded({ model: "toy-2", thinking: "high" })]);
    });
  });

  test("is not written while it is only the default", async () => {
    await withLive(async (bench) => {
      await bench.create({ connect: chooser() }).turn("hello", "hi");
      expect(choices(await bench.entries())).toEqual([]);
      expect(await choiceOf(bench)).toEqual({});
    });
  });

  test("by this run's flags is written with its beginning", async () => {
    await withLive(async (bench) => {
      await bench.create({ connect: chooser(), choice: { model: "toy-3:low" } }).turn("hello", "hi");
      expect(await choiceOf(bench)).toEqual({ model: "toy-3:low" });
    });
  });

  test("later is written at once, once, and only where it differs", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ connect: chooser() });
      await live.turn("hello", "hi");
      await live.session.setModel("toy-2:low");
      await live.session.setModel("toy-2:low");
      expect(choices(await bench.entries())).toEqual([recorded({ model: "toy-2:low" })]);
      await live.session.setThinking(undefined);
      expect(await choiceOf(bench)).toEqual({ model: "toy-2", thinking: null });
      expect(await live.session.setModel("nope")).toMatchObject({ ok: false });
      expect(await choiceOf(bench)).toEqual({ model: "toy-2", thinking: null });
    });
  });

  test("by a plugin counts as well", async () => {
    await withLive(async (bench) => {
      const connect = chooser([
        { type: "set-model", model: "toy-5" },
        { type: "set-thinking", level: "max" },
      ]);
      const live = bench.create({ connect });
      await live.session.runCommand("pick", "");
      await live.session.close();
      expect(await choiceOf(bench)).toEqual({ model: "toy-5", thinking: "max" });
    });
  });

  test("is there when the session is opened again, is not written again, and goes with a fork", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ connect: chooser(), choice: { model: "toy-2" } });
      await live.turn("hello", "hi");
      await live.session.close();
      const again = await bench.reopen(bench.id, { connect: chooser(), choice: { model: "toy-2" } });
      await again.session.backlog({ limit: 10 });
      await again.session.setModel("toy-2");
      expect(again.changes()).toBe(0);
      await again.session.setThinking("low");
      await again.session.close();
      const fork = await bench.store.fork(bench.id, {});
      if (!fork.ok) throw new Error(fork.error.what);
      expect(await choiceOf(bench, fork.value.id)).toEqual({ model: "toy-2", thinking: "low" });
    });
  });

  test("holds for this process where it cannot be written, and a person is told", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ connect: chooser() });
      await live.turn("hello", "hi");
      live.knobs.failFrom = 0;
      expect(await live.session.setModel("toy-2")).toMatchObject({ ok: true });
      expect(live.session.status().model).toEqual({ provider: "toy", model: "toy-2" });
      expect(live.events.filter(({ type }) => type === "error")).toMatchObject([
        { diagnostic: { code: "session.model-not-kept", severity: "warning" } },
      ]);
    });
  });
});
