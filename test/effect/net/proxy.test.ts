import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Grants } from "../../../src/effect/index.js";
import { type Bench, createBench, errorOf, NOTHING, valueOf } from "../support.js";
import { lookup, serve, type TestServer } from "./server.js";

let proxy: TestServer;
let bench: Bench;
const grants: Grants = { ...NOTHING, net: [{ origin: "*", methods: ["GET", "POST"], private: false }] };

const through = (port: number, user = ""): Bench =>
  createBench("/", { lookup, env: { HTTP_PROXY: `http://${user}127.0.0.1:${port}`, HTTPS_PROXY: `http://${user}127.0.0.1:${port}` } });

beforeEach(async () => {
  proxy = await serve((_seen, res) => res.end("by proxy"));
  bench = through(proxy.port, "me:pass@");
});
afterEach(async () => {
  await bench.close();
  await proxy.close();
});

describe("behind a proxy", () => {
  test("plain http goes to it whole, with its own credentials", async () => {
    expect(await bench.value("net.fetch", { url: "http://site.public/x?y" }, { grants })).toMatchObject({ body: "by proxy" });
    expect(proxy.seen).toMatchObject([{ url: "http://site.public/x?y", headers: { host: "site.public" } }]);
    expect(proxy.seen[0]?.headers["proxy-authorization"]).toBe(`Basic ${Buffer.from("me:pass").toString("base64")}`);
  });

  test("a name only the proxy can resolve goes to it", async () => {
    expect(await bench.value("net.fetch", { url: "http://unknown.invalid/" }, { grants })).toMatchObject({ status: 200 });
  });

  test.each(["http://10.0.0.1/", "http://inside.test/", "https://169.254.169.254/", "https://inside.test/"])(
    "what is private as written, or as this machine resolves it, is refused: %s",
    async (url) => {
      expect((await bench.error("net.fetch", { url }, { grants })).code).toBe("net.private-address");
      expect(proxy.seen).toEqual([]);
    },
  );

  test("its refusal is its own, and nothing was sent", async () => {
    const refusing = await serve((_seen, res) => res.writeHead(407).end());
    const behind = through(refusing.port);
    const { outcome, result } = await behind.call("net.fetch", { url: "http://site.public/", method: "POST" }, { grants });
    expect([errorOf(result).code, errorOf(result).what]).toEqual(["net.proxy", expect.stringContaining("407")]);
    expect(outcome).toBe("not-applied");
    await behind.close();
    await refusing.close();
  });

  test("a variable that cannot be used sends nothing past it", async () => {
    const broken = createBench("/", { lookup, env: { HTTPS_PROXY: "socks5://127.0.0.1:1" } });
    expect(await broken.error("net.fetch", { url: "https://site.public/" }, { grants })).toMatchObject({
      code: "net.proxy",
      what: expect.stringContaining("HTTPS_PROXY") as string,
    });
    await broken.close();
  });
});

describe("a tunnel", () => {
  let plain: Server;
  let sockets: Socket[];
  let onConnect: (socket: Socket, head: string) => void;
  beforeEach(async () => {
    sockets = [];
    plain = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.once("data", (data: Buffer) => {
        onConnect(socket, data.toString());
      });
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      plain.close(() => {
        resolve();
      });
    });
  });
  const behind = (): Bench => through((plain.address() as AddressInfo).port);

  test("that is refused: nothing was sent", async () => {
    const heads: string[] = [];
    onConnect = (socket, head) => {
      heads.push(head);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    };
    const one = behind();
    const { outcome, result } = await one.call("net.fetch", { url: "https://site.public/", method: "POST", body: "b" }, { grants });
    expect([outcome, errorOf(result).code]).toEqual(["not-applied", "net.proxy"]);
    expect(heads).toEqual([expect.stringMatching(/^CONNECT site\.public:443 /u)]);
    await one.close();
  });

  test("an abort while it is being made closes the connection to the proxy", async () => {
    const stop = new AbortController();
    const closed = new Promise<void>((resolve) => {
      onConnect = (socket) => {
        socket.on("close", resolve);
        stop.abort();
      };
    });
    const one = behind();
    const { outcome, result } = await one.call(
      "net.fetch",
      { url: "https://site.public/", method: "POST" },
      { grants, signal: stop.signal },
    );
    expect([outcome, errorOf(result).code]).toEqual(["not-applied", "net.aborted"]);
    await closed;
    await one.close();
  });
});

test("this machine is asked directly, whatever the proxy", async () => {
  const own = await serve((_seen, res) => res.end("direct"));
  const { result } = await bench.call(
    "net.fetch",
    { url: `http://127.0.0.1:${own.port}/` },
    { grants: { ...NOTHING, net: [{ origin: "*", methods: [], private: true }] } },
  );
  expect([valueOf(result).body, proxy.seen]).toEqual(["direct", []]);
  await own.close();
});
