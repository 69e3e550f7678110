import { appendFile, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpHub, type McpChange, type McpHub, type McpHubDeps } from "../../../src/effect/mcp/index.js";
import type { McpServerSetting, McpServerState } from "../../../src/schema/index.js";
import { isRunning, reached, script, settled, stdioServer, testHub, textOf, until } from "./support.js";

let dir: string;
let hubs: McpHub[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  hubs = [];
});
afterEach(async () => {
  await Promise.all(hubs.map(async (hub) => await hub.close()));
  await rm(dir, { recursive: true, force: true });
});

const use = { signal: new AbortController().signal };
const makeHub = (deps: Partial<McpHubDeps> = {}): McpHub => {
  const hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir, ...deps }));
  hubs.push(hub);
  return hub;
};
const started = async (settings: readonly McpServerSetting[], deps: Partial<McpHubDeps> = {}): Promise<McpHub> => {
  const hub = makeHub(deps);
  hub.configure(settings);
  await settled(hub);
  return hub;
};
const mortal = (more: Partial<McpServerSetting> = {}): McpServerSetting =>
  stdioServer("srv", [script("mortal.mjs"), join(dir, "notes")], {}, more);
const notes = async (): Promise<readonly string[]> => (await readFile(join(dir, "notes"), "utf8")).trim().split("\n");
const call = async (hub: McpHub, tool: string, args: Record<string, number> = {}, more: Partial<Parameters<McpHub["call"]>[1]> = {}) =>
  await hub.call({ server: "srv", tool, args }, { ...use, ...more });
const stateOf = (hub: McpHub): McpServerState | undefined => hub.servers()[0]?.state;

describe("what servers write beside their messages", () => {
  test("lines that are no messages are passed over and kept, stderr is drained, characters may be cut anywhere", async () => {
    const setting = stdioServer("srv", [script("noisy.mjs")]);
    const hub = await started([setting]);
    expect(hub.servers()[0]).toMatchObject({ state: "connected", notes: [] });
    expect(hub.servers()[0]?.tools.map(({ description }) => description)).toEqual(["€ größe 😀", "€ naïve 😀", "€ 日本 😀"]);
    expect(textOf(await call(hub, "größe"))).toBe("größe 😀€");
    const checked = await hub.check(setting, use.signal);
    expect(checked.ok && checked.value.noise.slice(0, 3)).toEqual(["Ready v1.2", '{"hello":1}', "a log line between"]);
    expect(checked.ok && checked.value.noise.length).toBeLessThanOrEqual(5);
    expect(checked.ok && checked.value.stderr.endsWith("e\nlast words\n")).toBe(true);
    expect(checked.ok && Buffer.byteLength(checked.value.stderr)).toBe(4_096);
  });

  test("a message of 15 MB comes whole, one of 17 MB costs its own call and no more", async () => {
    const hub = await started([mortal()]);
    expect(textOf(await call(hub, "big", { size: 15_000_000 })).length).toBe(15_000_000);
    const tooLong = call(hub, "big", { size: 17_000_000 });
    expect(textOf(await call(hub, "pid"))).toMatch(/^\d+$/u);
    expect(await tooLong).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.answer-lost" } } });
    expect(stateOf(hub)).toBe("connected");
  });

  test("what a server says as it fails to start is told", async () => {
    const hub = await started([stdioServer("srv", [script("early.mjs")])]);
    expect(hub.servers()[0]).toMatchObject({ state: "failed", message: "It ended with status 4. It said: no database at db.internal" });
  });
});

