import type { ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FetchInput, FetchOutput } from "../../../src/schema/index.js";
import type { EffectReply, Grants } from "../../../src/effect/index.js";
import { type Bench, createBench, errorOf, NOTHING, valueOf } from "../support.js";
import { lookup, type Seen, serve, type TestServer } from "./server.js";

const KEY = "sk-very-secret-value-1234567890";
const ALL = ["GET", "HEAD", "POST", "PUT", "DELETE"];

let answer: (seen: Seen, res: ServerResponse) => void;
let server: TestServer;
let bench: Bench;
let opened: { close(): Promise<void> }[];

beforeEach(async () => {
  opened = [];
  server = await serve((seen, res) => {
    answer(seen, res);
  });
  bench = createBench("/", { lookup, secret: (name) => (name === "TEST_KEY" ? `${KEY}\n` : undefined) });
});
afterEach(async () => {
  await bench.close();
  await Promise.all([server, ...opened].map((one) => one.close()));
});

const origin = (name = "api.test", port = server.port): string => `http://${name}:${port}`;
const granted: Grants = { ...NOTHING, secrets: ["TEST_KEY"], net: [{ origin: "*", methods: ALL, private: true }] };

const call = (input: Partial<FetchInput> & { readonly path?: string }, grants = granted): Promise<EffectReply<FetchOutput>> => {
  const { path = "/", ...rest } = input;
  return bench.call("net.fetch", { url: `${origin()}${path}`, ...rest }, { grants });
};
const fetched = async (input: Parameters<typeof call>[0]): Promise<FetchOutput> => valueOf((await call(input)).result);

describe("an exchange", () => {
  test("sends what was given, and an answer of any status is an answer", async () => {
    answer = (_seen, res) => res.writeHead(404, { "X-Id": "7", "set-cookie": ["a=1", "b=2"] }).end("gone");
    const { outcome, result } = await call({ method: "POST", path: "/a?b=c#d", headers: { "X-My": "1" }, body: "häl" });
    expect(outcome).toBe("applied");
    expect(valueOf(result)).toMatchObject({ status: 404, url: `${origin()}/a?b=c`, body: "gone", omittedBytes: 0 });
    expect(valueOf(result).headers).toMatchObject({ "x-id": "7", "set-cookie": "a=1, b=2" });
    expect(server.seen).toMatchObject([{ method: "POST", url: "/a?b=c", body: "häl" }]);
    expect(server.seen[0]?.headers).toMatchObject({
      "x-my": "1",
      host: `api.test:${server.port}`,
      "content-length": "4",
      "user-agent": "smith",
      "accept-encoding": "gzip, deflate, br",
      connection: "close",
    });
  });

  test.each(["GET", "HEAD"])("%s changes nothing", async (method) => {
    answer = (_seen, res) => res.writeHead(200, { "content-length": "3" }).end("abc");
    const { outcome, result } = await call({ method });
    expect([outcome, valueOf(result).body, valueOf(result).omittedBytes]).toEqual(["not-applied", method === "GET" ? "abc" : "", 0]);
  });

  test("an answer without a body may name a packing", async () => {
    answer = (_seen, res) => res.writeHead(204, { "content-encoding": "gzip" }).end();
    expect(await fetched({})).toMatchObject({ status: 204, body: "" });
  });
});

