import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMcpHub, type McpHub } from "../../../src/effect/mcp/index.js";
import { httpServer, stdioServer, testHub, textOf } from "./support.js";

const packageFile = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

let dir: string;
let hub: McpHub;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir }));
});
afterAll(async () => {
  await hub.close();
  await rm(dir, { recursive: true, force: true });
});

/** A port nobody has now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("a server people run is reached over HTTP: progress, many calls at once, its session given back", async () => {
  const port = await freePort();
  const server = spawn(process.execPath, [packageFile("server-everything"), "streamableHttp"], {
    env: { PATH: process.env["PATH"] ?? "", PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const web = createMcpHub(testHub({ cacheDir: join(dir, "web"), cwd: dir }));
  try {
    for await (const chunk of server.stderr) if (String(chunk).includes("listening")) break;
    web.configure([httpServer("web", `http://127.0.0.1:${port}/mcp`)]);
    await web.settled(use.signal);
    expect(web.servers()[0]).toMatchObject({ state: "connected", resources: true });
    const told: string[] = [];
    const working = web.call(
      { server: "web", tool: "trigger-long-running-operation", args: { duration: 0.3, steps: 3 } },
      { ...use, onProgress: (text) => told.push(text) },
    );
    const echoes = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await web.call({ server: "web", tool: "echo", args: { message: `m${index}` } }, use)),
    );
    expect(echoes.map(textOf)).toEqual(Array.from({ length: 20 }, (_, index) => `Echo: m${index}`));
    expect((await working).outcome).toBe("applied");
    expect(told[0]).toBe("1/3\n");
  } finally {
    await web.close();
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  }
});

const use = { signal: new AbortController().signal };

test("servers people run are listed, asked and read", async () => {
  hub.configure([
    stdioServer("everything", [packageFile("server-everything"), "stdio"]),
    stdioServer("files", [packageFile("server-filesystem"), dir]),
    stdioServer("memory", [packageFile("server-memory")], { MEMORY_FILE_PATH: join(dir, "memory.json") }),
  ]);
  expect(await hub.settled(use.signal)).toEqual({ ok: true, value: undefined });
  expect(hub.servers().map(({ name, state, message }) => [name, state, message])).toEqual([
    ["everything", "connected", undefined],
    ["files", "connected", undefined],
    ["memory", "connected", undefined],
  ]);
  const [everything] = hub.servers();
  expect(everything?.tools.map(({ name }) => name)).toContain("echo");
  expect(everything?.resources).toBe(true);
  expect(await hub.call({ server: "everything", tool: "echo", args: { message: "héllo 😀" } }, use)).toMatchObject({
    outcome: "applied",
    result: { ok: true, value: { isError: false, content: [{ type: "text", text: "Echo: héllo 😀" }] } },
  });
  expect(await hub.call({ server: "everything", tool: "get-sum", args: { a: "x" } }, use)).toMatchObject({
    result: { ok: true, value: { isError: true } },
  });
  const image = await hub.call({ server: "everything", tool: "get-tiny-image", args: {} }, use);
  expect(image.result.ok && image.result.value.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
  const progress: string[] = [];
  await hub.call(
    { server: "everything", tool: "trigger-long-running-operation", args: { duration: 0.2, steps: 2 } },
    { ...use, onProgress: (text) => progress.push(text) },
  );
  expect(progress[0]).toBe("1/2\n");
  const resources = await hub.resources("everything", use);
  expect(resources.ok && resources.value.resources.length).toBeGreaterThan(0);
  expect(await hub.read("everything", "demo://resource/static/document/architecture.md", use)).toMatchObject({ ok: true });
  expect(await hub.call({ server: "nobody", tool: "x", args: {} }, use)).toMatchObject({
    outcome: "not-applied",
    result: { error: { code: "mcp.server-unknown" } },
  });
});