describe("the environment of a server", () => {
  test("basic variables, what is inherited and what is set, and nothing else", async () => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: dir, LANG: "C", API_KEY: "k1", OTHER: "o", EMPTY: "", TOOL_A: "a" };
    const values = {
      ONE: "${API_KEY}-x",
      TWO: "${NOT_THERE:-fallback}",
      THREE: "${EMPTY:-full}",
      FOUR: "s {secret:TOKEN}",
      FIVE: "${EMPTY}.",
    };
    const setting = stdioServer("srv", [script("mortal.mjs")], values);
    const { transport } = setting;
    const inheriting = { ...setting, transport: transport.type === "stdio" ? { ...transport, inherit: ["TOOL_*"] } : transport };
    const hub = await started([inheriting], { env, secret: (name) => (name === "TOKEN" ? "t0" : undefined) });
    const seen = JSON.parse(textOf(await call(hub, "env"))) as Record<string, string>;
    delete seen["SMITH_COMMAND"];
    expect(seen).toEqual({
      ...{ PATH: env.PATH, HOME: dir, LANG: "C", TOOL_A: "a" },
      ...{ ONE: "k1-x", TWO: "fallback", THREE: "full", FOUR: "s t0", FIVE: "." },
    });
  });

  test.each([
    ["a variable", { KEY: "${NOT_THERE}" }, "its variable KEY refers to NOT_THERE"],
    ["a secret", { KEY: "{secret:NOPE}" }, "its variable KEY refers to NOPE"],
  ])("%s that is not set is named, with the server", async (_, env, words) => {
    const hub = await started([stdioServer("srv", [script("mortal.mjs")], env, { required: true })]);
    const ready = await hub.settled(use.signal);
    expect(ready).toMatchObject({ error: { code: "mcp.variable-unset" } });
    expect(!ready.ok && ready.error.what).toContain(`server srv cannot be started: ${words}`);
  });

  test.each([
    ["a project's mcp.json", "project", "/w/.mcp.json", "tmp"],
    ["a project's settings", "project", "/w/.smith/config.kdl", "tmp"],
    ["this run", "run", "", "tmp"],
    ["a person's file", "user", "/w/mcp.json", "${WHERE}"],
  ] as const)("its folder is relative to where it is named: %s", async (_, from, file, cwd) => {
    await mkdir(join(dir, "tmp"));
    const setting = stdioServer("srv", [script("mortal.mjs")]);
    const transport = { ...setting.transport, cwd } as McpServerSetting["transport"];
    const source = { from, file: file.replace("/w", dir) };
    const hub = await started([{ ...setting, transport, source }], { env: { PATH: process.env["PATH"] ?? "", WHERE: "tmp" } });
    expect(textOf(await call(hub, "cwd"))).toBe(join(await realpath(dir), "tmp"));
  });

  test("a folder that is not there is named", async () => {
    const setting = stdioServer("srv", [script("mortal.mjs")]);
    const hub = await started([{ ...setting, transport: { ...setting.transport, cwd: "nowhere" } as McpServerSetting["transport"] }]);
    expect(hub.servers()[0]).toMatchObject({ state: "failed", message: "Its folder /config/nowhere is not there." });
  });

  test("a program that is not there is said to be that", async () => {
    const setting = stdioServer("srv", []);
    const hub = await started([{ ...setting, transport: { type: "stdio", command: "no-such-program", args: [], env: {}, inherit: [] } }]);
    expect(hub.servers()[0]).toMatchObject({
      state: "failed",
      message: "The program no-such-program was not found, or may not be executed.",
    });
  });
});

describe("a server that goes away", () => {
  test("during a call: the call fails at once, its outcome is unknown, it is not sent again, the server comes back", async () => {
    const hub = await started([mortal()]);
    const changes: McpChange[] = [];
    hub.observe((change) => change !== undefined && changes.push(change));
    expect(await call(hub, "die")).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.answer-lost" } } });
    expect(stateOf(hub)).toBe("reconnecting");
    expect(textOf(await call(hub, "pid"))).toMatch(/^\d+$/u);
    expect((await notes()).filter((line) => !line.startsWith("start"))).toEqual(["call die", "call pid"]);
    expect(changes.map(({ state }) => state)).toEqual(["reconnecting", "connected"]);
    expect(changes[0]?.message).toBe("It was ended by SIGKILL.");
  });

  test("while nobody uses it: it is started again, and the next call finds it", async () => {
    const hub = await started([mortal()]);
    const pid = Number(textOf(await call(hub, "pid")));
    process.kill(pid, "SIGKILL");
    await until(hub, () => stateOf(hub) === "reconnecting");
    expect(Number(textOf(await call(hub, "pid")))).not.toBe(pid);
  });

  test("again and again: it is given up after five starts in a row, and a person can have it tried anew", async () => {
    const hub = await started([mortal()]);
    for (let time = 1; time <= 5; time += 1) expect(await call(hub, "die")).toMatchObject({ outcome: "unknown" });
    expect(await call(hub, "pid")).toMatchObject({ outcome: "not-applied", result: { error: { code: "mcp.server-failed" } } });
    expect(stateOf(hub)).toBe("failed");
    expect((await notes()).filter((line) => line.startsWith("start"))).toHaveLength(5);
    expect(await hub.reconnect("srv", use)).toMatchObject({ ok: true, value: { state: "connected" } });
  });

  test("during a read: it is read once more from a new one", async () => {
    const hub = await started([mortal()]);
    expect(await hub.read("srv", "die:", use)).toMatchObject({ ok: false, error: { code: "mcp.answer-lost" } });
    expect((await notes()).filter((line) => line === "read die:")).toHaveLength(2);
    expect(await hub.read("srv", "x:1", use)).toMatchObject({ ok: true, value: [{ type: "resource", uri: "x:1" }] });
  });

  test("an answer that was written before the end counts", async () => {
    const hub = await started([mortal()]);
    expect(textOf(await call(hub, "answerAndLeave"))).toHaveLength(100_000);
  });

  test.each([
    [-32_602, "not-applied", "mcp.refused"],
    [-32_601, "not-applied", "mcp.refused"],
    [-32_603, "unknown", "mcp.unclear"],
    // Codes that the protocol's own code uses for itself are the server's as well.
    [-32_000, "unknown", "mcp.unclear"],
    [-32_001, "unknown", "mcp.unclear"],
    // No status of HTTP, however much it looks like one.
    [404, "unknown", "mcp.unclear"],
    [503, "unknown", "mcp.unclear"],
  ])("an error with the code %d is an answer: %s", async (code, outcome, diagnostic) => {
    const hub = await started([mortal()]);
    expect(await call(hub, "fail", { code })).toMatchObject({
      outcome,
      result: { error: { code: diagnostic, why: "the server says no" } },
    });
    expect((await notes()).filter((line) => line === "call fail")).toHaveLength(1);
    expect(stateOf(hub)).toBe("connected");
  });
});

