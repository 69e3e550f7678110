import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { err, ok } from "../../src/base/index.js";
import { problem, serve, type Served, textOf, tool } from "./bench.js";

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function start(...args: Parameters<typeof serve>): Promise<Served> {
  served = await serve(...args);
  return served;
}

const DONE = { text: "done", isError: false, omittedBytes: 0, mutation: "not-applied" } as const;

describe("the list of tools", () => {
  test.each([
    ["auto", ["read", "write", "agent"]],
    ["ask-writes", ["read", "write", "agent"]],
    ["read-only", ["read", "agent"]],
    ["plan", ["read", "agent"]],
  ] as const)("is in mode %s: %j", async (mode, names) => {
    const { client } = await start({ tools: [tool("read"), tool("write", false), tool("agent")], options: { mode } });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    const annotations = Object.fromEntries(tools.map(({ name, annotations: told }) => [name, told]));
    expect(annotations["read"]).toEqual({ title: "Read", readOnlyHint: true });
    if (names.length === 3) expect(annotations["write"]).toEqual({ title: "Write", readOnlyHint: false, destructiveHint: true });
    const isReadOnly = names.length === 2;
    expect(annotations["agent"]).toMatchObject({ readOnlyHint: isReadOnly, openWorldHint: true });
    expect(annotations["agent"]?.destructiveHint).toBe(isReadOnly ? undefined : true);
  });

  test("has the schemas the tools have", async () => {
    const { client } = await start({ tools: [tool("read")] });
    const [read] = (await client.listTools()).tools;
    expect(read).toMatchObject({ title: "Read", description: "does read", inputSchema: tool("read").parameters });
    expect(read).not.toHaveProperty("outputSchema");
  });

  test("waits for servers that are starting, as a call of what is not there yet does, and no other", async () => {
    const tools = [tool("read")];
    let isReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    let waits = 0;
    const here = await start({
      tools,
      runtime: {
        async toolsReady() {
          waits += 1;
          await ready;
        },
      },
    });
    await expect(here.client.callTool({ name: "read", arguments: {} })).rejects.toThrow();
    expect(waits).toBe(0);
    const listed = here.client.listTools();
    const called = here.client.callTool({ name: "mcp__x__y", arguments: {} });
    await here.client.ping();
    expect(waits).toBe(2);
    tools.push(tool("mcp__x__z"));
    isReady();
    expect((await listed).tools.map(({ name }) => name)).toEqual(["read", "mcp__x__z", "agent"]);
    expect(textOf(await called)).toBe('Unknown tool "mcp__x__y". Did you mean mcp__x__z? Available tools: read, mcp__x__z, agent.');
  });

  test("is told of when what plugins bring has changed, and that of prompts with it", async () => {
    const here = await start();
    here.changeContributions();
    await here.noticed("notifications/tools/list_changed");
    await here.noticed("notifications/prompts/list_changed");
  });
});

