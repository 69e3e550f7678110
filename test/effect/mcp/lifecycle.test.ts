import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../../src/base/index.js";
import { createMcpHub, type McpChange, type McpHub } from "../../../src/effect/mcp/index.js";
import type { McpServerSetting } from "../../../src/schema/index.js";
import { realClock } from "../support.js";
import { isRunning, reached, script, settled, stdioServer, testHub, textOf, until } from "./support.js";

let dir: string;
let hub: McpHub;
/** Time that passes without anybody waiting for it. */
let aheadMs: number;
let changes: McpChange[];

/** A hundred waits in the time of one. */
const hasty: Clock = {
  ...realClock,
  monotonic: () => realClock.monotonic() + aheadMs,
  sleep: async (ms, signal) => await realClock.sleep(ms / 100, signal),
};
const use = { signal: new AbortController().signal };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  aheadMs = 0;
  changes = [];
  hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir, clock: hasty }));
  hub.observe((change) => change !== undefined && changes.push(change));
});
afterEach(async () => {
  await hub.close();
  await rm(dir, { recursive: true, force: true });
});

/** Waits that are a hundredth need times that are a hundred more. */
const patient: Partial<McpServerSetting> = { timeoutMs: 3_000_000 };
const noting = (file: string, more: Partial<McpServerSetting> = {}): McpServerSetting =>
  stdioServer("srv", [script(file), join(dir, "notes")], {}, { ...patient, ...more });
const starts = async (): Promise<number> =>
  (await readFile(join(dir, "notes"), "utf8")).split("\n").filter((line) => line.startsWith("start")).length;
const call = async (tool: string) => await hub.call({ server: "srv", tool, args: {} }, use);
const pid = async (): Promise<number> => Number(textOf(await call("pid")));

async function started(...settings: readonly McpServerSetting[]): Promise<void> {
  hub.configure(settings);
  await Promise.all(settings.map(async () => await until(hub, () => hub.servers().every(({ state }) => state === "connected"))));
}

describe("a server that goes away", () => {
  test("each time it was started is started five times and then given up", async () => {
    hub.configure([noting("fleeting.mjs")]);
    await until(hub, () => hub.servers()[0]?.state === "failed" && changes.at(-1)?.state === "failed");
    expect(await starts()).toBe(5);
    expect(hub.servers()[0]?.message).toMatch(/ended with status 3\..*started 5 times in a row|did not stay/u);
    expect(await call("echo")).toMatchObject({ outcome: "not-applied", result: { error: { code: "mcp.server-failed" } } });
    expect(await starts()).toBe(5);
  });

  test("after a minute or more is started again however often that happens", async () => {
    await started(noting("mortal.mjs"));
    for (let time = 1; time <= 7; time += 1) {
      aheadMs += 60_000;
      process.kill(await pid(), "SIGKILL");
      await until(hub, () => changes.filter(({ state }) => state === "connected").length === time + 1);
    }
    expect(changes.some(({ state }) => state === "failed")).toBe(false);
    expect(await starts()).toBe(8);
  });

  test("is started once for all who need it", async () => {
    await started(noting("mortal.mjs"));
    await call("die");
    const pids = await Promise.all(Array.from({ length: 5 }, pid));
    expect(new Set(pids).size).toBe(1);
    expect(await starts()).toBe(2);
  });

  test("as the process ends is not started again", async () => {
    await started(noting("mortal.mjs"));
    const one = await pid();
    hub.killNow();
    await reached(() => !isRunning(one));
    await hub.close();
    expect(changes.map(({ state }) => state)).toEqual(["connected"]);
    expect(await starts()).toBe(1);
  });
});

describe("a server that says nothing", () => {
  const mute = (more: Partial<McpServerSetting> = {}): McpServerSetting => stdioServer("mute", [script("mute.mjs")], {}, more);

  test("is waited for ten seconds, and goes on connecting beside everything else", async () => {
    hub.configure([mute(patient), noting("mortal.mjs")]);
    expect(await hub.settled(use.signal)).toEqual({ ok: true, value: undefined });
    expect(hub.servers()[0]?.state).toBe("connecting");
  });

  test("and is required keeps a run from starting once its own time is over", async () => {
    hub.configure([mute({ required: true, timeoutMs: 300 })]);
    expect(await hub.settled(use.signal)).toMatchObject({
      error: { code: "mcp.server-failed", what: "The MCP server mute cannot be used." },
    });
    expect(hub.servers()[0]).toMatchObject({ state: "failed", message: "It did not answer within 0.3 s of its start." });
  });

  test("and is required is not waited for by whoever gives up", async () => {
    const stop = new AbortController();
    hub.configure([mute({ required: true, ...patient })]);
    const ready = hub.settled(stop.signal);
    stop.abort();
    expect(await ready).toMatchObject({ error: { code: "mcp.stopped" } });
  });

  test("is ended while it connects, when the hub is closed or it is not configured any more", async () => {
    hub.configure([mute(patient)]);
    hub.configure([]);
    expect(hub.servers()).toEqual([]);
    hub.configure([mute(patient)]);
    await hub.close();
    expect(hub.servers()).toEqual([]);
  });
});

test.each([
  ["with an error", "error", "no more seats"],
  ["in a revision nobody speaks", "revision", "Server's protocol version is not supported: 1999-01-01"],
])("a server that answers %s is told by its words, not by how it was ended", async (_, kind, words) => {
  hub.configure([stdioServer("srv", [script("refusing.mjs"), kind], {}, patient)]);
  await until(hub, () => hub.servers()[0]?.state === "failed");
  expect(hub.servers()[0]).toMatchObject({ state: "failed", message: words });
});

describe("servers that are configured anew", () => {
  test("run anew where something of them changed, and the one before is ended", async () => {
    await started(noting("mortal.mjs"));
    const before = await pid();
    hub.configure([noting("mortal.mjs", { deny: ["die"] })]);
    expect(hub.servers()[0]).toMatchObject({ deny: ["die"] });
    await settled(hub);
    expect(await pid()).not.toBe(before);
    await reached(() => !isRunning(before));
    expect(changes.map(({ state }) => state)).toEqual(["connected", "connected"]);
  });

  test("are off once they are switched off", async () => {
    await started(noting("mortal.mjs"));
    const before = await pid();
    hub.configure([noting("mortal.mjs", { enabled: false })]);
    expect(hub.servers()[0]).toMatchObject({ state: "off", tools: [] });
    expect(await call("pid")).toMatchObject({ outcome: "not-applied", result: { error: { code: "mcp.server-off" } } });
    await reached(() => !isRunning(before));
  });
});