describe("bodies", () => {
  const text = "hällo wörld ".repeat(500);
  test.each<readonly [string, (bytes: Buffer) => Buffer]>([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["identity", (bytes) => bytes],
  ])("packed by %s", async (encoding, pack) => {
    answer = (_seen, res) => res.writeHead(200, { "content-encoding": encoding }).end(pack(Buffer.from(text)));
    expect(await fetched({})).toMatchObject({ body: text, omittedBytes: 0 });
  });

  test.each<readonly [string, string | undefined, Buffer, string]>([
    ["UTF-8 when nothing is said", undefined, Buffer.from("ä"), "ä"],
    ["latin-1 when it is said", "text/plain; charset=ISO-8859-1", Buffer.from([0xe4]), "ä"],
    ["latin-1 is windows-1252 (WHATWG Encoding, 4.2)", "text/plain; charset=iso-8859-1", Buffer.from([0x80, 0x93, 0x94]), "€“”"],
    [
      "windows-1252 when the page says so",
      "text/html",
      Buffer.from('<meta charset="windows-1252">\x80\x96', "latin1"),
      '<meta charset="windows-1252">€–',
    ],
    ["a character that is broken at the end", "text/plain", Buffer.from([0x61, 0xe2, 0x82]), "a\ufffd"],
    ["Shift_JIS when it is said", "text/html; charset=Shift_JIS", Buffer.from([0x93, 0xfa, 0x96, 0x7b]), "日本"],
    [
      "what a page says of itself",
      "text/html",
      Buffer.from('<meta charset="windows-1251">\xcf', "latin1"),
      '<meta charset="windows-1251">П',
    ],
    [
      "what XML says of itself",
      "text/xml",
      Buffer.from('<?xml version="1.0" encoding="iso-8859-15"?>\xa4', "latin1"),
      '<?xml version="1.0" encoding="iso-8859-15"?>€',
    ],
    ["the header before the page", "text/html; charset=utf-8", Buffer.from('<meta charset="latin1">ä'), '<meta charset="latin1">ä'],
    ["a byte order mark before the header", "text/plain; charset=utf-8", Buffer.from([0xff, 0xfe, 0x61, 0x00]), "a"],
    ["UTF-8 for a name nobody knows", "text/plain; charset=klingon", Buffer.from("ä"), "ä"],
    ["invalid bytes are shown as such", "text/plain", Buffer.from([0x61, 0xe4, 0x62]), "a\ufffdb"],
  ])("%s", async (_name, type, bytes, expected) => {
    answer = (_seen, res) => res.writeHead(200, type === undefined ? {} : { "content-type": type }).end(bytes);
    expect((await fetched({})).body).toBe(expected);
  });

  test("base64 keeps every byte", async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    answer = (_seen, res) => res.end(bytes);
    expect((await fetched({ as: "base64" })).body).toBe(bytes.toString("base64"));
  });

  test("the rest is counted, by the declared length without reading it", async () => {
    let wasWhole = false;
    answer = (_seen, res) => {
      res.writeHead(200, { "content-length": String(50_000_000) });
      res.on("finish", () => {
        wasWhole = true;
      });
      res.write("x".repeat(100_000));
    };
    expect(await fetched({ maxBytes: 10 })).toMatchObject({ body: "x".repeat(10), omittedBytes: 49_999_990 });
    expect(wasWhole).toBe(false);
  });

  test("the rest is counted as it comes, and a character cut in two is left out", async () => {
    answer = (_seen, res) => {
      res.write("aä");
      res.end("x".repeat(300_000));
    };
    expect(await fetched({ maxBytes: 2 })).toMatchObject({ body: "a", omittedBytes: 300_001 });
  });

  test("a bomb is read to its bound and no further", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    answer = (_seen, res) => res.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    const before = process.memoryUsage().rss;
    const { body, omittedBytes } = await fetched({ maxBytes: 1024 });
    expect(body).toHaveLength(1024);
    expect(omittedBytes).toBeGreaterThan(63 * 1024 * 1024);
    expect(omittedBytes).toBeLessThan(66 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  }, 60_000);

  test("a body without end is read to its bound", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "y");
    answer = (_seen, res) => {
      const more = (): void => {
        while (!res.destroyed && res.write(chunk));
      };
      res.on("drain", more);
      more();
    };
    const { omittedBytes } = await fetched({ maxBytes: 0 });
    expect(omittedBytes).toBeGreaterThanOrEqual(64 * 1024 * 1024);
    expect(omittedBytes).toBeLessThan(65 * 1024 * 1024);
  }, 60_000);

  test.each<readonly [string, (res: ServerResponse) => void, RegExp]>([
    ["that is no gzip", (res) => res.writeHead(200, { "content-encoding": "gzip" }).end("plain"), /incorrect header/u],
    [
      "that is cut off",
      (res) => res.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1000)).subarray(0, 15)),
      /unexpected end/u,
    ],
    ["of another packing", (res) => res.writeHead(200, { "content-encoding": "zstd" }).end("x"), /"zstd" is not known/u],
    [
      "whose connection ends",
      (res) => {
        res.writeHead(200, { "content-length": "100" }).write("x");
        setImmediate(() => res.destroy());
      },
      /aborted/u,
    ],
  ])("one %s is an error, and the request is applied", async (_name, send, words) => {
    answer = (_seen, res) => {
      send(res);
    };
    const { outcome, result } = await call({ method: "POST" });
    expect([outcome, errorOf(result).code, errorOf(result).what]).toEqual(["applied", "net.broken-body", expect.stringMatching(words)]);
  });
});