describe("a call", () => {
  test("runs in the one session of this server, which is named after the client, and beside other calls", async () => {
    const here = await start({ tools: [tool("read")] });
    const first = here.client.callTool({ name: "read", arguments: { path: "a" } });
    const second = here.client.callTool({ name: "read", arguments: { path: "b" } });
    await expect(first).rejects.toThrow();
    await expect(second).rejects.toThrow();
    const [session] = here.sessions;
    expect([here.sessions.length, here.opened[0]]).toEqual([1, { interactive: false, name: "mcp tester" }]);
    if (session !== undefined) session.onTool = async (_name, args) => await Promise.resolve(ok({ ...DONE, text: JSON.stringify(args) }));
    expect(textOf(await here.client.callTool({ name: "read", arguments: { path: "c" } }))).toBe('{"path":"c"}');
    expect(here.sessions).toHaveLength(1);
    expect(session?.called("callTool")).toEqual([
      ["read", { path: "a" }],
      ["read", { path: "b" }],
      ["read", { path: "c" }],
    ]);
    await here.noticed("notifications/resources/list_changed");
    expect(session?.isClosed).toBe(false);
    here.endInput();
    await here.ended;
    expect(session?.isClosed).toBe(true);
  });

  test("gives text and images, what it did and its facts beside them, and its progress", async () => {
    const here = await start({ tools: [tool("read")] });
    const end = { ...DONE, omittedBytes: 7, mutation: "applied", summary: "1 file", data: { lines: 3 } } as const;
    const images = [{ type: "image", mediaType: "image/png", base64: "AAAA" }] as const;
    await prepared(here, async (_name, _args, { onProgress }) => {
      onProgress?.("half");
      onProgress?.("");
      onProgress?.("x".repeat(3_000));
      return await Promise.resolve(ok({ ...end, images: images.map((image) => ({ ...image, width: 1, height: 1 })) }));
    });
    const told: (string | undefined)[] = [];
    const result = await here.client.callTool({ name: "read", arguments: {} }, undefined, {
      onprogress: ({ message, progress }) => told.push(`${String(progress)} ${message ?? ""}`.slice(0, 8)),
    });
    expect(result).toEqual({
      content: [
        { type: "text", text: "done" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
      isError: false,
      _meta: { "smith/mutation": "applied", "smith/omittedBytes": 7, "smith/summary": "1 file", "smith/data": { lines: 3 } },
    });
    expect(told).toEqual(["1 half", "2 xxxxxx"]);
  });

  test("tells no progress to a client that has fallen behind, or that did not ask", async () => {
    const here = await start({ tools: [tool("read")] });
    await prepared(here, async (_name, _args, { onProgress }) => {
      onProgress?.("word");
      return await Promise.resolve(ok(DONE));
    });
    await here.client.callTool({ name: "read", arguments: {} });
    here.setBehind(true);
    const told: unknown[] = [];
    await here.client.callTool({ name: "read", arguments: {} }, undefined, { onprogress: (progress) => told.push(progress) });
    expect(told).toEqual([]);
    expect(here.notices.filter(({ method }) => method === "notifications/progress")).toEqual([]);
  });

  test("that the session refuses is a result with its words", async () => {
    const here = await start({ tools: [tool("read")] });
    await prepared(here, async () => await Promise.resolve(err(problem())));
    const result = await here.client.callTool({ name: "read", arguments: {} });
    expect(result).toEqual({ content: [{ type: "text", text: "It failed.\nBecause.\nTry again." }], isError: true });
  });

  test("of what the mode does not allow names what there is, and nothing is made for it", async () => {
    const here = await start({ tools: [tool("read"), tool("write", false)], options: { mode: "read-only" } });
    const result = await here.client.request({ method: "tools/call", params: { name: "write" } }, CallToolResultSchema);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('Unknown tool "write". Available tools: read, agent.');
    expect(here.sessions).toEqual([]);
  });

  test("is tried again in a new session when the first could not be made", async () => {
    let isBroken = true;
    const here = await start({
      tools: [tool("read")],
      runtime: { create: async () => await Promise.resolve(err(problem({ what: isBroken ? "No room." : "Still none." }))) },
    });
    expect(textOf(await here.client.callTool({ name: "read", arguments: {} }))).toContain("No room.");
    isBroken = false;
    expect(textOf(await here.client.callTool({ name: "read", arguments: {} }))).toContain("Still none.");
  });

  test("is ended by its own cancellation alone", async () => {
    const here = await start({ tools: [tool("read")] });
    const signals: AbortSignal[] = [];
    await prepared(here, async (_name, args, { signal }) => {
      if (args["path"] !== "wait") return ok(DONE);
      signals.push(signal);
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve, { once: true });
      });
      return ok({ ...DONE, isError: true });
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map((controller) =>
      here.client.callTool({ name: "read", arguments: { path: "wait" } }, undefined, { signal: controller.signal }),
    );
    const ends = calls.map(async (call) => {
      await expect(call).rejects.toThrow();
    });
    await here.client.callTool({ name: "read", arguments: {} });
    first.abort();
    await here.client.ping();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    second.abort();
    await here.client.ping();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await Promise.all(ends);
  });
});

/** Makes the session of calls and lets it run its tools so. */
async function prepared(here: Served, run: NonNullable<Served["sessions"][number]["onTool"]>): Promise<void> {
  await expect(here.client.callTool({ name: "read", arguments: {} })).rejects.toThrow();
  const [session] = here.sessions;
  if (session !== undefined) session.onTool = run;
}
