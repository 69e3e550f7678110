import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createValueFiles, type ValueFiles } from "../../../src/effect/values/index.js";
import type { StateContribution } from "../../../src/plugin/types.js";
import { createPluginState, type PluginState } from "../../../src/runtime/session/plugins/state-port.js";
import { withLive } from "../live-bench.js";
import { createRealClock } from "../../support/real-clock.js";
import { compiled } from "./fixtures.js";

const state = (key: string, extra: Partial<StateContribution> = {}): StateContribution => ({
  key,
  plugin: "acme.lint",
  scope: "user",
  version: 1,
  maxBytes: 64,
  fork: "copy",
  ...extra,
});

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-state-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const files = (): ValueFiles => createValueFiles({ dir, clock: createRealClock(), unique: () => "1" });

const port = (states: readonly StateContribution[], project = "aa"): PluginState =>
  createPluginState({
    plugin: (id) => (id === "acme.lint" ? compiled(id, { states }) : undefined),
    scoped: () => {
      throw new Error("no session is here");
    },
    files: files(),
    project,
  });

describe("state of plugins", () => {
  test("a key that is not declared with its scope cannot be used", async () => {
    const declared = port([state("rules")]);
    const refused = { ok: false, error: { code: "state.undeclared" } };
    expect(await declared.get("acme.lint", { key: "other", scope: "user" })).toMatchObject(refused);
    expect(await declared.put("acme.lint", { key: "rules", scope: "project" }, 1)).toMatchObject(refused);
    expect(await declared.delete("acme.other", { key: "rules", scope: "user" })).toMatchObject(refused);
  });

  test("a value of the user is everywhere, one of a project only in that project", async () => {
    const states = [state("rules"), state("seen", { scope: "project" })];
    const here = port(states);
    await here.put("acme.lint", { key: "rules", scope: "user" }, ["a"]);
    await here.put("acme.lint", { key: "seen", scope: "project" }, 1);
    const there = port(states, "bb");
    expect(await there.get("acme.lint", { key: "rules", scope: "user" })).toEqual({ ok: true, value: { value: ["a"] } });
    expect(await there.get("acme.lint", { key: "seen", scope: "project" })).toEqual({ ok: true, value: {} });
    expect(await here.values("acme.lint", states)).toEqual({ rules: ["a"], seen: 1 });
    expect(await here.delete("acme.lint", { key: "seen", scope: "project" })).toEqual({ ok: true, value: true });
    expect(await here.values("acme.lint", states)).toEqual({ rules: ["a"] });
  });

  test("a value over its bound is not stored", async () => {
    expect(await port([state("rules")]).put("acme.lint", { key: "rules", scope: "user" }, "x".repeat(64))).toMatchObject({
      ok: false,
      error: { code: "state.too-large" },
    });
  });

  test("what another version of the format wrote is no value, comes as what it is, and is there until it is replaced", async () => {
    const place = { key: "rules", scope: "user" } as const;
    await port([state("rules")]).put("acme.lint", place, 1);
    const newer = [state("rules", { version: 2 })];
    expect(await port(newer).get("acme.lint", place)).toEqual({ ok: true, value: { former: { version: 1, value: 1 } } });
    expect(await port(newer).values("acme.lint", newer)).toEqual({});
    expect(await port([state("rules")]).get("acme.lint", place)).toEqual({ ok: true, value: { value: 1 } });
    await port(newer).put("acme.lint", place, 2);
    expect(await port(newer).get("acme.lint", place)).toEqual({ ok: true, value: { value: 2 } });
  });

  test("state of the session is in its file, and a plugin that was reloaded may declare it otherwise", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("hello", "hi");
      let declared = [state("count", { scope: "session" })];
      const inSession = createPluginState({
        plugin: (id) => compiled(id, { states: declared }),
        scoped: () => live.session.newState(),
        files: files(),
        project: "aa",
      });
      const place = { key: "count", scope: "session" } as const;
      expect(await inSession.put("acme.lint", place, 3)).toEqual({ ok: true, value: undefined });
      expect(await inSession.get("acme.lint", place)).toEqual({ ok: true, value: { value: 3 } });
      declared = [state("count", { scope: "session", maxBytes: 8, version: 2 })];
      expect(await inSession.get("acme.lint", place)).toEqual({ ok: true, value: { former: { version: 1, value: 3 } } });
      expect(await inSession.delete("acme.lint", place)).toEqual({ ok: true, value: true });
      expect(await inSession.delete("acme.lint", place)).toEqual({ ok: true, value: false });
      expect((await bench.entries()).filter(({ type }) => type === "state")).toMatchObject([
        { owner: "acme.lint", key: "count", operation: "put", value: 3, version: 1, fork: "copy" },
        { operation: "delete" },
        { operation: "delete" },
      ]);
    });
  });
});
