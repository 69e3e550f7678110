import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ListResourcesResultSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { call, say } from "../../support/model-server.js";
import { appears } from "../support/place.js";
import { createScripted, type Scripted } from "../support/scripted.js";
import { SMITH } from "../support/smith.js";
import { until } from "../../support/virtual-screen.js";
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

async function connected(...args: Parameters<typeof connect>): Promise<Connected> {
  const one = await connect(...args);
  open.push(one);
  return one;
}

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const run = promisify(execFile);

describe("tools of smith mcp", () => {
  test("are listed with their schemas and honest annotations, the agent among them", async () => {
    const { client } = await connected(await serve());
    const { tools } = await client.listTools();
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    expect(byName.get("read")).toMatchObject({
      inputSchema: { type: "object", required: ["path"] },
      annotations: { title: "Read", readOnlyHint: true },
    });
    expect(byName.get("shell")?.annotations).toEqual({ title: "Shell", readOnlyHint: false, destructiveHint: true });
    expect(byName.get("agent")).toMatchObject({
      inputSchema: { required: ["prompt"] },
      outputSchema: { required: ["session", "status", "reason"] },
    });
    for (const name of ["patch", "find_tools"]) expect(byName.has(name)).toBe(false);
  });

  test("run without a model, in one session that is named after the client, with effects on record", async () => {
    const here = await serve();
    here.file("a.txt", "one\n");
    const { client } = await connected(here);
    const [read, wrote] = await Promise.all([
      client.callTool({ name: "read", arguments: { path: "a.txt" } }),
      client.callTool({ name: "write", arguments: { path: "b.txt", content: "two\n" } }),
    ]);
    expect(textIn(read)).toContain("one");
    expect(wrote).toMatchObject({ isError: false, _meta: { "smith/mutation": "applied" } });
    expect(here.read("b.txt")).toBe("two\n");
    expect(here.server.all).toHaveLength(0);
    await client.close();
    await here.quiet();
    const files = readdirSync(here.sessions).filter((name) => name.endsWith(".smith"));
    expect(files).toHaveLength(1);
    const id = files[0]?.slice(0, -".smith".length) ?? "";
    const [list, verified, dump] = [
      await here.run(["sessions", "list"]),
      await here.run(["sessions", "verify", id]),
      await here.run(["sessions", "get", "--json", id]),
    ];
    expect(list.stdout).toContain("mcp tester");
    expect(verified.status).toBe(0);
    expect(dump.stdout).toContain('"trigger":{"type":"tool","name":"write"');
    expect(dump.stdout).toMatch(/"type":"effect-done"[^\n]*"applied"/u);
  });

  test.each([
    ["a name that nobody has", { name: "raed", arguments: {} }, "Did you mean read?"],
    ["no arguments", { name: "read", arguments: {} }, "Invalid arguments for read"],
    ["arguments of another kind", { name: "read", arguments: { path: { wrong: true } } }, "Invalid arguments for read"],
    ["an agent without a prompt", { name: "agent", arguments: {} }, "Invalid arguments for agent"],
    ["a session that is not there", { name: "agent", arguments: { prompt: "x", session: "ffffffff" } }, "ffffffff"],
  ])("answer %s with an error the model can act on", async (_name, request, words) => {
    const { client } = await connected(await serve());
    const result = await client.request({ method: "tools/call", params: request }, CallToolResultSchema);
    expect(result.isError).toBe(true);
    expect(textIn(result)).toContain(words);
  });

  test("are those the flags leave: none that changes things in read-only mode, none at all with --no-tools", async () => {
    const here = await serve();
    const names = async (...args: readonly string[]) => {
      const { client } = await connected(here, args);
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const readOnly = await names("--mode", "read-only");
    expect(readOnly).toContain("read");
    for (const name of ["write", "edit", "shell"]) expect(readOnly).not.toContain(name);
    expect(await names("--tools", "read")).toEqual(["read", "agent"]);
    expect(await names("--no-tools")).toEqual(["agent"]);
  });

  test("ask the client's person in ask-writes mode, and are denied where there is none to ask", async () => {
    const here = await serve();
    const request = { name: "write", arguments: { path: "b.txt", content: "two\n" } };
    const mute = await connected(here, ["--mode", "ask-writes"]);
    expect(await mute.client.callTool(request)).toMatchObject({ isError: true, _meta: { "smith/mutation": "not-applied" } });
    const { client } = await connected(here, ["--mode", "ask-writes"], { elicitation: {} });
    const asked: string[] = [];
    const verdicts = ["deny", "once"];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { verdict: verdicts.shift() ?? "deny" } };
    });
    expect(await client.callTool(request)).toMatchObject({ isError: true });
    expect(await client.callTool(request)).toMatchObject({ isError: false });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("write");
    expect(here.read("b.txt")).toBe("two\n");
  });

  test("end with what they started when the request is cancelled, and the server goes on", async () => {
    const here = await serve();
    const { client } = await connected(here);
    const controller = new AbortController();
    const calling = client.callTool({ name: "shell", arguments: { command: "echo > begun; sleep 600" } }, undefined, {
      signal: controller.signal,
    });
    const ended = expect(calling).rejects.toThrow();
    await appears(`${here.work}/begun`);
    controller.abort();
    await ended;
    await until(
      () => here.leftBehind().every((command) => !command.includes("sleep 600")),
      () => here.leftBehind().join("; "),
    );
    await client.ping();
  });
});

