import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/index.js";
import { addMcpServer, removeMcpServer } from "../../../src/config/index.js";

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-file-"));
  path = join(dir, "deep", "mcp.json");
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});
const add = async (name: string, server: JsonObject) => await addMcpServer({ path, pid: 1 }, name, server);
const servers = async (): Promise<unknown> => (JSON.parse(await readFile(path, "utf8")) as { mcpServers: unknown }).mcpServers;

describe("a mcp.json", () => {
  test("is made, takes servers and gives them up, each name once", async () => {
    expect(await add("a", { command: "x" })).toEqual({ ok: true, value: false });
    expect(await add("a", { url: "https://example.com/mcp" })).toEqual({ ok: true, value: true });
    expect(await add("__proto__", { command: "y" })).toEqual({ ok: true, value: false });
    expect(Object.keys((await servers()) as object)).toEqual(["a", "__proto__"]);
    expect(await removeMcpServer({ path, pid: 1 }, "constructor")).toEqual({ ok: true, value: false });
    expect(await removeMcpServer({ path, pid: 1 }, "__proto__")).toEqual({ ok: true, value: true });
    expect(await servers()).toEqual({ a: { url: "https://example.com/mcp" } });
  });

  test.each<[string, JsonObject, string]>([
    ["a", { url: "notaurl" }, 'url must be an http or https address, not "notaurl"'],
    ["a", { url: "file:///etc/passwd" }, 'url must be an http or https address, not "file:///etc/passwd"'],
    ["a", { url: "https://x/", bearerTokenEnv: "x y" }, "bearerTokenEnv must name variables"],
    ["a", { url: "https://x/", headers: { "A B": "c" } }, '"A B" in headers is not the name of a header'],
    ["a", { url: "https://x/", headers: { A: "secret\nB: d" } }, "its header A has more than one line"],
    ["a", { command: "x", env: { "1A": "b" } }, '"1A" in env is not the name of a variable'],
    ["a", { command: "" }, "it needs a command to start, or a url to reach"],
    ["a b", { command: "x" }, "its name must be"],
  ])("is left as it is by %s with %j, which could not be used", async (name, server, problem) => {
    await add("a", { command: "works" });
    const refused = await add(name, server);
    expect(refused).toMatchObject({ ok: false, error: { code: "config.mcp-server-not-added", exit: 2 } });
    expect(refused.ok ? "" : refused.error.what).toContain(`was not added: ${problem}`);
    expect(await servers()).toEqual({ a: { command: "works" } });
  });

  test("that is none is not written over", async () => {
    path = join(dir, "mcp.json");
    await writeFile(path, "{ mine");
    expect(await add("a", { command: "x" })).toMatchObject({ ok: false, error: { code: "mcp.file-broken" } });
    expect(await readFile(path, "utf8")).toBe("{ mine");
  });
});
