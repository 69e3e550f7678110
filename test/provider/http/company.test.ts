/** config-2 and certificates of a company's own: real proxies and a real TLS server on loopback, asked by a process of its own. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startModelServer } from "../../support/model-server.js";
import type { Exchange, Exchanged } from "./exchange-main.js";
import { listen, type LocalProxy, type LocalProxyOptions, startProxy } from "./local-proxy.js";

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const AUTHORITY = at("certificates/authority.pem");

let folder = "";
let server: Server;
let port = 0;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smith-exchange-"));
  await build({
    entryPoints: [at("exchange-main.ts")],
    outfile: join(folder, "main.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    logLevel: "silent",
  });
  const [cert, key] = await Promise.all([readFile(at("certificates/server.pem")), readFile(at("certificates/server-key.pem"))]);
  server = createServer({ cert, key }, (req, res) => {
    req.resume();
    req.on("end", () => res.end(`${String(req.method)} ${String(req.url)} over TLS for ${String(req.headers.host)}`));
  });
  port = await listen(server);
}, 60_000);

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

interface Ran {
  readonly results: readonly Exchanged[];
  readonly stderr: string;
  readonly stdout: string;
}

/** Runs exchanges in a process that trusts, or does not trust, our authority. */
function run(exchanges: readonly Exchange[], authority: string | undefined): Promise<Ran> {
  const env = { PATH: process.env["PATH"], ...(authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: authority }) };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(folder, "main.cjs"), JSON.stringify(exchanges)], { env }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${error.message}: ${stderr}`));
      else resolve({ results: JSON.parse(stdout) as readonly Exchanged[], stderr, stdout });
    });
  });
}

async function proxyTo(options: LocalProxyOptions = {}): Promise<LocalProxy> {
  const proxy = await startProxy({ tunnelPort: port, ...options });
  open.push(proxy);
  return proxy;
}

const LIMIT = 60_000;
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

describe("an authority of one's own", () => {
  test("is trusted when NODE_EXTRA_CA_CERTS names it", { timeout: LIMIT }, async () => {
    const url = `https://localhost:${String(port)}/v1`;
    const { results, stderr } = await run([{ url, env: {} }], AUTHORITY);
    expect(results).toEqual([{ status: 200, text: `POST /v1 over TLS for localhost:${String(port)}`, outcome: "complete" }]);
    expect(stderr).toBe("");
  });

  test("is refused without, in words that name the host and the variable", { timeout: LIMIT }, async () => {
    const { results, stderr } = await run([{ url: `https://localhost:${String(port)}/v1`, env: {} }], undefined);
    expect(results).toEqual([
      {
        reason: "connect",
        message: matching(
          new RegExp(`^TLS with localhost:${String(port)} failed: .* a certificate authority of your own is named in NODE_EXTRA_CA_CERTS$`),
        ),
      },
    ]);
    expect(stderr).toBe("");
  });
});

describe("config-2: https through a tunnel", () => {
  const LOGIN = "us er:DDD444%w";
  const login = "us%20er:DDD444%25w";
  const answered = { status: 200, text: "POST /v1?a=1 over TLS for model.test", outcome: "complete" };
  const url = "https://model.test/v1?a=1";

  test("each variable leads through it with user name and password, and output stays clean", { timeout: LIMIT }, async () => {
    const proxy = await proxyTo({ login: LOGIN });
    const value = `http://${login}@${proxy.host}`;
    const names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    const { results, stderr } = await run(
      names.map((name) => ({ url, env: { [name]: value } })),
      AUTHORITY,
    );
    expect(results).toEqual(names.map(() => answered));
    const auth = `Basic ${Buffer.from(LOGIN).toString("base64")}`;
    expect(proxy.seen).toEqual(names.map(() => ({ method: "CONNECT", url: "model.test:443", auth })));
    expect(stderr).toBe("");
  });

  test("a tunnel is used again", { timeout: LIMIT }, async () => {
    const proxy = await proxyTo();
    const env = { HTTPS_PROXY: `http://${proxy.host}` };
    const { results } = await run(
      [1, 2, 3].map(() => ({ url, env })),
      AUTHORITY,
    );
    expect(results).toEqual([answered, answered, answered]);
    expect(proxy.seen).toHaveLength(1);
  });

  test("HTTP_PROXY is not for it, and a local server needs no setting", { timeout: LIMIT }, async () => {
    const proxy = await proxyTo();
    const set = { HTTP_PROXY: `http://${proxy.host}`, HTTPS_PROXY: `http://${proxy.host}`, ALL_PROXY: `http://${proxy.host}` };
    const { results } = await run([{ url: `https://localhost:${String(port)}/v1`, env: set }], AUTHORITY);
    expect(results).toMatchObject([{ status: 200 }]);
    expect(proxy.seen).toEqual([]);
  });

  test("407, a proxy that is down and a certificate that is not trusted are told without the password", { timeout: LIMIT }, async () => {
    const [proxy, down] = [await proxyTo({ login: LOGIN }), await startProxy({})];
    await down.close();
    const wrong = { HTTPS_PROXY: `http://u:DDD444@${proxy.host}` };
    const { results, stdout, stderr } = await run(
      [
        { url, env: wrong },
        { url, env: { HTTPS_PROXY: `http://u:DDD444@${down.host}` } },
        { url, env: { HTTPS_PROXY: `http://${login}@${proxy.host}` } },
      ],
      undefined,
    );
    expect(results).toEqual([
      { reason: "proxy", message: `the proxy ${proxy.host} wants a user name and password (407)` },
      {
        reason: "proxy",
        message: `cannot connect to model.test through the proxy ${down.host}: connection refused (ECONNREFUSED)`,
      },
      {
        reason: "connect",
        message: matching(/^TLS with model\.test \(through the proxy [\d.:]+\) failed: .*NODE_EXTRA_CA_CERTS$/),
      },
    ]);
    expect(stdout + stderr).not.toContain("DDD444");
  });
});

describe("config-2: plain http", () => {
  test.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])("%s leads through it", { timeout: LIMIT }, async (name) => {
    const model = await startModelServer({ script: [], strict: false, modelsReply: { pieces: ["listed"] } });
    open.push(model);
    const proxy = await proxyTo({ httpPort: model.port, login: "u:DDD444" });
    const { results, stdout, stderr } = await run(
      [
        { url: "http://model.test/v1/chat/completions", env: { [name]: `http://u:DDD444@${proxy.host}` } },
        { url: "http://model.test/v1", env: { [name]: `http://u:wrong@${proxy.host}` } },
        { url: `http://127.0.0.1:${String(model.port)}/v1/chat/completions`, env: { [name]: `http://u:DDD444@${proxy.host}` } },
      ],
      undefined,
    );
    expect(results).toMatchObject([
      { status: 200 },
      { reason: "proxy", message: `the proxy ${proxy.host} wants a user name and password (407)` },
      { status: 200 },
    ]);
    expect(proxy.seen.map(({ url }) => url)).toEqual(["http://model.test/v1/chat/completions", "http://model.test/v1"]);
    expect(stdout + stderr).not.toMatch(/DDD444|wrong/);
  });
});