describe("the agent tool", () => {
  test("answers with the reply, tells how far it is, and goes on in its session", async () => {
    const here = await serve((_request, n) => (n === 0 ? call("read", { path: "a.txt" }) : say(`answer ${String(n)}`)));
    here.file("a.txt", "one\n");
    const { client } = await connected(here);
    const told: string[] = [];
    const first = await client.callTool({ name: "agent", arguments: { prompt: "read it" } }, undefined, {
      onprogress: ({ message }) => told.push(message ?? ""),
    });
    expect(first).toMatchObject({ isError: false, structuredContent: { status: "ok", reason: "done" } });
    expect(textIn(first)).toBe("answer 1");
    expect(told).toContain("round 1");
    expect(told.some((message) => message.startsWith("read a.txt"))).toBe(true);
    expect(told).toContain("answer 1");
    const { session } = first.structuredContent as { readonly session: string };
    const second = await client.callTool({ name: "agent", arguments: { prompt: "and now?", session } });
    expect([textIn(second), (second.structuredContent as { readonly session: string }).session]).toEqual(["answer 2", session]);
    expect(JSON.stringify(here.server.requests.at(-1)?.body)).toContain("answer 1");
    mkdirSync(`${here.work}/other`);
    const { client: elsewhere } = await connected(here, ["--cwd", "other"]);
    for (const name of [session, session.slice(-4)]) {
      const refused = await elsewhere.callTool({ name: "agent", arguments: { prompt: "tell all", session: name } });
      expect([refused.isError, textIn(refused)]).toEqual([true, expect.stringContaining(`There is no session ${name} of this folder.`)]);
    }
  });

  test("is aborted with its request, and its commands with it", async () => {
    const here = await serve(() => call("shell", { command: "echo > begun; sleep 600" }));
    const { client } = await connected(here);
    const controller = new AbortController();
    const ended = expect(
      client.callTool({ name: "agent", arguments: { prompt: "wait" } }, undefined, { signal: controller.signal }),
    ).rejects.toThrow();
    await appears(`${here.work}/begun`);
    controller.abort();
    await ended;
    await until(
      () => here.leftBehind().every((command) => !command.includes("sleep 600")),
      () => here.leftBehind().join("; "),
    );
    await client.ping();
  });
});