describe("redirects", () => {
  const redirect = (to: string, status = 302): void => {
    answer = ({ url }, res) => (url === "/" ? res.writeHead(status, { location: to }).end() : res.end("there"));
  };

  test.each([
    { status: 301, method: "GET", becomes: "GET", body: "" },
    { status: 302, method: "POST", becomes: "GET", body: "" },
    { status: 303, method: "PUT", becomes: "GET", body: "" },
    { status: 303, method: "HEAD", becomes: "HEAD", body: "" },
    { status: 307, method: "POST", becomes: "POST", body: "b" },
    { status: 308, method: "PUT", becomes: "PUT", body: "b" },
    { status: 302, method: "PUT", becomes: "PUT", body: "b" },
  ])("$status after $method is followed by $becomes", async ({ status, method, becomes, body }) => {
    redirect("next?q=1", status);
    const given = method === "GET" || method === "HEAD" ? {} : { body: "b", headers: { "content-type": "text/plain" } };
    const { outcome, result } = await call({ method, ...given });
    expect(valueOf(result)).toMatchObject({ status: 200, url: `${origin()}/next?q=1` });
    expect(server.seen[1]).toMatchObject({ method: becomes, url: "/next?q=1", body });
    expect(server.seen[1]?.headers["content-type"]).toBe(body === "" ? undefined : "text/plain");
    expect(outcome).toBe(method === "GET" || method === "HEAD" ? "not-applied" : "applied");
  });

  test("five are followed and no more", async () => {
    answer = ({ url }, res) => {
      const at = Number(url.slice(1));
      if (at < 5) res.writeHead(302, { location: `/${at + 1}` }).end();
      else res.end("end");
    };
    expect(await fetched({ path: "/0" })).toMatchObject({ body: "end", url: `${origin()}/5` });
    answer = ({ url }, res) => res.writeHead(302, { location: `/${Number(url.slice(1)) + 1}` }).end();
    expect(errorOf((await call({ path: "/0" })).result).code).toBe("net.bad-redirect");
    expect(server.seen).toHaveLength(12);
  });

  test.each([
    { to: "file:///etc/passwd", words: /scheme is file/u },
    { to: "http://me:you@api.test/", words: /user name or a password/u },
    { to: "http://[", words: /absolute URL/u },
  ])("to $to is refused", async ({ to, words }) => {
    redirect(to);
    const { outcome, result } = await call({ method: "POST" });
    expect([outcome, errorOf(result).code, errorOf(result).what]).toEqual(["applied", "net.bad-redirect", expect.stringMatching(words)]);
  });

  test("credentials and headers with a secret stay at their origin; the rest goes along", async () => {
    const other = await serve((_seen, res) => res.end("other"));
    opened.push(other);
    redirect(`http://other.test:${other.port}/x`, 307);
    const headers = { authorization: "Basic abc", cookie: "c=1", "x-api-key": "{secret:TEST_KEY}", "x-plain": "p" };
    expect(await fetched({ headers })).toMatchObject({ body: "other", url: `http://other.test:${other.port}/x` });
    expect(server.seen[0]?.headers).toMatchObject({ authorization: "Basic abc", cookie: "c=1", "x-api-key": KEY, "x-plain": "p" });
    const [got] = other.seen;
    expect([got?.headers["x-plain"], got?.headers.host]).toEqual(["p", `other.test:${other.port}`]);
    for (const name of ["authorization", "cookie", "x-api-key"]) expect(got?.headers).not.toHaveProperty(name);
  });

  test("within the origin they go along", async () => {
    redirect("/again");
    await fetched({ headers: { authorization: "Bearer {secret:TEST_KEY}" } });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  });

  test("to an origin that is not granted is refused, with where it came from", async () => {
    redirect("http://other.test/");
    const only: Grants = { ...NOTHING, net: [{ origin: origin(), methods: [], private: true }] };
    const error = errorOf((await call({}, only)).result);
    expect(error).toMatchObject({
      code: "grant.denied",
      what: expect.stringContaining(`GET to http://other.test, where ${origin()} redirected it`) as string,
    });
    expect(error.next).toContain('net "http://other.test"');
  });

  test("to a private address is refused before it is connected", async () => {
    const inside = await serve((_seen, res) => res.end("inside"));
    opened.push(inside);
    redirect(`http://127.0.0.1:${inside.port}/latest/meta-data`);
    const outer: Grants = {
      ...NOTHING,
      net: [
        { origin: origin(), methods: [], private: true },
        { origin: "*", methods: [], private: false },
      ],
    };
    expect(errorOf((await call({}, outer)).result).code).toBe("net.private-address");
    redirect(`http://inside.test:${inside.port}/latest/meta-data`);
    expect(errorOf((await call({}, outer)).result)).toMatchObject({
      code: "net.private-address",
      what: expect.stringContaining("inside.test leads to 127.0.0.1") as string,
    });
    expect(inside.seen).toEqual([]);
  });
});

