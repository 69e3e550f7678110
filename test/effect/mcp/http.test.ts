import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ok } from "../../../src/base/index.js";
import { createMcpHub, type McpChange, type McpHub, type McpHubDeps } from "../../../src/effect/mcp/index.js";
import type { McpServerSetting } from "../../../src/schema/index.js";
import { realClock } from "../support.js";
import { sendJson, startServer, type TestHandlers, type TestServer, textResult } from "./http-server.js";
import { httpServer, reached, settled, testHub, textOf, until } from "./support.js";

let dir: string;
let open: { close(): Promise<void> }[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  open = [];
});
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
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

test("a server is asked over HTTP with the agreed revision, its session and the headers of its setting", async () => {
  const server = await serving({
    on: ({ method, response }) => {
      if (method === "initialize") response.setHeader("mcp-session-id", "s-1");
      return undefined;
    },
  });
  const transport = { type: "http", url: "${BASE}/mcp", headers: { "x-team": "blue", "x-api-key": "{secret:KEY}" } } as const;
  const learned: string[] = [];
  const hub = await started(
    "",
    { transport },
    { env: { BASE: server.origin }, secret: () => "k-123456", onSecret: (_, value) => learned.push(value) },
  );
  expect(textOf(await call(hub))).toBe("ok");
  expect(hub.servers()[0]).toMatchObject({ state: "connected", title: "web", protocol: "2025-11-25" });
  const last = server.headers.at(-1);
  expect(last).toMatchObject({ "x-team": "blue", "x-api-key": "k-123456", "mcp-session-id": "s-1", "mcp-protocol-version": "2025-11-25" });
  expect([...new Set(learned)]).toEqual(["k-123456"]);
  await hub.close();
  expect(server.seen.at(-1)).toBe("DELETE /mcp");
});

test.each(["k-1\nx-evil: 1", "k-\u0000", "k-\u{1f511}"])(
  "a header that may not have its value %j is told without the value",
  async (secret) => {
    const server = await serving({});
    const transport = { type: "http", url: server.url, headers: { "x-api-key": "{secret:KEY}" } } as const;
    const hub = await started("", { transport }, { secret: () => secret });
    expect(hub.servers()[0]).toMatchObject({
      state: "failed",
      message: "The value of its header x-api-key has characters that no header may have, such as a line end.",
    });
    expect(server.seen).toEqual([]);
  },
);

