/** The bounds of the specification ("Network transport") as they are, with real sockets. */
import { createServer, type ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { HTTP_BOUNDS } from "../../../src/provider/http/engine.js";
import type { HttpEngine, HttpResponse } from "../../../src/provider/index.js";
import { testEngine } from "../support.js";
import { listen } from "./local-proxy.js";

const MIB = 1024 * 1024;
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

interface Served {
  readonly url: string;
  /** Bytes of each request's body. */
  readonly received: number[];
}

async function serve(reply: (res: ServerResponse) => void): Promise<Served> {
  const received: number[] = [];
  const server = createServer((req, res) => {
    let bytes = 0;
    req.on("data", (piece: Buffer) => (bytes += piece.length));
    req.on("end", () => {
      received.push(bytes);
      reply(res);
    });
  });
  const port = await listen(server);
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
  return { url: `http://127.0.0.1:${String(port)}/`, received };
}

function engine(): HttpEngine {
  const made = testEngine();
  open.push(made);
  return made;
}

const exchange = (url: string, body: string, signal = new AbortController().signal): ReturnType<HttpEngine["exchange"]> =>
  engine().exchange({ method: "POST", url, headers: {}, body, secrets: [] }, signal);

async function responseOf(url: string, signal?: AbortSignal): Promise<HttpResponse> {
  const exchanged = await exchange(url, "{}", signal);
  if (!exchanged.ok) throw new Error(exchanged.error.message);
  return exchanged.value;
}

async function countAll({ body }: HttpResponse): Promise<number> {
  let bytes = 0;
  for (let piece = await body.read(); piece !== undefined; piece = await body.read()) bytes += piece.length;
  return bytes;
}

test("the bounds are those of the specification", () => {
  expect(HTTP_BOUNDS).toEqual({
    requestBytes: 16 * MIB,
    bodyBytes: 64 * MIB,
    headerBytes: 65_536,
    connectMs: 20_000,
    headMs: 120_000,
    gapMs: 300_000,
  });
});

describe("request bodies", () => {
  test("16 MiB are sent, one byte more is refused before anything is", async () => {
    const { url, received } = await serve((res) => res.end("ok"));
    const whole = "x".repeat(16 * MIB);
    const sent = await exchange(url, whole);
    if (sent.ok) await countAll(sent.value);
    expect(await exchange(url, `${whole}x`)).toEqual({
      ok: false,
      error: { reason: "too-large", message: "the request is 16777217 bytes, more than the 16777216 allowed" },
    });
    expect(received).toEqual([16 * MIB]);
  });
});

describe("response bodies", () => {
  test.each([
    ["64 MiB are complete", 64 * MIB, { outcome: "complete" }],
    ["one byte more is cut and said to be", 64 * MIB + 1, { outcome: "truncated", detail: "the body is larger than 67108864 bytes" }],
  ])("%s", { timeout: 60_000 }, async (_name, bytes, end) => {
    const { url } = await serve((res) => {
      res.writeHead(200, { "content-length": String(bytes) });
      const piece = Buffer.alloc(MIB);
      for (let left = bytes; left > 0; left -= MIB) res.write(piece.subarray(0, Math.min(left, MIB)));
      res.end();
    });
    const got = await responseOf(url);
    expect(await countAll(got)).toBe(64 * MIB);
    expect(got.body.end).toEqual(end);
  });
});

describe("cancellation at every boundary of a chunk", () => {
  test.each([0, 1, 2, 3])("after %i chunks: no chunk comes after it, one outcome, the connection is closed", async (chunks) => {
    let next = (): void => undefined;
    let closed = (): void => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const { url } = await serve((res) => {
      let written = 0;
      res.on("close", closed);
      res.writeHead(200).flushHeaders();
      next = () => res.write(`chunk ${String((written += 1))}`);
    });
    const abort = new AbortController();
    const { body } = await responseOf(url, abort.signal);
    for (let n = 1; n <= chunks; n += 1) {
      next();
      expect(Buffer.from((await body.read()) ?? "").toString()).toBe(`chunk ${String(n)}`);
    }
    // One is on its way, or there already, when it is cancelled.
    next();
    abort.abort();
    expect([await body.read(), await body.read(), body.end]).toEqual([undefined, undefined, { outcome: "cancelled" }]);
    await gone;
  });
});

describe("keep-alive", () => {
  test("the drained body of a refusal leaves its connection to the next exchange", async () => {
    const ports = new Set<number | undefined>();
    const { url } = await serve((res) => {
      ports.add(res.socket?.remotePort);
      res.writeHead(500).end("x");
    });
    const kept = engine();
    for (let n = 0; n < 4; n += 1) {
      const exchanged = await kept.exchange({ method: "POST", url, headers: {}, body: "{}", secrets: [] }, new AbortController().signal);
      if (exchanged.ok) await countAll(exchanged.value);
    }
    expect(ports.size).toBe(1);
  });
});
