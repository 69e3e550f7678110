import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePromptArguments } from "../../../plugins/tool-mcp/command/arguments.js";
import { mcpCommand } from "../../../plugins/tool-mcp/command/mcp.js";
import { runPrompt } from "../../../plugins/tool-mcp/command/prompt.js";
import type { Action, CommandContext, JsonValue, McpPromptOutput, McpServerView } from "../../../src/plugin/sdk.js";
import { heavyTool, hostError, promptOf, serverOf, toolOf } from "./servers.js";

interface Host {
  readonly servers: readonly McpServerView[] | Error;
  readonly prompt?: McpPromptOutput | Error;
  readonly reconnect?: McpServerView | Error;
}

const given = async <T>(answer: T | Error | undefined): Promise<T> => {
  if (answer === undefined) throw new Error("an operation that the test did not expect");
  if (answer instanceof Error) throw answer;
  return answer;
};

const contextOf = ({ servers, prompt, reconnect }: Host, asked: unknown[] = []): CommandContext => {
  const recorded = async <T>(input: unknown, answer: T | Error | undefined): Promise<T> => {
    asked.push(input);
    return await given(answer);
  };
  const mcp = {
    servers: async () => await given(servers),
    prompt: async (input: unknown) => await recorded(input, prompt),
    reconnect: async (input: unknown) => await recorded(input, reconnect),
  };
  // Nothing else of a context may be used by these commands.
  return { mcp } as unknown as CommandContext;
};

describe("arguments of a prompt", () => {
  const DECLARED = [
    { name: "topic", required: true },
    { name: "style", required: false },
  ];

  test.each<[string, Record<string, string>]>([
    ["cats", { topic: "cats" }],
    ["cats short", { topic: "cats", style: "short" }],
    ["cats short and sweet", { topic: "cats", style: "short and sweet" }],
    ['"big cats" short', { topic: "big cats", style: "short" }],
    ["topic=cats style=short", { topic: "cats", style: "short" }],
    ['style="very short" cats', { topic: "cats", style: "very short" }],
    ["style='' cats", { topic: "cats", style: "" }],
    ["topic=a=b", { topic: "a=b" }],
    ["x=1", { topic: "x=1" }],
    ["it's fine", { topic: "it's", style: "fine" }],
    ['"open', { topic: '"open' }],
  ])("%s", (text, args) => {
    expect(parsePromptArguments(text, DECLARED)).toEqual({ type: "read", args });
  });

  test("the only one takes the whole text", () => {
    expect(parsePromptArguments("all  of this", [{ name: "text", required: true }])).toEqual({
      type: "read",
      args: { text: "all of this" },
    });
  });

  test.each([
    ["", "topic is missing", DECLARED],
    ["style=x", "topic is missing", DECLARED],
    ["topic=a style=b more", 'there is no argument for "more"', DECLARED],
    ["topic=a topic=b", "topic is given twice", DECLARED],
    ["x", "it takes no arguments", []],
    [
      "",
      "a, b are missing",
      [
        { name: "a", required: true },
        { name: "b", required: true },
      ],
    ],
  ])("%j: %s", (text, problem, declared) => {
    expect(parsePromptArguments(text, declared)).toEqual({ type: "wrong", problem });
  });

  test("any text is read or wrong, and what is read has nothing but declared names", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const parsed = parsePromptArguments(text, DECLARED);
        if (parsed.type === "read") expect(["topic", "style"]).toEqual(expect.arrayContaining(Object.keys(parsed.args)));
      }),
    );
  });
});

