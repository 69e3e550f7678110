import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { say } from "../../support/model-server.js";
import { appears } from "../support/place.js";
import { createScripted, type Scripted } from "../support/scripted.js";
import { SMITH } from "../support/smith.js";
import { connect, type Connected, textIn } from "./client.js";

let place: Scripted | undefined;
let open: Connected[] = [];
afterEach(async () => {
  for (const { client } of open) await client.close();
  open = [];
  await place?.quiet();
  await place?.close();
  place = undefined;
});

async function serve(script: Parameters<typeof createScripted>[0]["script"] = () => say("hello")): Promise<Scripted> {
  place = await createScripted({ script });
  return place;
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const HELLO =
  line({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
  }) + line({ method: "notifications/initialized" });
const shell = (command: string): string => line({ id: 1, method: "tools/call", params: { name: "shell", arguments: { command } } });

function start(here: Scripted, ...node: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, [...node, SMITH, "mcp"], { cwd: here.work, env: here.env, stdio: ["pipe", "pipe", "ignore"] });
}

describe("a server whose client is gone", () => {
  test("ends with what runs when its standard input is closed", async () => {
    const here = await serve();
    const child = start(here);
    child.stdout.resume();
    const ended = once(child, "exit");
    child.stdin.write(HELLO + shell("echo > begun; sleep 600"));
    await appears(`${here.work}/begun`);
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    await here.quiet();
  });

  test("ends when nobody reads its standard output, quietly", async () => {
    const here = await serve();
    const child = start(here);
    const ended = once(child, "exit");
    child.stdin.on("error", () => undefined);
    child.stdin.write(HELLO + shell("echo > begun; sleep 600"));
    await appears(`${here.work}/begun`);
    child.stdout.destroy();
    child.stdin.write(line({ id: 2, method: "ping" }));
    expect(await ended).toEqual([0, null]);
    await here.quiet();
  });

  test("ends when that was killed", async () => {
    const here = await serve();
    const code = `
      const child = require("node:child_process").spawn(process.execPath, [${JSON.stringify(SMITH)}, "mcp"], { stdio: ["pipe", "pipe", "ignore"] });
      child.stdin.write(${JSON.stringify(HELLO + shell("echo > begun; sleep 600"))});
      child.stdout.resume();`;
    const client = spawn(process.execPath, ["-e", code], { cwd: here.work, env: here.env, stdio: "ignore" });
    const ended = once(client, "exit");
    await appears(`${here.work}/begun`);
    client.kill("SIGKILL");
    await ended;
    await here.quiet();
  });

  test("takes its commands along when it is killed itself", async () => {
    const here = await serve();
    const child = start(here);
    child.stdout.resume();
    const ended = once(child, "exit");
    child.stdin.write(HELLO + shell("echo > begun; sleep 600"));
    await appears(`${here.work}/begun`);
    child.kill("SIGKILL");
    await ended;
    await here.quiet();
  });
});

describe("standard output", () => {
  test("has nothing but messages, whatever else the process prints to it", async () => {
    const here = await serve();
    // Prints with each message that is written, as a package might.
    const noise = `
      const write = process.stdout.write;
      process.stdout.write = function (text, ...rest) {
        if (String(text).startsWith("{")) { console.log("noise"); process.stdout.write("more noise\\n"); }
        return write.call(this, text, ...rest);
      };`;
    const preload = `data:text/javascript,${encodeURIComponent(noise)}`;
    const { status, stdout, stderr } = await here.run(["mcp"], {
      input: HELLO + shell("echo printed; echo more >&2") + line({ id: 2, method: "tools/list" }),
      env: { NODE_OPTIONS: `--import ${preload}` },
    });
    expect(status).toBe(0);
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((text) => (JSON.parse(text) as { readonly id?: number }).id);
    expect([...new Set(messages)].sort()).toEqual([0, 1, 2, undefined]);
    expect(stderr).toContain("noise\nmore noise\n");
  });
});

describe("servers of others", () => {
  const memory = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url));

  test("have their tools offered from the first list on, once the project is trusted, and called like smith's own", async () => {
    const here = await serve();
    here.file(".mcp.json", JSON.stringify({ mcpServers: { every: { command: process.execPath, args: [memory, "stdio"] } } }));
    const stranger = await connect(here, ["--no-trust"]);
    open.push(stranger);
    const before = (await stranger.client.listTools()).tools.map(({ name }) => name);
    expect(before.filter((name) => name.startsWith("mcp__"))).toEqual([]);
    const trusting = await connect(here, ["--trust"]);
    open.push(trusting);
    const { tools } = await trusting.client.listTools();
    expect(tools.find(({ name }) => name === "mcp__every__echo")?.inputSchema).toMatchObject({ required: ["message"] });
    const echoed = await trusting.client.callTool({ name: "mcp__every__echo", arguments: { message: "over two hops" } });
    expect(textIn(echoed)).toContain("over two hops");
    expect(echoed.isError).toBe(false);
  });
});

describe("a model that a prompt names", () => {
  test("is asked, and one that nobody has is an error that says so", async () => {
    const here = await serve();
    const one = await connect(here);
    open.push(one);
    const named = await one.client.callTool({ name: "agent", arguments: { prompt: "hi", model: "openai-compatible/other" } });
    expect(textIn(named)).toBe("hello");
    expect(here.server.requests.at(-1)?.body["model"]).toBe("other");
    const unknown = await one.client.callTool({ name: "agent", arguments: { prompt: "hi", model: "nobody/nothing" } });
    expect([unknown.isError, here.server.requests.length]).toEqual([true, 1]);
    expect(textIn(unknown)).toContain("nobody");
  });
});
