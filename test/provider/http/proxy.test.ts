import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { routeFor } from "../../../src/base/index.js";
import { testEngine } from "../support.js";

const route = (url: string, env: { readonly [name: string]: string }): string => {
  const found = routeFor(new URL(url), env);
  return found.type === "proxy" ? found.url.host : found.type;
};

describe("which proxy", () => {
  test.each<readonly [string, string, { readonly [name: string]: string }, string]>([
    ["no setting", "https://a.test", {}, "direct"],
    ["https by HTTPS_PROXY", "https://a.test", { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://q:2" }, "p:1"],
    ["http by HTTP_PROXY", "http://a.test", { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://q:2" }, "q:2"],
    ["lower case wins", "https://a.test", { HTTPS_PROXY: "http://p:1", https_proxy: "http://q:2" }, "q:2"],
    ["ALL_PROXY for what has none", "https://a.test", { ALL_PROXY: "http://p:1" }, "p:1"],
    ["no scheme means http", "https://a.test", { HTTPS_PROXY: "p:1" }, "p:1"],
    ["blank is unset", "https://a.test", { HTTPS_PROXY: " " }, "direct"],
    ["socks is not supported, and not passed by", "https://a.test", { ALL_PROXY: "socks5://p:1" }, "unusable"],
    ["what is no URL", "https://a.test", { HTTPS_PROXY: "http://" }, "unusable"],
    ["loopback is direct", "http://localhost:8", { HTTP_PROXY: "http://p:1" }, "direct"],
    ["loopback by address", "http://127.1.2.3:8", { HTTP_PROXY: "http://p:1" }, "direct"],
    ["loopback by IPv6", "http://[::1]:8", { HTTP_PROXY: "http://p:1" }, "direct"],
    ["a name that begins like loopback", "http://127.0.0.1.evil.test", { HTTP_PROXY: "http://p:1" }, "p:1"],
  ])("%s", (_name, url, env, expected) => {
    expect(route(url, env)).toBe(expected);
  });

  test.each<readonly [string, string, string]>([
    ["*", "https://a.test", "direct"],
    ["a.test", "https://a.test", "direct"],
    ["a.test", "https://b.a.test", "direct"],
    [".a.test", "https://b.a.test", "direct"],
    ["*.a.test", "https://b.a.test", "direct"],
    ["A.TEST", "https://a.test.", "direct"],
    ["a.test", "https://ba.test", "p:1"],
    ["a.test:8443", "https://a.test:8443", "direct"],
    ["a.test:8443", "https://a.test", "p:1"],
    ["a.test:443", "https://a.test", "direct"],
    ["x.test, ,a.test", "https://a.test", "direct"],
    ["10.0.0.0/8", "https://10.200.1.1", "direct"],
    ["10.0.0.0/8", "https://11.0.0.1", "p:1"],
    ["10.0.0.0/8", "https://a.test", "p:1"],
    ["fe80::1", "https://[fe80::1]", "direct"],
    ["[fe80::1]:443", "https://[fe80::1]", "direct"],
    ["10.0.0.0/nonsense", "https://10.0.0.1", "p:1"],
  ])("NO_PROXY=%s for %s", (list, url, expected) => {
    expect(route(url, { HTTPS_PROXY: "http://p:1", NO_PROXY: list })).toBe(expected);
  });
});

describe("config-2: the list of the case, without its last rule and with it", () => {
  const list = "localhost,127.0.0.1,::1,.corp.test,10.0.0.0/8,example.test:8443";
  const env = (noProxy: string): { readonly [name: string]: string } => ({ HTTPS_PROXY: "http://p:1", no_proxy: noProxy });
  test.each([
    ["https://localhost:1", "direct"],
    ["https://127.0.0.1", "direct"],
    ["https://[::1]:8", "direct"],
    ["https://corp.test", "direct"],
    ["https://a.b.corp.test", "direct"],
    ["https://notcorp.test", "p:1"],
    ["https://10.20.30.40", "direct"],
    ["https://110.20.30.40", "p:1"],
    ["https://example.test:8443", "direct"],
    ["https://example.test", "p:1"],
    ["https://api.model.test", "p:1"],
  ])("%s: %s", (url, expected) => {
    expect(route(url, env(list))).toBe(expected);
    expect(route(url, env(`${list},*`))).toBe("direct");
  });
});

describe("config-2: through a proxy", () => {
  const servers: Server[] = [];
  const engines: { close(): void }[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) engine.close();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  interface Seen {
    readonly method: string | undefined;
    readonly url: string | undefined;
    readonly auth: string | undefined;
    readonly host: string | undefined;
  }

  /** A proxy that answers itself; CONNECT is refused with `status`. */
  async function proxy(status: number): Promise<{ readonly port: number; readonly seen: Seen[] }> {
    const seen: Seen[] = [];
    const note = ({ method, url, headers }: IncomingMessage): void => {
      seen.push({ method, url, auth: headers["proxy-authorization"], host: headers.host });
    };
    const server = createServer((req, res) => {
      note(req);
      res.writeHead(status).end("from the proxy");
    });
    server.on("connect", (req, socket) => {
      note(req);
      socket.end(`HTTP/1.1 ${String(status)} No\r\n\r\n`);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return { port: typeof address === "object" && address !== null ? address.port : 0, seen };
  }

  async function exchange(url: string, env: { readonly [name: string]: string }): Promise<object> {
    const engine = testEngine({ env });
    engines.push(engine);
    const result = await engine.exchange({ method: "POST", url, headers: {}, body: "{}", secrets: [] }, new AbortController().signal);
    if (!result.ok) return result.error;
    const piece = await result.value.body.read();
    return { status: result.value.head.status, text: Buffer.from(piece ?? "").toString() };
  }

  test("plain http: the absolute URL and the password go to the proxy", async () => {
    const { port, seen } = await proxy(200);
    expect(await exchange("http://model.test/v1?a=1", { HTTP_PROXY: `http://us%20er:p%25w@127.0.0.1:${String(port)}` })).toEqual({
      status: 200,
      text: "from the proxy",
    });
    const auth = `Basic ${Buffer.from("us er:p%w").toString("base64")}`;
    expect(seen).toEqual([{ method: "POST", url: "http://model.test/v1?a=1", auth, host: "model.test" }]);
  });

  test("what the proxy was given is taken out of what comes back, which the proxy itself may have said", async () => {
    const { port, seen } = await proxy(200);
    const engine = testEngine({ env: { HTTP_PROXY: `http://bob:geheimes-wort@127.0.0.1:${String(port)}` } });
    engines.push(engine);
    const asked = { method: "POST", url: "http://model.test/v1", headers: {}, body: "{}", secrets: [] } as const;
    const result = await engine.exchange(asked, new AbortController().signal);
    expect(result.ok && result.value.redact(`denied: ${String(seen[0]?.auth)}, geheimes-wort`)).toBe(
      "denied: Basic [redacted], [redacted]",
    );
  });

  test("https: a tunnel, and its refusal is told without the password", async () => {
    const { port, seen } = await proxy(407);
    expect(await exchange("https://model.test/v1", { HTTPS_PROXY: `http://u:geheim@127.0.0.1:${String(port)}` })).toEqual({
      reason: "proxy",
      message: `the proxy 127.0.0.1:${String(port)} wants a user name and password (407)`,
    });
    expect(seen).toEqual([
      { method: "CONNECT", url: "model.test:443", auth: `Basic ${Buffer.from("u:geheim").toString("base64")}`, host: "model.test:443" },
    ]);
  });

  test.each([
    ["https: another refusal", "https://model.test/v1", 502, "refused to connect to model.test (502)"],
    ["http: 407", "http://model.test/v1", 407, "wants a user name and password (407)"],
  ])("%s", async (_name, url, status, words) => {
    const { port } = await proxy(status);
    const set = `http://127.0.0.1:${String(port)}`;
    expect(await exchange(url, { HTTP_PROXY: set, HTTPS_PROXY: set })).toEqual({
      reason: "proxy",
      message: `the proxy 127.0.0.1:${String(port)} ${words}`,
    });
  });

  test.each(["http://model.test/v1", "https://model.test/v1"])("a proxy that is down is named: %s", async (url) => {
    const { port } = await proxy(200);
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    const set = `http://u:geheim@127.0.0.1:${String(port)}`;
    expect(await exchange(url, { HTTP_PROXY: set, HTTPS_PROXY: set })).toEqual({
      reason: "proxy",
      message: `cannot connect to model.test through the proxy 127.0.0.1:${String(port)}: connection refused (ECONNREFUSED)`,
    });
  });

  test("a proxy that cannot be used stops the request", async () => {
    expect(await exchange("https://model.test/v1", { ALL_PROXY: "socks5://127.0.0.1:1" })).toEqual({
      reason: "proxy",
      message: "the proxy in ALL_PROXY cannot be used: proxies of type socks5 are not supported",
    });
  });
});