describe("sessions and prompts", () => {
  test("a session is listed, read as records and as a conversation, completed, and heard of when it grows", async () => {
    const here = await serve((_request, n) => say(`answer ${String(n)}`));
    const { client } = await connected(here);
    const { structuredContent } = await client.callTool({ name: "agent", arguments: { prompt: "tell me" } });
    const { session } = structuredContent as { readonly session: string };
    const uri = `smith://sessions/${session}`;
    const { resources } = await client.request({ method: "resources/list" }, ListResourcesResultSchema);
    expect(resources).toMatchObject([{ uri, title: "tell me" }]);
    const [records] = (await client.readResource({ uri })).contents;
    const lines = String(records !== undefined && "text" in records ? records.text : "")
      .trimEnd()
      .split("\n");
    expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.toThrow();
    const [talk] = (await client.readResource({ uri: `${uri}/transcript` })).contents;
    expect(talk).toMatchObject({
      mimeType: "text/markdown",
      text: expect.stringMatching(/## User\n\ntell me\n\n?## Assistant\n\nanswer 0/u) as string,
    });
    const completed = await client.complete({
      ref: { type: "ref/resource", uri: "smith://sessions/{id}" },
      argument: { name: "id", value: session.slice(0, 6) },
    });
    expect(completed.completion.values).toEqual([session]);
    const updated = new Promise<string>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
        resolve(params.uri);
      });
    });
    await client.subscribeResource({ uri });
    await client.callTool({ name: "agent", arguments: { prompt: "more", session } });
    expect(await updated).toBe(uri);
    await client.unsubscribeResource({ uri });
  });

  test.each([
    "smith://sessions/nope",
    "smith://sessions/00000000-0000-7000-8000-000000000000",
    "file:///etc/passwd",
    "smith://sessions/../x",
  ])("%s is no resource", async (uri) => {
    const { client } = await connected(await serve());
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
  });

  test("sessions of another folder are not shown", async () => {
    const here = await serve();
    const other = here.file("other/x.txt", "").slice(0, -"/x.txt".length);
    const made = await here.run(["eval", "--json", "--cwd", other, "elsewhere"]);
    const id = /"session":"([0-9a-f-]+)"/u.exec(made.stdout)?.[1] ?? "";
    const { client } = await connected(here);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource({ uri: `smith://sessions/${id}` })).rejects.toMatchObject({ code: -32002 });
  });

  test("templates are prompts that are filled in", async () => {
    const here = await serve();
    here.config(
      'models {\n  model "openai-compatible/scripted" { context 200000; output 32000; images #true; tools #true; sampling #true }\n}\n',
    );
    mkdirSync(`${here.home}/config/prompts`, { recursive: true });
    writeFileSync(`${here.home}/config/prompts/review.md`, "---\ndescription: Reviews a file\n---\nReview $1 well.\n");
    const { client } = await connected(here);
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([{ name: "review", description: "Reviews a file", arguments: [{ name: "arguments", required: false }] }]);
    const { messages } = await client.getPrompt({ name: "review", arguments: { arguments: "a.ts" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Review a.ts well." } }]);
    await expect(client.getPrompt({ name: "nope" })).rejects.toMatchObject({ code: -32602 });
  });
});

describe("the connection", () => {
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  const initialize = (protocolVersion: string): string =>
    line({ id: 0, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "0" } } });

  test("survives lines that are no messages, answers requests before initialize and 50 at once, and writes nothing but messages", async () => {
    const here = await serve();
    const pings = Array.from({ length: 50 }, (_, n) => line({ id: `p${String(n)}`, method: "ping" })).join("");
    const noise = '{ this is not json\n[]\n"x"\n\nnull\n7\n{"jsonrpc":"2.0","id":"bad","method":5}\n';
    const input = `${line({ id: "early", method: "tools/list" })}${noise}${initialize("1999-01-01")}${line({ method: "notifications/initialized" })}${pings}`;
    const { status, stdout, stderr } = await here.run(["mcp"], { input });
    expect(status).toBe(0);
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map(
        (text) =>
          JSON.parse(text) as { readonly id: unknown; readonly result?: { protocolVersion?: string }; readonly error?: { code: number } },
      );
    expect(new Set(messages.map(({ id }) => id)).size).toBe(53);
    expect(messages.find(({ id }) => id === 0)?.result?.protocolVersion).toBe("2025-11-25");
    expect(messages.find(({ id }) => id === "bad")?.error?.code).toBe(-32600);
    expect(stderr).toContain("no message was passed over");
  });

  test("survives messages nested so deep that writing them takes all stack, and goes on with what runs", async () => {
    const here = await serve();
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const input = [
      initialize("2025-11-25"),
      line({ method: "notifications/initialized" }),
      line({ id: "runs", method: "tools/call", params: { name: "shell", arguments: { command: "echo it ran" } } }),
      `${deep}\n`,
      `{"jsonrpc":"2.0","method":"x","id":{"a":${deep}}}\n`,
      `{"jsonrpc":"2.0","method":"tools/call","id":"deep","params":{"name":"read","arguments":{"path":${deep}}}}\n`,
      `[{"jsonrpc":"2.0","method":"ping","id":"beside"},${deep}]\n`,
    ].join("");
    const { status, stdout, stderr } = await here.run(["mcp"], { input });
    expect(status).toBe(0);
    const answers = new Map(
      stdout
        .trimEnd()
        .split("\n")
        .map((text) => JSON.parse(text) as { readonly id: unknown })
        .map((message) => [message.id, message]),
    );
    expect(JSON.stringify(answers.get("runs"))).toContain("it ran");
    expect(answers.get("deep")).toMatchObject({
      error: { code: -32600, message: "Invalid request: it is nested in more than 200 levels." },
    });
    expect(answers.get("beside")).toMatchObject({ result: {} });
    expect(stderr.match(/nested in more than 200 levels/gu)).toHaveLength(3);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("%s ends it and the command it runs, with status %i", async (signal, status) => {
    const here = await serve();
    const child = spawn(process.execPath, [SMITH, "mcp"], { cwd: here.work, env: here.env, stdio: ["pipe", "ignore", "ignore"] });
    const ended = once(child, "exit");
    const params = { name: "shell", arguments: { command: "echo > begun; sleep 600" } };
    child.stdin.write(
      initialize("2025-06-18") + line({ method: "notifications/initialized" }) + line({ id: 1, method: "tools/call", params }),
    );
    await appears(`${here.work}/begun`);
    child.kill(signal);
    expect(await ended).toEqual([status, null]);
    await here.quiet();
  });

  test("a configuration that cannot be read is told on standard error alone, with status 2", async () => {
    const here = await serve();
    here.config("mode 7 {");
    const bad = await here.run(["mcp"]);
    expect([bad.status, bad.stdout]).toEqual([2, ""]);
    const flag = await here.run(["mcp", "--mode", "nope"]);
    expect([flag.status, flag.stdout]).toEqual([2, ""]);
    const word = await here.run(["mcp", "word"]);
    expect([word.status, word.stdout]).toEqual([2, ""]);
    here.config("");
    const tools = await here.run(["mcp", "--tools", "nope"], { input: initialize("2025-06-18") });
    expect([tools.status, tools.stdout]).toEqual([2, ""]);
    expect(tools.stderr).toMatch(/No such tool: nope.*read/su);
  });

  test.each(["tools/list", "resources/list", "prompts/list"])("the inspector's command line reads %s", async (method) => {
    const here = await serve();
    // It reads a package.json beside its own folder, which only its whole distribution has.
    mkdirSync(`${here.home}/scope`);
    symlinkSync(join(MODULES, "@modelcontextprotocol/inspector-cli"), `${here.home}/scope/inspector-cli`);
    symlinkSync(MODULES, `${here.home}/node_modules`);
    writeFileSync(`${here.home}/scope/package.json`, '{"name":"inspector","version":"1.0.3"}');
    const inspector = ["--preserve-symlinks", "--preserve-symlinks-main", `${here.home}/scope/inspector-cli/build/index.js`];
    const { stdout } = await run(process.execPath, [...inspector, process.execPath, SMITH, "mcp", "--method", method], {
      cwd: here.work,
      env: here.env,
    });
    expect(JSON.parse(stdout)).toHaveProperty(method.split("/")[0] ?? "");
  });
});
