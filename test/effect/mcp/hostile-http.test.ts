/** Servers over HTTP that never answer, never stop, or send more than anybody can take. */
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpHub, type McpHub, type McpHubDeps } from "../../../src/effect/mcp/index.js";
import { createFetch } from "../../../src/effect/mcp/transport/fetch.js";
import { REOPENING, Reopening } from "../../../src/effect/mcp/transport/reopening.js";
import type { McpServerSetting } from "../../../src/schema/index.js";
import { realClock } from "../support.js";
import { startServer, type TestHandlers, type TestServer, textResult } from "./http-server.js";
import { httpServer, reached, settled, testHub, textOf, until } from "./support.js";

let dir: string;
let open: { close(): Promise<void> }[];
let warnings: string[];
const onWarning = (warning: Error): void => {
  warnings.push(warning.name);
};
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  open = [];
  warnings = [];
  process.on("warning", onWarning);
});
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
  process.off("warning", onWarning);
  await rm(dir, { recursive: true, force: true });
});

const use = { signal: new AbortController().signal };
const kept = <One extends { close(): Promise<void> }>(one: One): One => {
  open.push(one);
  return one;
};
const serving = async (handlers: TestHandlers): Promise<TestServer> => kept(await startServer(handlers));
const makeHub = (deps: Partial<McpHubDeps> = {}): McpHub =>
  kept(createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir, ...deps })));
const started = async (url: string, more: Partial<McpServerSetting> = {}, deps: Partial<McpHubDeps> = {}): Promise<McpHub> => {
  const hub = makeHub(deps);
  hub.configure([httpServer("web", url, more)]);
  await settled(hub);
  return hub;
};
const call = async (hub: McpHub, more: Partial<Parameters<McpHub["call"]>[1]> = {}) =>
  await hub.call({ server: "web", tool: "echo", args: {} }, { ...use, ...more });
const events = (response: ServerResponse): ServerResponse => response.writeHead(200, { "content-type": "text/event-stream" });
const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
/** Writes as fast as it is taken, until the other side goes away; how often it did. */
const pour = async (response: ServerResponse, text: string, times: number): Promise<number> => {
  for (let written = 0; written < times; written += 1) {
    if (response.destroyed) return written;
    if (!response.write(text)) await reached(() => !response.writableNeedDrain || response.destroyed);
  }
  return times;
};

describe("a start that does not end", () => {
  const initialized = '"notifications/initialized"';
  const silent: TestHandlers["first"] = (_, __, body) => body.includes(initialized);
  const endless: TestHandlers["first"] = (_, response, body) => {
    if (!body.includes(initialized)) return false;
    response.writeHead(500, { "content-type": "text/plain" }).write("no");
    return true;
  };

  test.each([
    ["is not answered", silent, "It did not answer within 0.3 s of its start."],
    ["is refused in a body without an end", endless, "It answered with status 500: no"],
  ])("because its last step %s has the time of the server", async (_, first, words) => {
    const { url } = await serving({ first });
    const more = { timeoutMs: first === silent ? 300 : 30_000, required: true };
    const hub = await started(url, more);
    expect(hub.servers()[0]).toMatchObject({ state: "failed", message: words });
    expect(await hub.check(httpServer("web", url, more), use.signal)).toMatchObject({ error: { code: "mcp.server-failed", why: words } });
    expect(await hub.settled(use.signal)).toMatchObject({ error: { code: "mcp.server-failed", why: words } });
  });

  test("because its lists tell of progress for ever has the same time", async () => {
    const server = await serving({
      on: async ({ method, params, response }) => {
        if (method !== "tools/list") return undefined;
        const token = (params["_meta"] as { progressToken: number }).progressToken;
        events(response);
        const timer = setInterval(
          () => response.write(event({ method: "notifications/progress", params: { progressToken: token, progress: 1 } })),
          20,
        );
        response.once("close", () => {
          clearInterval(timer);
        });
        return await new Promise(() => undefined);
      },
    });
    const hub = await started(server.url, { timeoutMs: 400 });
    expect(hub.servers()[0]).toMatchObject({ state: "failed", message: "It did not answer within 0.4 s of its start." });
  });

  test.each(["close", "killNow"] as const)("is given up at once by %s", async (how) => {
    const server = await serving({ first: silent });
    const hub = makeHub();
    hub.configure([httpServer("web", server.url)]);
    const waiting = hub.call({ server: "web", tool: "echo", args: {} }, use);
    await reached(() => server.seen.includes("notifications/initialized"));
    await hub[how]();
    expect(await waiting).toMatchObject({ outcome: "not-applied" });
  });

  test("a request without a head is ended also where the asker has a signal", async () => {
    const server = await serving({ first: () => true });
    const fetched = createFetch({})(server.url, { signal: use.signal, headMs: 100 });
    await expect(fetched).rejects.toMatchObject({ cause: { message: "No answer began within 0.1 s." } });
  });
});