describe("a prompt as a command", () => {
  const server = serverOf({ prompts: [promptOf("explain", [{ name: "topic", required: true }])] });
  const call = (args = "cats", target: JsonValue = { server: "demo", prompt: "explain" }) => ({ name: "mcp__demo__explain", target, args });
  const says = async (prompt: McpPromptOutput): Promise<readonly Action[]> =>
    await runPrompt(call(), contextOf({ servers: [server], prompt }));
  const text = (words: string) => ({ type: "text", text: words }) as const;

  test("is rendered by the server and becomes input", async () => {
    const asked: unknown[] = [];
    const prompt: McpPromptOutput = { messages: [{ role: "user", content: text("Explain cats.") }] };
    expect(await runPrompt(call(), contextOf({ servers: [server], prompt }, asked))).toEqual([{ type: "enqueue", text: "Explain cats." }]);
    expect(asked).toEqual([{ server: "demo", prompt: "explain", args: { topic: "cats" } }]);
  });

  test("where an assistant speaks, everybody is named; what is no text is told of", async () => {
    const image = { ref: "i", mediaType: "image/png", bytes: 10 } as const;
    const messages: McpPromptOutput["messages"] = [
      { role: "user", content: text("Hello") },
      { role: "assistant", content: text("Hi") },
      { role: "user", content: { type: "image", image } },
      { role: "user", content: { type: "other", kind: "link", uri: "demo://1" } },
    ];
    expect(await says({ messages })).toEqual([
      {
        type: "enqueue",
        text: "User:\nHello\n\nAssistant:\nHi\n\nUser:\n[image 1: image/png, 10 bytes]\n\nUser:\n[link to a resource: uri demo://1]",
      },
    ]);
  });

  test.each<[string, string, Host, JsonValue | undefined]>([
    ["an argument is missing", "topic is missing. Write: /mcp__demo__explain topic", { servers: [server] }, undefined],
    ["the server is gone", "There is no MCP server demo any more.", { servers: [] }, undefined],
    ["the prompt is gone", "demo does not list the prompt explain any more.", { servers: [serverOf()] }, undefined],
    ["it stands for nothing", "/mcp__demo__explain is no prompt of an MCP server.", { servers: [] }, null],
    ["servers cannot be asked", "No. Why. Next.", { servers: hostError("grant.denied", "No.") }, undefined],
  ])("says so where %s, and nothing is asked of the server", async (_case, words, host, target) => {
    const asked: unknown[] = [];
    expect(
      await runPrompt(call("", target === undefined ? { server: "demo", prompt: "explain" } : target), contextOf(host, asked)),
    ).toEqual([{ type: "notify", text: words, role: "error" }]);
    expect(asked).toEqual([]);
  });

  test.each<[string, McpPromptOutput, string]>([
    ["empty", { messages: [{ role: "user", content: text(" ") }] }, "The prompt explain of demo came out empty."],
    [
      "too long",
      { messages: [{ role: "user", content: text("\n".repeat(10) + "x".repeat(250_000)) }] },
      "The prompt explain of demo has 250000 characters, which is too long.",
    ],
  ])("one that comes out %s is no input", async (_case, prompt, words) => {
    expect(await says(prompt)).toEqual([{ type: "notify", text: words, role: "error" }]);
  });

  test("what the server refuses is told", async () => {
    expect(await runPrompt(call(), contextOf({ servers: [server], prompt: hostError("mcp.failed", "No topic.") }))).toEqual([
      { type: "notify", text: "No topic. Why. Next.", role: "error" },
    ]);
  });
});

describe("/mcp", () => {
  const textsOf = async (args: string, host: Host, asked: unknown[] = []): Promise<readonly string[]> =>
    ((await mcpCommand(args, contextOf(host, asked))) ?? []).map((action) => (action.type === "notify" ? action.text : action.type));

  test("tells of each server how it is, what is offered of it, and what is wrong", async () => {
    const servers = [
      serverOf({
        name: "b",
        title: "Files",
        version: "1.2",
        protocol: "2025-06-18",
        tools: [toolOf("x"), toolOf("y"), toolOf("z", { inputSchema: [] })],
        deny: ["y"],
        prompts: [promptOf("p")],
        resources: true,
        notes: ["page 2 failed"],
      }),
      serverOf({ name: "a", state: "failed", message: "it exited\nwith 1", tools: [toolOf("x")] }),
      serverOf({ name: "c", offer: "search", state: "stale", tools: [toolOf("x")] }),
      serverOf({ name: "d", state: "off" }),
    ];
    expect(await textsOf("", { servers })).toEqual([
      [
        "a: failed · no tools offered",
        "  it exited with 1",
        "b: connected · 2 tools offered, 1 not allowed, 1 left out, 1 prompt, resources · Files 1.2 protocol 2025-06-18",
        "  - page 2 failed",
        '  - b: the tool "z" was left out: its input schema is a list, not an object.',
        "c: connecting, with the tools it had last · 1 tool found by search",
        "d: off · no tools offered",
      ].join("\n"),
    ]);
  });

  test("many servers make several notices, none too long for a session", async () => {
    const servers = Array.from({ length: 40 }, (_, index) =>
      serverOf({ name: `s${index}`, notes: Array.from({ length: 20 }, () => "n".repeat(1_000)) }),
    );
    const actions = (await mcpCommand("", contextOf({ servers }))) ?? [];
    expect(actions.length).toBeGreaterThan(10);
    expect(actions.length).toBeLessThanOrEqual(64);
    expect(actions.every((action) => action.type === "notify" && action.text.length <= 4_096)).toBe(true);
  });

  test("without servers says how one is set up", async () => {
    expect(await textsOf("", { servers: [] })).toEqual(["No MCP server is set up. Add one with `smith mcp-servers add`, or in .mcp.json."]);
  });

  test("reconnect connects one again and tells how it is, counted beside the others", async () => {
    const asked: unknown[] = [];
    const servers = [serverOf({ name: "a", state: "failed" }), serverOf({ name: "b", tools: [heavyTool("x", 11_000)] })];
    const reconnect = serverOf({ name: "a", tools: [heavyTool("x", 11_500)] });
    expect(await textsOf("reconnect a", { servers, reconnect }, asked)).toEqual(["a: connected · 1 tool found by search"]);
    expect(asked).toEqual(["a"]);
  });

  test.each([
    ["reconnect", "Write /mcp, or /mcp reconnect SERVER."],
    ["reconnect a b", "Write /mcp, or /mcp reconnect SERVER."],
    ["list", "Write /mcp, or /mcp reconnect SERVER."],
    ["reconnect nobody", "There is no MCP server nobody. There are a."],
    ["reconnect a", "It will not. Why. Next."],
  ])("%s: %s", async (args, words) => {
    const host = { servers: [serverOf({ name: "a" })], reconnect: hostError("mcp.failed", "It will not.") };
    expect(await mcpCommand(args, contextOf(host))).toEqual([{ type: "notify", text: words, role: "error" }]);
  });
});