describe("a call that is given up", () => {
  test("ends at once and tells the server", async () => {
    const hub = await started([mortal()]);
    const stop = new AbortController();
    const hanging = call(hub, "hang", {}, { signal: stop.signal });
    await reached(async () => (await notes()).includes("call hang"));
    stop.abort(new Error("enough"));
    expect(await hanging).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.stopped" } } });
    await reached(async () => (await notes()).includes("cancelled with a reason"));
    expect(textOf(await call(hub, "pid"))).toMatch(/^\d+$/u);
    expect(await call(hub, "pid", {}, { signal: AbortSignal.abort() })).toMatchObject({ outcome: "not-applied" });
  });

  test("after its answer is not cancelled any more, nor is the connection's beginning at its end", async () => {
    const hub = await started([mortal()]);
    const stop = new AbortController();
    await call(hub, "pid", {}, { signal: stop.signal });
    stop.abort(new Error("over"));
    await call(hub, "pid");
    await hub.close();
    expect((await notes()).filter((line) => line.startsWith("cancelled"))).toEqual([]);
  });

  test("ends when nothing is heard of it for its time", async () => {
    const hub = await started([mortal({ timeoutMs: 300 })]);
    expect(await call(hub, "hang")).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.timed-out" } } });
    await reached(async () => (await notes()).some((line) => line.startsWith("cancelled")));
  });
});

describe("the end", () => {
  test.each([
    ["one that ignores what it is told", "stubborn.mjs"],
    ["one that listens", "mortal.mjs"],
  ])("%s is gone when the hub is closed", async (_, file) => {
    const hub = await started([stdioServer("srv", [script(file)])]);
    const pid = Number(textOf(await call(hub, "pid")));
    await hub.close();
    expect(isRunning(pid)).toBe(false);
  });

  test("what a server started goes with it, also when a shell stands between", async () => {
    const line = `${process.execPath} ${script("mortal.mjs")}; true`;
    const setting = stdioServer("srv", []);
    const hub = await started([{ ...setting, transport: { type: "stdio", command: "sh", args: ["-c", line], env: {}, inherit: [] } }]);
    const pids = [Number(textOf(await call(hub, "pid"))), Number(textOf(await call(hub, "child")))];
    expect(pids.map(isRunning)).toEqual([true, true]);
    await hub.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  test("a server that died leaves no child behind, whoever holds its pipes", async () => {
    const hub = await started([mortal()]);
    const child = Number(textOf(await call(hub, "child")));
    expect(await call(hub, "die")).toMatchObject({ outcome: "unknown" });
    await reached(() => !isRunning(child));
  });

  test("killNow ends them without waiting", async () => {
    const hub = await started([stdioServer("srv", [script("stubborn.mjs")])]);
    const pid = Number(textOf(await call(hub, "pid")));
    hub.killNow();
    await reached(() => !isRunning(pid));
  });

  test("a server that is not configured any more is ended, one that is configured as before is kept", async () => {
    const hub = await started([mortal(), { ...mortal(), name: "other" }]);
    const pid = textOf(await call(hub, "pid"));
    const other = Number(textOf(await hub.call({ server: "other", tool: "pid", args: {} }, use)));
    const changes: string[] = [];
    hub.observe((change) => change !== undefined && changes.push(`${change.server} ${change.state}`));
    hub.configure([mortal()]);
    expect(hub.servers().map(({ name }) => name)).toEqual(["srv"]);
    expect(textOf(await call(hub, "pid"))).toBe(pid);
    await reached(() => !isRunning(other));
    expect(changes).toEqual(["other disconnected"]);
  });
});

test("a disabled server is off: nothing is started, and using it says so", async () => {
  const hub = await started([mortal({ enabled: false })]);
  expect(stateOf(hub)).toBe("off");
  expect(await call(hub, "pid")).toMatchObject({ outcome: "not-applied", result: { error: { code: "mcp.server-off" } } });
  await appendFile(join(dir, "notes"), "");
  expect(await notes()).toEqual([""]);
});

test("many servers start beside each other", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `s${index}`);
  const hub = await started(names.map((name) => stdioServer(name, [script("mortal.mjs")])));
  expect(hub.servers().map(({ name, state }) => [name, state])).toEqual(names.map((name) => [name, "connected"]));
});