describe("a server that asks and asks", () => {
  test("has few answers on their way, and is given up when it does not take them", async () => {
    let now = 0;
    let most = 0;
    const server = await serving({
      first: (request, response, body) => {
        if (request.method === "GET") {
          const pings = Array.from({ length: 20_000 }, (_, index) => event({ id: `p${index}`, method: "ping" }));
          events(response).write(pings.join(""));
          return true;
        }
        if (!body.includes('"result"') || body.includes('"method"')) return false;
        now += 1;
        most = Math.max(most, now);
        response.once("close", () => (now -= 1));
        return true;
      },
    });
    const hub = await started(server.url);
    await until(hub, () => hub.servers()[0]?.state === "reconnecting");
    expect(hub.servers()[0]?.message).toContain("It asked more than it takes answers to: over 1000 messages");
    expect(most).toBeLessThanOrEqual(8);
    expect(warnings).toEqual([]);
  });

  const asking = async (count: number) =>
    await serving({
      on: async ({ id, method, response }) => {
        if (method !== "tools/call") return undefined;
        const params = { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } };
        events(response);
        for (let asked = 0; asked < count && !response.destroyed; asked += 1_000) {
          const some = Array.from({ length: Math.min(1_000, count - asked) }, (_, index) =>
            event({ id: `e${asked + index}`, method: "elicitation/create", params }),
          );
          await pour(response, some.join(""), 1);
        }
        // What the others are told is told before.
        if (count < 1_000) await reached(() => declined.length >= count - 8);
        if (count < 1_000) response.end(event({ id, result: textResult("done") }));
        return await new Promise(() => undefined);
      },
      first: (_, __, body) => {
        if (body.includes('"decline"')) declined.push(body);
        return false;
      },
    });
  let declined: string[];
  beforeEach(() => {
    declined = [];
  });

  test("a hundred thousand forms in a call end the call and keep no timer from running", async () => {
    const server = await asking(100_000);
    const hub = await started(server.url, { timeoutMs: 3_000 });
    expect(await call(hub)).toMatchObject({ outcome: "unknown", result: { ok: false } });
    expect(warnings).toEqual([]);
  });

  test("a person is asked one form, a few wait, the others are declined", async () => {
    const server = await asking(100);
    const hub = await started(server.url);
    let asked = 0;
    const answered = call(hub, {
      ask: async () => {
        asked += 1;
        return await new Promise(() => undefined);
      },
    });
    expect(textOf(await answered)).toBe("done");
    expect([asked, declined.length]).toEqual([1, 92]);
  });
});

describe("the stream that answers no request", () => {
  test("is ended where a line has no end", async () => {
    let written = 0;
    let gone = false;
    const server = await serving({
      first: (request, response) => {
        if (request.method !== "GET" || gone) return false;
        events(response).write("data: ");
        pour(response, "a".repeat(1024 * 1024), 64).then(
          (count) => {
            written = count;
            gone = response.destroyed;
          },
          () => undefined,
        );
        return true;
      },
    });
    await started(server.url);
    await reached(() => written > 0);
    expect(gone).toBe(true);
    expect(written).toBeLessThan(32);
  });

  test("so is one of a request that was taken up again", async () => {
    let written = 0;
    const server = await serving({
      on: ({ method, response }) => {
        if (method === "tools/call") events(response).end("id: e-7\nretry: 10\ndata:\n\n");
        return undefined;
      },
      first: (request, response) => {
        if (request.headers["last-event-id"] !== "e-7" || written > 0) return false;
        events(response).write("data: ");
        pour(response, "a".repeat(1024 * 1024), 64).then(
          (count) => (written = count),
          () => undefined,
        );
        return true;
      },
    });
    const hub = await started(server.url);
    expect(await call(hub)).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.answer-lost" } } });
    expect(written).toBeLessThan(32);
  });

  test("that ends at once is opened a few times, with a pause between, and no more", async () => {
    const slept: number[] = [];
    const clock = {
      ...realClock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms > 500 && ms < 9_000) slept.push(Math.ceil(ms / 1_000));
        await realClock.sleep(ms / 100, signal);
      },
    };
    const server = await serving({
      first: (request, response) => {
        if (request.method !== "GET") return false;
        events(response).end("retry: 0\n\n");
        return true;
      },
    });
    const gets = (): number => server.seen.filter((what) => what.startsWith("GET")).length;
    const hub = await started(server.url, { timeoutMs: 3_000_000 }, { clock });
    await reached(() => gets() >= REOPENING.maxAtOnce);
    for (let time = 0; time < 50; time += 1) await call(hub);
    expect(gets()).toBe(REOPENING.maxAtOnce);
    expect(slept).toEqual([1, 2, 4, 8]);
  });

  test("that held for a while is opened again as often as it likes, after a pause", async () => {
    let now = 0;
    const sleep = async (ms: number): Promise<void> => {
      now += ms;
      await Promise.resolve();
    };
    const reopening = new Reopening({ now: () => now, monotonic: () => now, sleep });
    for (let time = 0; time < 20; time += 1) {
      expect(await reopening.mayOpen(undefined)).toBe(true);
      expect(now).toBe(time * (60_000 + REOPENING.minMs));
      reopening.opened();
      now += 60_000;
      reopening.ended();
    }
  });
});

test("an answer of 15 million characters comes whole, one of 17 million costs its own call and no more", async () => {
  let units = 15_000_000;
  const server = await serving({ on: ({ method }) => (method === "tools/call" ? textResult("x".repeat(units)) : undefined) });
  const hub = await started(server.url);
  expect(textOf(await call(hub))).toHaveLength(units);
  units = 17_000_000;
  const why = "Its answer has more than 16777216 characters, and was not taken.";
  expect(await call(hub)).toMatchObject({
    outcome: "unknown",
    result: { error: { code: "mcp.answer-lost", why: expect.stringContaining(why) as string } },
  });
  expect(hub.servers()[0]?.state).toBe("connected");
  units = 3;
  expect(textOf(await call(hub))).toBe("xxx");
});
