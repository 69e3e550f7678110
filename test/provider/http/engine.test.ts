import { createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { HttpEngine, HttpRequest, HttpResponse } from "../../../src/provider/index.js";
import { createManualClock } from "../../support/manual-clock.js";
import { answer, hang, type ModelServer, type ModelServerOptions, sse, startModelServer } from "../../support/model-server.js";
import { type EngineOptions, testEngine } from "../support.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function serve(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  open.push(server);
  return server;
}

function engineWith(options: EngineOptions = {}): HttpEngine {
  const engine = testEngine(options);
  open.push(engine);
  return engine;
}

const post = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url,
  headers: {},
  body: "{}",
  secrets: [],
  ...more,
});
const never = (): AbortSignal => new AbortController().signal;

async function response(engine: HttpEngine, request: HttpRequest, signal = never()): Promise<HttpResponse> {
  const exchanged = await engine.exchange(request, signal);
  if (!exchanged.ok) throw new Error(exchanged.error.message);
  return exchanged.value;
}

async function failure(engine: HttpEngine, request: HttpRequest, signal = never()): Promise<object> {
  const exchanged = await engine.exchange(request, signal);
  if (exchanged.ok) throw new Error("there was a response");
  return exchanged.error;
}

/** A server of bytes; its connections are destroyed with it. */
async function raw(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `127.0.0.1:${String(typeof address === "object" && address !== null ? address.port : 0)}`;
}

async function readAll({ body }: HttpResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let piece = await body.read(); piece !== undefined; piece = await body.read()) parts.push(piece);
  return Buffer.concat(parts).toString();
}

describe("an exchange", () => {
  test("sends method, path, headers and body, and gives back head and body", async () => {
    const server = await serve({ script: [answer(201, { a: "ä" }, { "x-a": "1" })] });
    const got = await response(
      engineWith(),
      post(`${server.url}/x?q=1`, { body: '{"ü":1}', headers: { "content-type": "application/json" } }),
    );
    expect(got.head).toMatchObject({ status: 201, headers: { "x-a": "1", "content-type": "application/json" } });
    expect(await readAll(got)).toBe('{"a":"ä"}');
    expect(got.body.end).toEqual({ outcome: "complete" });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/x?q=1",
      body: { ü: 1 },
      headers: { "user-agent": "smith/0.0.0-test", "accept-encoding": "identity", "content-length": "8" },
    });
  });

  test.each([401, 404, 429, 500])("status %i is a response, not a failure", async (status) => {
    const server = await serve({ script: [answer(status, "no")] });
    const got = await response(engineWith(), post(server.url));
    expect([got.head.status, await readAll(got)]).toEqual([status, "no"]);
  });

  test("a redirect is a response and is not followed", async () => {
    const server = await serve({ script: [answer(307, "", { location: "/elsewhere" })] });
    const got = await response(engineWith(), post(server.url));
    expect(got.head).toMatchObject({ status: 307, headers: { location: "/elsewhere" } });
    await readAll(got);
    expect(server.all).toHaveLength(1);
  });

  test("one connection serves exchanges one after the other", async () => {
    const server = await serve({ script: () => answer(200, "x") });
    const engine = engineWith();
    for (let round = 0; round < 3; round += 1) await readAll(await response(engine, post(server.url)));
    expect(new Set(server.requests.map((request) => request.remotePort)).size).toBe(1);
  });

  test("a kept connection that the server has closed is replaced without a failure", async () => {
    let served = 0;
    const host = await raw((socket) => {
      socket.once("data", () => {
        served += 1;
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx");
        // The second request on this connection meets a reset.
        socket.once("data", () => socket.resetAndDestroy());
      });
    });
    const url = `http://${host}/`;
    const engine = engineWith();
    expect(await readAll(await response(engine, post(url)))).toBe("x");
    expect(await readAll(await response(engine, post(url)))).toBe("x");
    expect(served).toBe(2);
  });
});

describe("secrets", () => {
  test("are filled in at the wire and taken out of what comes back", async () => {
    const server = await serve({ script: [answer(401, "bad key sk-live-1234")] });
    const engine = engineWith({ secrets: { KEY: " sk-live-1234\n" } });
    const got = await response(engine, post(server.url, { headers: { authorization: "Bearer {secret:KEY}" }, secrets: ["KEY"] }));
    expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-live-1234");
    expect(got.redact(await readAll(got))).toBe("bad key [redacted]");
  });

  test.each([
    ["not set", "GONE", ["GONE"], { reason: "missing-secret", message: "GONE is not set" }],
    [
      "not this endpoint's",
      "KEY",
      [],
      { reason: "invalid-request", message: "the request asks for the secret KEY, which this endpoint may not use" },
    ],
    ["no header text", "BAD", ["BAD"], { reason: "missing-secret", message: "BAD holds characters that cannot be in a header" }],
  ])("nothing is sent when one is %s", async (_name, name, secrets, expected) => {
    const server = await serve({ script: [] });
    const engine = engineWith({ secrets: { KEY: "sk-live-1234", BAD: "sk\n123" } });
    expect(await failure(engine, post(server.url, { headers: { authorization: `{secret:${name}}` }, secrets }))).toEqual(expected);
    expect(server.all).toEqual([]);
  });
});

