import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMcpHub, type McpHub } from "../../../src/effect/mcp/index.js";
import { testHub, stdioServer } from "./support.js";

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
  expect(progress[0]).toBe("1/2");
  const resources = await hub.resources("everything", use);
  expect(resources.ok && resources.value.resources.length).toBeGreaterThan(0);
  expect(await hub.read("everything", "demo://resource/static/document/architecture.md", use)).toMatchObject({ ok: true });
  expect(await hub.call({ server: "nobody", tool: "x", args: {} }, use)).toMatchObject({
    outcome: "not-applied",
    result: { error: { code: "mcp.server-unknown" } },
  });
});
