import { afterEach, describe, expect, test } from "vitest";
import plugin from "../../plugins/provider-openai-compatible/index.js";
import type { HttpEngine, ProviderAdapter, ProviderEvent } from "../../src/provider/index.js";
import { createDirectAdapter } from "../support/direct-adapter.js";
import { call, calls, chunk, delta, DONE, type ModelServer, type Reply, say, sse, startModelServer } from "../support/model-server.js";
import { ask, requestTo, testEngine } from "./support.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

function adapter(): ProviderAdapter {
  const provider = plugin.providers?.["openai-compatible"];
  if (provider === undefined) throw new Error("the plugin contributes no provider openai-compatible");
  return createDirectAdapter("openai-compatible", provider);
}

function engine(): HttpEngine {
  const made = testEngine();
  open.push(made);
  return made;
}

async function answerTo(...script: readonly Reply[]): Promise<{ readonly events: readonly ProviderEvent[]; readonly server: ModelServer }> {
  const server = await startModelServer({ script });
  open.push(server);
  return { events: await ask(engine(), adapter(), requestTo(server.url)), server };
}

const textOf = (events: readonly ProviderEvent[]): string => events.map((event) => (event.type === "text" ? event.text : "")).join("");
const usage = { prompt_tokens: 7, completion_tokens: 3 };

describe("a real decoder over a real socket", () => {
  test("text, thinking and usage", async () => {
    const { events } = await answerTo(say("grüße 漢字 🙂", { reasoning: "let me see", usage }));
    expect(textOf(events)).toBe("grüße 漢字 🙂");
    expect(events.at(-1)).toMatchObject({
      type: "done",
      result: {
        text: "grüße 漢字 🙂",
        thinking: [{ text: "let me see" }],
        toolCalls: [],
        stop: "stop",
        usage: { inputTokens: 7, outputTokens: 3 },
      },
    });
  });

  test("several calls with their arguments", async () => {
    const { events } = await answerTo(
      calls(
        [
          { name: "read", args: { path: "a" } },
          { name: "list", args: "" },
        ],
        { text: "I look." },
      ),
    );
    expect(events.at(-1)).toMatchObject({
      type: "done",
      result: {
        text: "I look.",
        stop: "tool-use",
        toolCalls: [
          { name: "read", args: { path: "a" } },
          { name: "list", args: {} },
        ],
      },
    });
  });

  test("20,000 tokens arrive whole and in few events", async () => {
    const tokens = Array.from({ length: 20_000 }, (_none, at) => `t${String(at)} `);
    const { events } = await answerTo(say("", { chunks: tokens }));
    expect(textOf(events)).toBe(tokens.join(""));
    expect(events.length).toBeLessThan(2000);
  });
});

describe("provider-4: streams without a terminator", () => {
  const half = [delta({ role: "assistant", content: "" }), delta({ content: "half" })];
  const whole = [...half, delta({}, "stop"), chunk({ choices: [], usage })];
  const read = delta({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "read", arguments: "{}" } }] });

  test.each<readonly [string, Reply]>([
    ["a: half the text, then a clean close", sse(half)],
    ["a: half the text, then a reset", sse(half, "destroy")],
    ["b: a whole call, no finish reason", sse([read])],
  ])("%s: failed, and no call is left to run", async (_name, reply) => {
    const { events, server } = await answerTo(reply);
    expect(events.at(-1)).toMatchObject({ type: "failed", error: { class: "transport" }, partial: { toolCalls: [] } });
    expect(server.requests).toHaveLength(1);
  });

  test.each<readonly [string, Reply]>([
    ["c: a finish reason without [DONE]", sse(whole)],
    ["d: [DONE] and an open connection", sse([...whole, DONE], "hang")],
    ["g: no finish reason but [DONE]", sse([...half, DONE])],
  ])("%s: done", async (_name, reply) => {
    const { events } = await answerTo(reply);
    expect(events.at(-1)).toMatchObject({ type: "done", result: { text: "half", stop: "stop" } });
  });
});

describe("provider-7: odd chunks", () => {
  const body = [delta({ content: "a" }), delta({ content: "b" }), delta({}, "stop"), chunk({ choices: [], usage }), DONE];
  const at = (index: number, piece: string): Reply => sse([...body.slice(0, index), piece, ...body.slice(index)]);
  test.each<readonly [string, Reply]>([
    ["an empty list of choices first", at(0, chunk({ choices: [] }))],
    ["null choices", at(1, chunk({ choices: null }))],
    ["an empty object", at(1, "data: {}\n\n")],
    ["null", at(1, "data: null\n\n")],
    ["an empty delta", at(1, delta({}))],
    ["usage in every chunk", at(1, chunk({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 1 } }))],
    ["a finish reason twice", at(3, delta({}, "stop"))],
    ["a comment and an empty event", at(2, ": ping\n\ndata:\n\n")],
  ])("%s", async (_name, reply) => {
    const { events } = await answerTo(reply);
    expect(textOf(events)).toBe("ab");
    expect(events.filter((event) => event.type === "done")).toMatchObject([
      { result: { text: "ab", usage: { inputTokens: 7, outputTokens: 3 } } },
    ]);
  });

  test("text after the finish reason is not lost", async () => {
    const { events } = await answerTo(at(3, delta({ content: "c" })));
    expect(textOf(events)).toBe("abc");
  });
});

test("a round after a tool call passes a strict server", async () => {
  const server = await startModelServer({ script: [call("read", { path: "a" }), say("ok")] });
  open.push(server);
  const used = engine();
  const tools = [{ name: "read", description: "Reads.", parameters: { type: "object", properties: {} } }] as const;
  const first = (await ask(used, adapter(), requestTo(server.url, { tools }))).at(-1);
  if (first?.type !== "done") throw new Error("the first round failed");
  const [made] = first.result.toolCalls;
  if (made === undefined) throw new Error("there is no call");
  const second = await ask(
    used,
    adapter(),
    requestTo(server.url, {
      tools,
      messages: [
        { role: "user", text: "hi" },
        { role: "assistant", text: "", toolCalls: first.result.toolCalls },
        { role: "tool", call: made.call, providerId: made.providerId, name: "read", text: "x", isError: false },
      ],
    }),
  );
  expect(server.complaints).toEqual([]);
  expect(second.at(-1)).toMatchObject({ type: "done", result: { text: "ok" } });
});