describe("bounds", () => {
  test("a request over its bound is refused before anything is sent", async () => {
    const server = await serve({ script: [] });
    expect(await failure(engineWith({ bounds: { requestBytes: 5 } }), post(server.url, { body: "äää" }))).toEqual({
      reason: "too-large",
      message: "the request is 6 bytes, more than the 5 allowed",
    });
    expect(server.all).toEqual([]);
  });

  test("a body stops at its bound and says so", async () => {
    const server = await serve({ script: [answer(200, "x".repeat(1000))] });
    const got = await response(engineWith({ bounds: { bodyBytes: 300 } }), post(server.url));
    expect(await readAll(got)).toBe("x".repeat(300));
    expect(got.body.end).toEqual({ outcome: "truncated", detail: "the body is larger than 300 bytes" });
  });

  test("a body of exactly the bound is complete", async () => {
    const server = await serve({ script: [answer(200, "x".repeat(300))] });
    const got = await response(engineWith({ bounds: { bodyBytes: 300 } }), post(server.url));
    expect([(await readAll(got)).length, got.body.end]).toEqual([300, { outcome: "complete" }]);
  });

  test("headers over their bound are a failure", async () => {
    const server = await serve({ script: [answer(200, "x", { "x-big": "y".repeat(3000) })] });
    expect(await failure(engineWith({ bounds: { headerBytes: 2000 } }), post(server.url))).toMatchObject({ reason: "protocol" });
  });

  test("a head that does not come in time is a failure, and the connection is closed", async () => {
    const clock = createManualClock();
    const server = await serve({ script: [hang()] });
    const pending = failure(engineWith({ clock }), post(server.url));
    const recorded = await server.request(0);
    await clock.advance(119_999);
    await clock.advance(1);
    expect(await pending).toEqual({ reason: "timeout", message: `127.0.0.1:${String(server.port)} gave no answer within 120 s` });
    await recorded.closed;
  });

  test("a gap in the body ends it as failed", async () => {
    const clock = createManualClock();
    const server = await serve({ script: [sse(["a"], "hang")] });
    const got = await response(engineWith({ clock }), post(server.url));
    expect(Buffer.from((await got.body.read()) ?? "").toString()).toBe("a");
    await clock.advance(200_000);
    const next = got.body.read();
    await clock.advance(299_999);
    expect(got.body.end).toBeUndefined();
    await clock.advance(100_001);
    expect(await next).toBeUndefined();
    expect(got.body.end).toEqual({ outcome: "failed", detail: "nothing arrived for 300 s" });
  });
});

