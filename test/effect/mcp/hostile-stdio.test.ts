/** Programs as servers that flood, nest too deep, or start what is hard to find. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMcpHub, type McpHub } from "../../../src/effect/mcp/index.js";
import { progressTo } from "../../../src/effect/mcp/server/progress.js";
import { Turns } from "../../../src/effect/mcp/transport/turns.js";
import { realClock } from "../support.js";
import { isRunning, reached, script, settled, stdioServer, testHub, textOf, until } from "./support.js";

let dir: string;
let hub: McpHub;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir }));
  hub.configure([stdioServer("srv", [script("hostile.mjs")])]);
  await settled(hub);
});
afterEach(async () => {
  await hub.close();
  await rm(dir, { recursive: true, force: true });
});

const use = { signal: new AbortController().signal };
const call = async (tool: string, more: Partial<Parameters<McpHub["call"]>[1]> = {}) =>
  await hub.call({ server: "srv", tool, args: {} }, { ...use, ...more });

test("a server that asks for ever and reads no more is given up, with the reason", async () => {
  const why = "It asked more than it takes answers to: over 1000 messages";
  const before = process.memoryUsage().rss;
  expect(await call("flood")).toMatchObject({
    outcome: "unknown",
    result: { error: { code: "mcp.answer-lost", why: expect.stringContaining(why) as string } },
  });
  await until(hub, () => hub.servers()[0]?.message?.includes(why) === true || hub.servers()[0]?.state === "connected");
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
});

test("a flood of words keeps no timer from running, and the answer after it comes", async () => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 5);
  expect(textOf(await call("notes"))).toBe("done");
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(20);
});

test("turns of the event loop go by between batches, and order is kept", async () => {
  const done: number[] = [];
  let atTimer = 0;
  await new Promise<void>((resolve) => {
    const turns = new Turns(resolve);
    for (let index = 0; index < 10_000; index += 1)
      turns.add(() => {
        done.push(index);
        if (index === 10) throw new Error("its own affair");
      });
    setImmediate(() => (atTimer = done.length));
  });
  expect(done).toEqual([...done.keys()]);
  expect(done).toHaveLength(10_000);
  expect(atTimer).toBeLessThan(1_000);
});

test("a tool that nests too deep is left out with its reason, and takes no other along", () => {
  const [view] = hub.servers();
  expect(view).toMatchObject({ state: "connected" });
  expect(view?.tools.map(({ name }) => name)).toContain("pid");
  expect(view?.tools.map(({ name }) => name)).not.toContain("deep");
  expect(view?.notes).toEqual(['One of its tools, "deep", was left out: it has more than 200 levels within one another.']);
});

test("what is structured too deep is left out and said to be, and the text stays", async () => {
  const reply = await call("structured");
  expect(textOf(reply)).toBe(
    "good words\n(The structured part of this answer was left out: it has more than 200 levels within one another.)",
  );
  expect(reply.result.ok && reply.result.value.structured).toBeUndefined();
});

test("progress that says again and again that it is done is told a few times a second", async () => {
  const told: string[] = [];
  const start = realClock.monotonic();
  expect(textOf(await call("progress", { onProgress: (words) => told.push(words) }))).toBe("done");
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThanOrEqual(3 + (realClock.monotonic() - start) / 200);
});

test("the end of progress is told at once, one time", () => {
  const told: string[] = [];
  const tell = progressTo((words) => told.push(words), { ...realClock, monotonic: () => 0 });
  for (const [progress, total] of [
    [1, 3],
    [2, 3],
    [3, 3],
    [3, 3],
    [4, 4],
  ] as const)
    tell({ progress, total });
  expect(told).toEqual(["1/3\n", "3/3\n"]);
});

test("a child without the mark in its environment and in a session of its own ends with the server", async () => {
  const stray = Number(textOf(await call("stray")));
  await reached(() => isRunning(stray));
  await hub.close();
  expect(isRunning(stray)).toBe(false);
});