test("a name is resolved once for a connection: what was checked is what is connected", async () => {
  let asked = 0;
  const rebinding = createBench("/", {
    lookup: async () => {
      asked += 1;
      return [{ address: asked === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
    },
  });
  answer = (_seen, res) => res.end(res.socket?.localAddress);
  const output = await rebinding.value("net.fetch", { url: origin("rebind.test") }, { grants: granted });
  expect([asked, output.body]).toEqual([1, "127.0.0.1"]);
  await rebinding.close();
});

describe("secrets", () => {
  test("fill headers and are taken out of everything that comes back", async () => {
    answer = ({ headers }, res) => {
      const text = JSON.stringify(headers);
      res.writeHead(200, { "x-echo": headers["x-key"] });
      // In two pieces, with the value in both.
      res.write(text.slice(0, text.indexOf(KEY) + 5));
      setImmediate(() => res.end(text.slice(text.indexOf(KEY) + 5)));
    };
    const output = await fetched({ headers: { "x-key": "{secret:TEST_KEY}", other: "a {secret:TEST_KEY} b" } });
    expect(server.seen[0]?.headers).toMatchObject({ "x-key": KEY, other: `a ${KEY} b` });
    expect(JSON.stringify(output)).not.toContain(KEY.slice(3, 20));
    expect(output.headers["x-echo"]).toBe("[redacted]");
    const raw = await fetched({ headers: { "x-key": "{secret:TEST_KEY}" }, as: "base64" });
    expect(Buffer.from(raw.body, "base64").toString()).not.toContain(KEY);
  });

  test("a cut through one leaves no half of it", async () => {
    answer = (_seen, res) => res.end(`${"x".repeat(10)}${KEY}`);
    expect((await fetched({ headers: { "x-key": "{secret:TEST_KEY}" }, maxBytes: 16 })).body).toBe(`${"x".repeat(10)}[redac`);
  });

  test("are filled nowhere else", async () => {
    answer = (_seen, res) => res.end("ok");
    await fetched({ method: "POST", path: "/?k={secret:TEST_KEY}", body: "{secret:TEST_KEY}" });
    expect(server.seen[0]).toMatchObject({ url: "/?k={secret:TEST_KEY}", body: "{secret:TEST_KEY}" });
  });

  test("one that is not set is refused before anything is sent", async () => {
    const grants: Grants = { ...granted, secrets: ["UNSET"] };
    const { outcome, result } = await call({ headers: { a: "{secret:UNSET}" } }, grants);
    expect([outcome, errorOf(result).code, errorOf(result).what]).toEqual([
      "not-applied",
      "secret.unusable",
      expect.stringContaining("UNSET"),
    ]);
    expect(server.seen).toEqual([]);
  });
});

describe("what is known when no answer comes", () => {
  async function tcp(onSocket: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const plain: Server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      onSocket(socket);
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    opened.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          plain.close(() => {
            resolve();
          });
        }),
    });
    return (plain.address() as AddressInfo).port;
  }

  test.each([
    { method: "GET", outcome: "not-applied" },
    { method: "POST", outcome: "unknown" },
  ])("$method to a server that hangs up: $outcome", async ({ method, outcome }) => {
    const port = await tcp((socket) => socket.once("data", () => socket.destroy()));
    const reply = await call({ url: origin("api.test", port), method });
    expect([reply.outcome, errorOf(reply.result).code]).toEqual([outcome, "net.no-answer"]);
  });

  test("a port nobody listens on: nothing was sent", async () => {
    const gone = await serve(() => undefined);
    await gone.close();
    const reply = await call({ url: origin("api.test", gone.port), method: "POST" });
    expect([reply.outcome, errorOf(reply.result).code, errorOf(reply.result).what]).toEqual([
      "not-applied",
      "net.unreachable",
      expect.stringContaining("ECONNREFUSED"),
    ]);
  });

  test("https to a server that speaks none: nothing was sent", async () => {
    const port = await tcp((socket) => socket.once("data", () => socket.end("HTTP/1.1 400 no\r\n\r\n")));
    const reply = await call({ url: `https://api.test:${port}`, method: "POST" });
    expect([reply.outcome, errorOf(reply.result).code]).toEqual(["not-applied", "net.unreachable"]);
  });

  test.each([
    { where: "the head", send: (_res: ServerResponse): void => undefined, method: "POST", outcome: "unknown" },
    { where: "the body", send: (res: ServerResponse): unknown => res.writeHead(200).write("x"), method: "POST", outcome: "applied" },
    {
      where: "the body of a GET",
      send: (res: ServerResponse): unknown => res.writeHead(200).write("x"),
      method: "GET",
      outcome: "not-applied",
    },
  ])("a limit that passes before $where: $outcome", async ({ send, method, outcome }) => {
    answer = (_seen, res) => {
      send(res);
    };
    const reply = await call({ method, timeoutMs: 200 });
    expect([reply.outcome, errorOf(reply.result).code]).toEqual([outcome, "net.timeout"]);
  });

  test("an abort ends it within 250 ms and closes the connection", async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_seen, res) => {
        res.on("close", resolve);
        res.writeHead(200).write("x");
        stop.abort();
      };
    });
    const stop = new AbortController();
    let abortedAt = 0;
    stop.signal.addEventListener("abort", () => {
      abortedAt = performance.now();
    });
    const reply = await bench.call("net.fetch", { url: origin() }, { grants: granted, signal: stop.signal });
    expect(performance.now() - abortedAt).toBeLessThan(250);
    expect(errorOf(reply.result).code).toBe("net.aborted");
    await closed;
  });

  test("an abort is felt while a name is being resolved", async () => {
    const stop = new AbortController();
    const stuck = createBench("/", {
      lookup: () => {
        stop.abort();
        return new Promise(() => undefined);
      },
    });
    const reply = await stuck.call("net.fetch", { url: origin("slow.test") }, { grants: granted, signal: stop.signal });
    expect([reply.outcome, errorOf(reply.result).code]).toEqual(["not-applied", "net.aborted"]);
    await stuck.close();
  });

  test("headers of an answer over their bound are an error", async () => {
    answer = (_seen, res) => res.writeHead(200, { "x-big": "x".repeat(70_000) }).end();
    expect(errorOf((await call({})).result).what).toContain("HPE_HEADER_OVERFLOW");
  });
});