describe("how a body ends", () => {
  test("reset in the middle: what came is delivered, then failed", async () => {
    let reset = (): void => undefined;
    const gate = new Promise<void>((resolve) => (reset = resolve));
    const server = await serve({ script: [sse(["half", gate], "destroy")] });
    const got = await response(engineWith(), post(server.url));
    expect(Buffer.from((await got.body.read()) ?? "").toString()).toBe("half");
    reset();
    expect(await got.body.read()).toBeUndefined();
    expect(got.body.end).toMatchObject({ outcome: "failed" });
  });

  test("shorter than its content-length: failed", async () => {
    const server = await serve({ script: [{ headers: { "content-length": "10" }, pieces: ["half"], finish: "destroy" }] });
    const got = await response(engineWith(), post(server.url));
    await readAll(got);
    expect(got.body.end).toMatchObject({ outcome: "failed" });
  });

  test("an abort while waiting: cancelled at once, nothing delivered after it, the server sees it", async () => {
    const server = await serve({ script: [sse(["a"], "hang")] });
    const abort = new AbortController();
    const got = await response(engineWith(), post(server.url), abort.signal);
    await got.body.read();
    const next = got.body.read();
    abort.abort();
    expect(await next).toBeUndefined();
    expect(got.body.end).toEqual({ outcome: "cancelled" });
    await server.requests[0]?.closed;
  });

  test("an abort between two reads: what is buffered is not delivered", async () => {
    const server = await serve({ script: [sse(["a"], "hang")] });
    const abort = new AbortController();
    const got = await response(engineWith(), post(server.url), abort.signal);
    abort.abort();
    expect(await got.body.read()).toBeUndefined();
    expect(got.body.end).toEqual({ outcome: "cancelled" });
  });

  test("an abort before the head, and before the start", async () => {
    const server = await serve({ script: [hang()] });
    const abort = new AbortController();
    const pending = failure(engineWith(), post(server.url), abort.signal);
    const recorded = await server.request(0);
    abort.abort();
    expect(await pending).toEqual({ reason: "aborted", message: "the request was aborted" });
    await recorded.closed;
    expect(await failure(engineWith(), post(server.url), abort.signal)).toMatchObject({ reason: "aborted" });
    expect(server.all).toHaveLength(1);
  });

  test("the outcome never changes once it is there", async () => {
    const abort = new AbortController();
    const server = await serve({ script: [answer(200, "x")] });
    const got = await response(engineWith(), post(server.url), abort.signal);
    await readAll(got);
    got.body.cancel();
    got.body.release();
    abort.abort();
    expect(got.body.end).toEqual({ outcome: "complete" });
  });

  test("closing the engine ends what is going on", async () => {
    const server = await serve({ script: [sse(["a"], "hang")] });
    const engine = engineWith();
    const got = await response(engine, post(server.url));
    await got.body.read();
    const next = got.body.read();
    engine.close();
    expect(await next).toBeUndefined();
    expect(got.body.end).toMatchObject({ outcome: "failed" });
    expect(await failure(engine, post(server.url))).toMatchObject({ reason: "aborted" });
  });
});

describe("back-pressure", () => {
  test("a server cannot send far ahead of the reader", async () => {
    const piece = "x".repeat(64 * 1024);
    let sent = 0;
    let stalled = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (stalled = resolve));
    const host = await raw((socket) => {
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${String(piece.length * 1000)}\r\n\r\n`);
        const more = (): void => {
          let goesOn = true;
          while (goesOn && sent < 1000) {
            goesOn = socket.write(piece);
            sent += 1;
          }
          if (!goesOn) {
            setImmediate(() => setImmediate(stalled));
            socket.once("drain", more);
          }
        };
        more();
      });
    });
    const url = `http://${host}/`;
    const got = await response(engineWith(), post(url));
    await blocked;
    // What sockets of the kernel hold varies; 64 MB would mean that somebody buffers it all.
    expect(sent).toBeLessThan(500);
    const text = await readAll(got);
    expect([text.length, got.body.end, sent]).toEqual([piece.length * 1000, { outcome: "complete" }, 1000]);
  });
});

describe("releasing a body", () => {
  test("frees the connection for the next exchange when the rest comes at once", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const server = await serve({ script: (_request, n) => (n === 0 ? sse(["a", gate, "b"]) : answer(200, "y")) });
    const clock = createManualClock();
    const engine = engineWith({ clock });
    const got = await response(engine, post(server.url));
    await got.body.read();
    got.body.release();
    expect(await got.body.read()).toBeUndefined();
    go();
    // The drain waits on the clock until the body has run out.
    while (clock.pending.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await readAll(await response(engine, post(server.url)));
    expect(new Set(server.requests.map((request) => request.remotePort)).size).toBe(1);
  });

  test("closes the connection when the rest does not come", async () => {
    const clock = createManualClock();
    const server = await serve({ script: [sse(["a"], "hang")] });
    const got = await response(engineWith({ clock }), post(server.url));
    await got.body.read();
    got.body.release();
    await clock.advance(250);
    await server.requests[0]?.closed;
    expect(clock.pending).toEqual([]);
  });
});

describe("no connection", () => {
  test("a refused one names host and reason", async () => {
    const server = await startModelServer({ script: [] });
    await server.close();
    expect(await failure(engineWith(), post(server.url))).toEqual({
      reason: "connect",
      message: `cannot connect to 127.0.0.1:${String(server.port)}: connection refused (ECONNREFUSED)`,
    });
  });

  test("a server that speaks no HTTP, or no TLS", async () => {
    const host = await raw((socket) => {
      socket.end("SSH-2.0-x\r\n");
    });
    expect(await failure(engineWith(), post(`http://${host}/`))).toMatchObject({ reason: "protocol" });
    expect(await failure(engineWith(), post(`https://${host}/`))).toMatchObject({ reason: "connect" });
  });

  test.each(["", "nonsense", "ftp://127.0.0.1/"])("%j is refused as a URL", async (url) => {
    expect(await failure(engineWith(), post(url))).toMatchObject({ reason: "invalid-request" });
  });
});
