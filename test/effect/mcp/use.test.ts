import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpHub, type McpHub } from "../../../src/effect/mcp/index.js";
import { Patience } from "../../../src/effect/mcp/server/patience.js";
import { EventBound } from "../../../src/effect/mcp/transport/event-bound.js";
import { createFetch } from "../../../src/effect/mcp/transport/fetch.js";
import { tidy } from "../../../src/effect/mcp/transport/message.js";
import type { Question } from "../../../src/schema/index.js";
import { createManualClock } from "../../support/manual-clock.js";
import { startServer } from "./http-server.js";
import { script, settled, stdioServer, testHub, textOf } from "./support.js";

let dir: string;
let hub: McpHub;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir }));
});
afterEach(async () => {
  await hub.close();
  await rm(dir, { recursive: true, force: true });
});
const use = { signal: new AbortController().signal };

describe("a server that asks while it works", () => {
  const params = {
    message: "May I?",
    requestedSchema: { type: "object", properties: { sure: { type: "boolean" }, why: { type: "string", default: "because" } } },
  };

  test("is answered by the person of the call, however long that takes, with defaults for what was left open", async () => {
    hub.configure([stdioServer("srv", [script("asking.mjs")], {}, { timeoutMs: 300 })]);
    await settled(hub);
    const asked: Question[] = [];
    const answer = await hub.call(
      { server: "srv", tool: "ask", args: params },
      {
        ...use,
        ask: async (question) => {
          asked.push(question);
          // Longer than the server is waited for.
          await new Promise((resolve) => setTimeout(resolve, 400));
          return question.type === "confirm" ? { type: "confirmed", yes: true } : { type: "dismissed" };
        },
      },
    );
    expect(JSON.parse(textOf(answer))).toEqual({ action: "accept", content: { sure: true, why: "because" } });
    expect(asked.map(({ type }) => type)).toEqual(["confirm", "ask"]);
  });

  test("asks one form after another: no question takes the place of one that waits for its answer", async () => {
    hub.configure([stdioServer("srv", [script("asking.mjs")])]);
    await settled(hub);
    const form = (message: string) => ({
      message,
      requestedSchema: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a", "b"] },
    });
    let open = 0;
    const heads: string[] = [];
    const ask = async ({ text }: Question) => {
      open += 1;
      heads.push(`${open} ${text.split("\n")[0] ?? ""}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      open -= 1;
      return { type: "text", text: text.includes("One") ? "one" : "other" } as const;
    };
    const answers = await Promise.all(
      ["One?", "Two?"].map(async (message) => await hub.call({ server: "srv", tool: "ask", args: form(message) }, { ...use, ask })),
    );
    expect(answers.map((answer) => (JSON.parse(textOf(answer)) as { content: { a: string } }).content.a)).toEqual(["one", "other"]);
    expect(heads).toEqual(["1 srv: One?", "1 srv", "1 srv: Two?", "1 srv"]);
  });

  test("is declined where a call has no person", async () => {
    hub.configure([stdioServer("srv", [script("asking.mjs")])]);
    await settled(hub);
    const required = { ...params, requestedSchema: { ...params.requestedSchema, required: ["sure"] } };
    expect(JSON.parse(textOf(await hub.call({ server: "srv", tool: "ask", args: required }, use)))).toEqual({ action: "decline" });
  });
});

test("progress is told in words, the first and the last of much", async () => {
  hub.configure([stdioServer("srv", [script("progressing.mjs")])]);
  await settled(hub);
  const told: string[] = [];
  await hub.call({ server: "srv", tool: "go", args: { steps: 1_000 } }, { ...use, onProgress: (text) => told.push(text) });
  expect(told[0]).toBe("1/1000 files\n");
  expect(told.at(-1)).toBe("1000/1000 files\n");
  expect(told.length).toBeLessThan(20);
});

test("what a check finds: what the server is, what it said beside that", async () => {
  const checked = await hub.check(stdioServer("srv", [script("changing.mjs")]), use.signal);
  expect(checked).toMatchObject({
    ok: true,
    value: { view: { state: "connected", title: "scripted", version: "1.2.3" }, noise: [], log: [] },
  });
  expect(hub.servers()).toEqual([]);
  expect(await hub.check(stdioServer("srv", [script("early.mjs")]), use.signal)).toMatchObject({
    error: { code: "mcp.server-failed", why: "It ended with status 4. It said: no database at db.internal" },
  });
});

describe("patience", () => {
  test("ends so long after the last that was heard", async () => {
    const clock = createManualClock();
    const patience = new Patience(clock, 1_000);
    await clock.advance(900);
    patience.heard();
    await clock.advance(900);
    expect(patience.over.aborted).toBe(false);
    await clock.advance(100);
    expect(patience.over.aborted).toBe(true);
  });

  test("has an end whatever is heard", async () => {
    const clock = createManualClock();
    const patience = new Patience(clock, 60_000);
    for (let minutes = 0; minutes < 62; minutes += 1) {
      await clock.advance(59_000);
      patience.heard();
    }
    expect(patience.over.aborted).toBe(true);
  });

  test("does not run while a person is asked, nor when all is over", async () => {
    const clock = createManualClock();
    const patience = new Patience(clock, 1_000);
    patience.hold();
    await clock.advance(10_000_000);
    patience.release();
    await clock.advance(999);
    expect(patience.over.aborted).toBe(false);
    patience.end();
    await clock.advance(10_000);
    expect(patience.over.aborted).toBe(false);
    expect(clock.pending).toEqual([]);
  });
});

describe("messages as servers write them", () => {
  test.each([
    [
      { jsonrpc: "2.0", id: 1, result: { a: 1 }, error: null, extra: 1 },
      { jsonrpc: "2.0", id: 1, result: { a: 1 } },
    ],
    [
      { jsonrpc: "2.0", id: 1, result: null },
      { jsonrpc: "2.0", id: 1, result: {} },
    ],
    [
      { jsonrpc: "2.0", id: 1, result: null, error: { code: 1, message: "m" } },
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } },
    ],
    [
      { jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-06-18" } },
      {
        ...{ jsonrpc: "2.0", id: 1 },
        result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "unknown", version: "unknown" } },
      },
    ],
    [{ id: 1, result: {} }, undefined],
    [[{ jsonrpc: "2.0" }], undefined],
    ["text", undefined],
    [undefined, undefined],
  ])("%j", (value, expected) => {
    expect(tidy(value)).toEqual(expected);
  });
});

describe("a stream of events", () => {
  const over = async (chunks: readonly string[]): Promise<number> => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
        controller.close();
      },
    });
    return (await new Response(new EventBound(() => undefined).over(body)).arrayBuffer()).byteLength;
  };
  const line = `data: ${"x".repeat(1024 * 1024)}`;

  test("may go on for ever, however its line ends are cut", async () => {
    const events = Array.from({ length: 20 }, () => [`${line}\r`, "\n\r", "\n"]).flat();
    expect(await over(events)).toBe(events.join("").length);
  });

  test("has an end where one event has none, in one line or in many", async () => {
    await expect(over(Array.from({ length: 17 }, () => line))).rejects.toThrow(/An event has more than/u);
    await expect(over(Array.from({ length: 17 }, () => `${line}\n`))).rejects.toThrow(/An event has more than/u);
  });
});

describe("requests", () => {
  test("go over the proxy of the environment, with its password, unless it is not meant for the host", async () => {
    const seen: unknown[] = [];
    const proxy = createServer((request, response) => {
      seen.push([request.url, request.headers["proxy-authorization"]]);
      response.end("through the proxy");
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const address = proxy.address();
    const at = `http://me:pa%20ss@127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const direct = await startServer({ first: (_, response) => Boolean(response.end("direct")) });
    const fetched = createFetch({ HTTP_PROXY: at, NO_PROXY: "127.0.0.1" });
    expect(await (await fetched("http://mcp.test/a?b=1")).text()).toBe("through the proxy");
    expect(await (await fetched(direct.url)).text()).toBe("direct");
    expect(seen).toEqual([["http://mcp.test/a?b=1", `Basic ${Buffer.from("me:pa ss").toString("base64")}`]]);
    proxy.closeAllConnections();
    proxy.close();
    await direct.close();
  });

  test("to https go through a tunnel of the proxy, with its password; what it says itself is no answer of the server", async () => {
    const seen: unknown[] = [];
    const proxy = createServer().listen(0, "127.0.0.1");
    proxy.on("connect", (request, socket) => {
      seen.push([request.url, request.headers["proxy-authorization"]]);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await once(proxy, "listening");
    const address = proxy.address();
    const at = `http://me:pw@127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const fetched = createFetch({ HTTPS_PROXY: at });
    const headers = { authorization: "Bearer secret" };
    await expect(fetched("https://mcp.test/a", { headers })).rejects.toMatchObject({
      cause: { message: "The proxy refused the way to mcp.test with status 403." },
    });
    expect(seen).toEqual([["mcp.test:443", `Basic ${Buffer.from("me:pw").toString("base64")}`]]);
    proxy.close();
  });

  test("follow a redirect of a GET, and take no credential to another origin", async () => {
    const other = await startServer({ first: (_, response) => Boolean(response.end("there")) });
    const first = await startServer({ first: (_, response) => Boolean(response.writeHead(302, { location: other.url }).end()) });
    const headers = { authorization: "Bearer x", "x-api-key": "k", cookie: "c", accept: "text/plain" };
    const fetched = createFetch({});
    expect(await (await fetched(first.url, { headers })).text()).toBe("there");
    expect(other.headers[0]).toMatchObject({ accept: "text/plain" });
    expect(Object.keys(other.headers[0] ?? {}).filter((name) => ["authorization", "x-api-key", "cookie"].includes(name))).toEqual([]);
    expect((await fetched(first.url, { redirect: "manual" })).status).toBe(302);
    expect((await fetched(first.url, { method: "POST", body: "x" })).status).toBe(302);
    await Promise.all([first.close(), other.close()]);
  });

  test("end where redirects do not", async () => {
    const server = await startServer({ first: (_, response) => Boolean(response.writeHead(302, { location: "/again" }).end()) });
    await expect(createFetch({})(server.url)).rejects.toThrow(/do not end/u);
    await server.close();
  });
});
