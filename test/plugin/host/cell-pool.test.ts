import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cell } from "../../../src/plugin/cell/index.js";
import { cellKey, CellPool } from "../../../src/plugin/host/cell-pool.js";
import { cellStart, WORK_CELL } from "../../../src/plugin/host/cell-start.js";
import { IDLE_CELL_MS, MAX_STARTED_CELLS } from "../../../src/plugin/limits.js";
import type { ActivePlugin } from "../../../src/plugin/index.js";
import { createManualClock } from "../../support/manual-clock.js";
import { openStage, type Stage } from "../stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

/** Cells whose threads can be started and seen; nothing is called in them. */
async function poolOf(count: number) {
  const clock = createManualClock();
  const create = (): Cell =>
    new Cell({
      workerUrl: pathToFileURL(`${stage.dir}/plugin-worker.mjs`),
      clock,
      start: cellStart(WORK_CELL, stage.files),
      onLog: () => undefined,
      onFault: () => undefined,
    });
  const pool = new CellPool({ clock, shared: { work: create(), providers: create() }, create, onFault: () => undefined });
  const trees = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`p${index}`, { "main.js": `export default { n: ${index} };` }]),
  );
  const { plugins } = await stage.input({ trees });
  const keep = (list: readonly ActivePlugin[]): void => pool.keep(new Set(list.map((plugin) => pool.keyOf(plugin))));
  keep(plugins);
  const use = (plugin: ActivePlugin | undefined) => {
    if (plugin === undefined) throw new Error("no plugin");
    const taken = pool.take(plugin, "work");
    taken.cell.warm();
    return taken;
  };
  return { clock, pool, plugins, keep, use };
}

describe("which cell a plugin runs in", () => {
  test("a plugin has one for each purpose, for as long as code and rights stay", async () => {
    const { pool, plugins } = await poolOf(2);
    const [a, b] = plugins;
    if (a === undefined || b === undefined) throw new Error("no plugins");
    const cell = pool.take(a, "work").cell;
    expect(pool.take(a, "work").cell).toBe(cell);
    expect(pool.take({ ...a }, "work").cell).toBe(cell);
    const others = [pool.take(a, "providers"), pool.take(b, "work")];
    const changed = { ...a, compiled: { ...a.compiled, hash: "1".repeat(64) } };
    const wider = { ...a, compiled: { ...a.compiled, grants: { ...a.compiled.grants, vcs: true } } };
    expect(new Set([cell, ...others.map((use) => use.cell), pool.take(changed, "work").cell, pool.take(wider, "work").cell]).size).toBe(5);
    expect(new Set([a, changed, wider].map(cellKey)).size).toBe(3);
    await pool.close();
  });

  test("bundled ones share one", async () => {
    const { pool } = await poolOf(0);
    const { plugins } = await stage.input({ modules: { a: "", b: "" } });
    const cells = plugins.map((plugin) => pool.take(plugin, "work").cell);
    expect(new Set(cells).size).toBe(1);
    await pool.close();
  });
});

describe("threads", () => {
  test("start with the first use, end after a minute without any, and start again", async () => {
    const { clock, pool, plugins, use } = await poolOf(1);
    const first = use(plugins[0]);
    expect(pool.started).toBe(1);
    await clock.advance(10 * IDLE_CELL_MS);
    expect(pool.started).toBe(1);
    first.done();
    await clock.advance(IDLE_CELL_MS - 1);
    use(plugins[0]).done();
    await clock.advance(IDLE_CELL_MS - 1);
    expect(pool.started).toBe(1);
    await clock.advance(1);
    expect(pool.started).toBe(0);
    const again = use(plugins[0]);
    expect([pool.started, again.cell === first.cell]).toEqual([1, true]);
    await pool.close();
  });

  test("above eight the oldest unused ones go at once; those in use stay, however many", async () => {
    const { pool, plugins, use } = await poolOf(MAX_STARTED_CELLS + 4);
    const held = plugins.slice(0, 2).map(use);
    for (const plugin of plugins.slice(2)) use(plugin).done();
    expect(pool.started).toBe(MAX_STARTED_CELLS);
    expect(held.every(({ cell }) => cell.isStarted)).toBe(true);
    expect(use(plugins.at(-1)).cell.isStarted).toBe(true);
    await pool.close();
  });

  test("of a plugin that is out of use end with the last one who uses them", async () => {
    const { pool, plugins, keep, use } = await poolOf(2);
    const [a, b] = [use(plugins[0]), use(plugins[1])];
    b.done();
    keep([]);
    expect([a.cell.isStarted, b.cell.isStarted]).toEqual([true, false]);
    a.done();
    expect(a.cell.isStarted).toBe(false);
    await pool.close();
  });

  test("all end when the pool is closed, and no timer is left", async () => {
    const { clock, pool, plugins, use } = await poolOf(3);
    for (const plugin of plugins) use(plugin).done();
    const closing = pool.close();
    // The watchdog of a thread's end is all that may wait.
    await closing;
    expect([pool.started, clock.pending]).toEqual([0, []]);
  });
});