describe("an answer over a stream of events", () => {
  test("comes with progress before it", async () => {
    const server = await serving({
      on: ({ id, method, params, response }) => {
        if (method !== "tools/call") return undefined;
        const token = (params["_meta"] as { progressToken: number }).progressToken;
        const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token, progress: 1, total: 4 } };
        const answer = JSON.stringify({ jsonrpc: "2.0", id, result: textResult("später 😀") });
        events(response).write(`: hello\n\ndata: ${JSON.stringify(progress)}\r\n\r\n`);
        const bytes = Buffer.from(`event: message\ndata: ${answer}\n\n`);
        const cut = bytes.indexOf(0xf0) + 2;
        response.write(bytes.subarray(0, cut));
        response.end(bytes.subarray(cut));
        return undefined;
      },
    });
    const hub = await started(server.url);
    const told: string[] = [];
    expect(textOf(await call(hub, { onProgress: (text) => told.push(text) }))).toBe("später 😀");
    expect(told).toEqual(["1/4\n"]);
  });

  test("that ends without the answer fails the call at once: it was sent, and is not sent again", async () => {
    const server = await serving({
      on: ({ method, response }) => {
        if (method === "tools/call") events(response).end(": nothing\n\n");
        return undefined;
      },
    });
    const hub = await started(server.url);
    expect(await call(hub)).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.answer-lost" } } });
    expect(server.seen.filter((method) => method === "tools/call")).toHaveLength(1);
    expect(hub.servers()[0]?.state).toBe("connected");
  });

  test("that breaks is taken up where it was", async () => {
    let waiting = 0;
    const server = await serving({
      on: ({ id, method, response }) => {
        if (method !== "tools/call") return undefined;
        waiting = id;
        events(response).end("id: e-7\nretry: 10\ndata:\n\n");
        return undefined;
      },
      first: (request, response) => {
        if (request.headers["last-event-id"] !== "e-7") return false;
        events(response).end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: waiting, result: textResult("resumed") })}\n\n`);
        return true;
      },
    });
    expect(textOf(await call(await started(server.url)))).toBe("resumed");
    expect(server.seen.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("that breaks and cannot be taken up fails the call", async () => {
    const server = await serving({
      on: ({ method, response }) => {
        if (method === "tools/call") events(response).end("id: e-7\nretry: 10\ndata:\n\n");
        return undefined;
      },
    });
    expect(await call(await started(server.url))).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.answer-lost" } } });
  });
});

describe("a status that refuses", () => {
  const refusing = async (status: number, headers: Record<string, string> = {}, body: object = { error: "no" }): Promise<TestServer> =>
    await serving({
      on: ({ method, response }) => {
        if (method === "tools/call") sendJson(response, body as never, status, headers);
        return undefined;
      },
    });

  test.each([
    [400, "not-applied", "mcp.refused"],
    [403, "not-applied", "mcp.refused"],
    [429, "not-applied", "mcp.busy"],
    [500, "unknown", "mcp.unclear"],
    [503, "not-applied", "mcp.busy"],
  ])("%d: %s", async (status, outcome, code) => {
    const server = await refusing(status);
    const hub = await started(server.url);
    expect(await call(hub)).toMatchObject({ outcome, result: { error: { code } } });
    expect(server.seen.filter((method) => method === "tools/call")).toHaveLength(1);
    expect(hub.servers()[0]?.state).toBe("connected");
  });

  test("with a time to come back says when", async () => {
    const hub = await started((await refusing(429, { "retry-after": "7" })).url);
    expect(await call(hub)).toMatchObject({ result: { error: { retry: { type: "after", delayMs: 7_000 } } } });
  });

  test("404 for a session that is over: a new one is begun, and the call is made in that", async () => {
    let sessions = 0;
    const server = await serving({
      on: ({ method, request, response }) => {
        if (method === "initialize") response.setHeader("mcp-session-id", `s-${(sessions += 1)}`);
        if (method === "tools/call" && request.headers["mcp-session-id"] === "s-1")
          sendJson(response, { jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Session not found" } }, 404);
        return undefined;
      },
    });
    expect(textOf(await call(await started(server.url)))).toBe("ok");
    expect(sessions).toBe(2);
  });

  test("404 again and again: it is asked twice and no more", async () => {
    const server = await refusing(404);
    expect(await call(await started(server.url))).toMatchObject({ outcome: "not-applied" });
    expect(server.seen.filter((method) => method === "tools/call")).toHaveLength(2);
  });

  test("what it says is shown without what is secret", async () => {
    const server = await refusing(400, {}, { error: { message: "bad key k-123456" } });
    const hub = await started(server.url, {}, { conceal: (text) => text.replaceAll("k-123456", "[hidden]") });
    expect(await call(hub)).toMatchObject({ result: { error: { why: "It answered with status 400: bad key [hidden]" } } });
  });
});

describe("credentials", () => {
  const wall: TestHandlers["first"] = (request, response) =>
    request.headers.authorization === "Bearer good" ? false : sendJson(response, { error: "who are you" }, 401);

  test("401 with nothing to show: a person has to sign in", async () => {
    const hub = await started((await serving({ first: wall })).url, { required: true });
    expect(hub.servers()[0]?.state).toBe("sign-in");
    expect(await hub.settled(use.signal)).toMatchObject({
      error: { code: "mcp.sign-in-needed", next: "Sign in with: smith mcp-servers login web" },
    });
  });

  const withToken = (url: string): McpServerSetting["transport"] => ({
    type: "http",
    url,
    headers: {},
    bearer: { type: "env", names: ["T"] },
  });

  test("a token of the setting is sent", async () => {
    const { url } = await serving({ first: wall });
    const hub = await started(url, { transport: withToken(url) }, { credential: async () => await Promise.resolve(ok("good")) });
    expect(textOf(await call(hub))).toBe("ok");
  });

  test("a token that is not taken is said to be that: no sign-in would help", async () => {
    const { url } = await serving({ first: wall });
    const deps = { credential: async () => await Promise.resolve(ok("bad-token")) };
    const hub = await started(url, { transport: withToken(url), required: true }, deps);
    const ready = await hub.settled(use.signal);
    expect(ready).toMatchObject({ error: { code: "mcp.token-refused" } });
    expect(JSON.stringify(ready)).not.toContain("bad-token");
  });

  test.each([301, 302, 307, 308])("a redirect (%d) to another origin is not followed", async (status) => {
    const other = await serving({});
    const server = await serving({ first: (_, response) => sendJson(response, {}, status, { location: other.url }) });
    const hub = await started(server.url, { transport: { type: "http", url: server.url, headers: { "x-api-key": "k-1" } } });
    expect(other.seen).toEqual([]);
    expect(hub.servers()[0]?.state).toBe("failed");
    expect(hub.servers()[0]?.message).toContain(`Redirect to ${other.url} not followed`);
  });

  test("a redirect within the origin that keeps the method is followed", async () => {
    const server = await serving({
      first: (request, response) => (request.url === "/mcp" ? sendJson(response, {}, 307, { location: "/other" }) : false),
    });
    expect(textOf(await call(await started(server.url)))).toBe("ok");
  });
});

describe("a server that cannot be reached", () => {
  /** A hundred waits in the time of one. */
  const hasty = { ...realClock, sleep: async (ms: number, signal?: AbortSignal) => await realClock.sleep(ms / 100, signal) };

  test("at first: it is looked for again, and found when it is there", async () => {
    const { origin, close } = await startServer({});
    await close();
    const hub = await started(`${origin}/mcp`, {}, { clock: hasty });
    expect(hub.servers()[0]?.message).toMatch(/^It cannot be reached: .*ECONNREFUSED/u);
    await serving({ port: Number(new URL(origin).port) });
    await until(hub, () => hub.servers()[0]?.state === "connected");
    expect(textOf(await call(hub))).toBe("ok");
  });

  test("later: the call was not applied, and the next one finds it again", async () => {
    // Without connections that are kept: one that is closed as it is used again leaves open whether anything came over it.
    const first = await startServer({
      first: (_, response) => {
        response.setHeader("connection", "close");
        return false;
      },
    });
    const hub = await started(first.url);
    const changes: McpChange[] = [];
    hub.observe((change) => change !== undefined && changes.push(change));
    await first.close();
    expect(await call(hub)).toMatchObject({ outcome: "not-applied", result: { error: { code: "mcp.server-failed" } } });
    await serving({ port: Number(new URL(first.url).port) });
    expect(textOf(await call(hub))).toBe("ok");
    expect(changes.map(({ state }) => state)).toEqual(["reconnecting", "connected"]);
  });

  test("during a call: its outcome is unknown", async () => {
    const server = await serving({
      on: async ({ method, request }) => {
        if (method !== "tools/call") return undefined;
        request.socket.destroy();
        return await new Promise(() => undefined);
      },
    });
    expect(await call(await started(server.url))).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.answer-lost" } } });
    expect(server.seen.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("an address that is none is said to be that", async () => {
    const hub = await started("file:///etc/passwd");
    expect(hub.servers()[0]?.message).toContain("no address of http or https");
  });
});

test("a call that is given up is cancelled, and its connection is let go", async () => {
  let gone = false;
  const server = await serving({
    on: async ({ method, response }) => {
      if (method !== "tools/call") return undefined;
      response.once("close", () => {
        gone = true;
      });
      return await new Promise(() => undefined);
    },
  });
  const hub = await started(server.url);
  const stop = new AbortController();
  const calling = call(hub, { signal: stop.signal });
  await reached(() => server.seen.includes("tools/call"));
  stop.abort();
  expect(await calling).toMatchObject({ outcome: "unknown", result: { error: { code: "mcp.stopped" } } });
  await reached(() => gone && server.seen.includes("notifications/cancelled"));
});
