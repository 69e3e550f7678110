import { afterEach, describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/base/index.js";
import { ok } from "../../../src/base/index.js";
import type { McpAnswer, McpPart, McpPort, McpUse, UiPort } from "../../../src/effect/index.js";
import type { McpServerView, Question } from "../../../src/schema/index.js";
import { type Bench, createBench, EVERYTHING, NOTHING } from "../support.js";

const MIB = 1024 * 1024;
const never = (): Promise<never> => new Promise(() => undefined);
const view = (name: string): McpServerView => ({
  ...{ name, state: "connected", tools: [], prompts: [], resources: false, notes: [], allow: [], deny: [], offer: "auto", timeoutMs: 1 },
});

let bench: Bench;
afterEach(() => bench.close());

interface World {
  readonly answer?: McpAnswer;
  readonly parts?: readonly McpPart[];
  readonly ui?: UiPort;
  readonly used?: (use: McpUse) => Promise<void>;
}

/** Facilities over a port that answers with what it is given, and what it was asked. */
function over({ answer = { content: [], isError: false }, parts = [], ui, used }: World = {}): { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const mcp: McpPort = {
    servers: () => [view("a"), view("b")],
    call: async (input, use) => {
      asked.push(input);
      await used?.(use);
      return { outcome: "applied", result: ok(answer) };
    },
    read: async (server, uri) => {
      asked.push([server, uri]);
      return await Promise.resolve(ok(parts));
    },
    resources: async () => await Promise.resolve(ok({ resources: [], truncated: false })),
    prompt: async () =>
      await Promise.resolve(ok({ messages: parts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })) })),
    reconnect: async (server) => await Promise.resolve(ok(view(server))),
  };
  bench = createBench("/", { mcp, ...(ui === undefined ? {} : { ui }) });
  return { asked };
}
const granted = (...servers: string[]) => ({ grants: { ...NOTHING, mcp: servers } });
const call = { server: "a", tool: "t", args: {} };
const text = (words: string): McpPart => ({ type: "text", text: words });

describe("grants", () => {
  test("name the servers that may be used, and those that are seen", async () => {
    const { asked } = over();
    expect((await bench.value("mcp.servers", {}, granted("b"))).servers.map(({ name }) => name)).toEqual(["b"]);
    expect((await bench.value("mcp.servers", {}, granted("*"))).servers.map(({ name }) => name)).toEqual(["a", "b"]);
    expect((await bench.error("mcp.call", call, granted("b"))).code).toBe("grant.denied");
    expect((await bench.error("mcp.servers", {}, granted())).code).toBe("grant.denied");
    expect((await bench.error("mcp.read", { server: "a", uri: "x:" }, granted("b"))).code).toBe("grant.denied");
    expect((await bench.error("mcp.prompt", { server: "a", prompt: "p" }, granted("b"))).code).toBe("grant.denied");
    expect((await bench.error("mcp.resources", { server: "a" }, granted("b"))).code).toBe("grant.denied");
    expect((await bench.error("mcp.reconnect", { server: "a" }, granted("b"))).code).toBe("grant.denied");
    expect(asked).toEqual([]);
    await bench.value("mcp.call", call, granted("a"));
    expect(asked).toEqual([call]);
  });

  test("are of no use where there are no servers, and that is said", async () => {
    bench = createBench("/");
    expect((await bench.error("mcp.call", call, granted("*"))).code).toBe("mcp.unavailable");
    expect((await bench.value("mcp.servers", {}, granted("*"))).servers).toEqual([]);
  });
});

test("arguments have a bound", async () => {
  const { asked } = over();
  const error = await bench.error("mcp.call", { ...call, args: { a: "€".repeat(400_000) } }, granted("*"));
  expect([error.code, error.what]).toEqual(["mcp.arguments-too-large", expect.stringContaining("1200008 bytes")]);
  expect(asked).toEqual([]);
});

describe("an answer", () => {
  const answered = async (content: readonly McpPart[], structured?: JsonValue) => {
    over({ answer: { content, isError: false, ...(structured === undefined ? {} : { structured }) } });
    return await bench.value("mcp.call", call, granted("*"));
  };

  test("within its bounds is as it came", async () => {
    const content = [text("a"), { type: "resource", uri: "x:", text: "b" }, { type: "other", kind: "link", uri: "y:" }] as const;
    expect(await answered(content, { n: 42 })).toEqual({ content, structured: { n: 42 }, isError: false, omitted: 0 });
  });

  test("has so much text and no more, whole characters, and what is missing is counted", async () => {
    const { content, omitted } = await answered([text("x".repeat(MIB - 1)), text("😀😀"), text("tail")]);
    expect(content).toHaveLength(3);
    expect(content.slice(1)).toEqual([text(""), text("")]);
    expect(omitted).toBe(8);
  });

  test("is bounded as JSON: what has to be escaped counts as it is written", async () => {
    const { content, omitted } = await answered([text("\u0001".repeat(MIB))]);
    expect(JSON.stringify(content).length).toBeLessThanOrEqual(MIB + 100);
    expect(omitted).toBeGreaterThan(MIB / 2);
    expect(content[0]?.type === "text" && content[0].text.length + omitted).toBe(MIB);
  });

  test("of very many parts loses the last, and their text is counted", async () => {
    const { content, omitted } = await answered(Array.from({ length: 100_000 }, () => text("ab")));
    expect(JSON.stringify(content).length).toBeLessThanOrEqual(2 * MIB);
    expect(content.length).toBeGreaterThan(10_000);
    expect(content.length * 2 + omitted).toBe(200_000);
  });

  test("keeps an image after a text that is too long", async () => {
    const image = { type: "image", image: { mediaType: "image/png", base64: "AAAA" } } as const;
    const { content } = await answered([text("x".repeat(2 * MIB)), image]);
    expect(content.map(({ type }) => type)).toEqual(["text", "other"]);
  });

  test("that is structured and too large is left out beside other content, and counted", async () => {
    const structured = { rows: "x".repeat(2 * MIB) };
    const answer = await answered([text("many rows")], structured);
    expect(answer).toEqual({ content: [text("many rows")], isError: false, omitted: JSON.stringify(structured).length });
  });

  test("that is structured and nothing else shows its beginning where it is too large", async () => {
    const answer = await answered([], { rows: "x".repeat(2 * MIB) });
    expect(answer).not.toHaveProperty("structured");
    expect(answer.content[0]?.type === "text" && answer.content[0].text.startsWith('{"rows":"xxx')).toBe(true);
    expect(answer.omitted).toBeGreaterThan(MIB);
  });

  test("of a resource and of a prompt is bounded as well, and roles stay with their messages", async () => {
    over({ parts: [text("one"), text("x".repeat(2 * MIB)), text("three")] });
    const read = await bench.value("mcp.read", { server: "a", uri: "x:" }, granted("*"));
    expect(read.omitted).toBeGreaterThan(MIB);
    const { messages } = await bench.value("mcp.prompt", { server: "a", prompt: "p" }, granted("*"));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(messages).length).toBeLessThanOrEqual(MIB + 1_000);
  });
});

describe("a server that asks a person", () => {
  const question: Question = {
    ...{ type: "choose", text: "ok?\u001b[2J", options: [{ value: "v\u001b", label: "l\u202e" }] },
  };

  test("is shown without what could control a terminal; values go back as they came", async () => {
    const seen: Question[] = [];
    const ui: UiPort = {
      ask: async (one) => {
        seen.push(one);
        return await Promise.resolve({ type: "chosen", values: ["v\u001b"] });
      },
    };
    const answers: unknown[] = [];
    over({
      ui,
      used: async ({ ask }) => {
        answers.push(await ask?.(question));
        await ask?.({ type: "ask", text: "a\u0007", initial: "i\u0007" });
        await ask?.({ type: "confirm", text: "c\u009b" });
      },
    });
    await bench.value("mcp.call", call, { grants: { ...EVERYTHING, mcp: ["*"] } });
    expect(answers).toEqual([{ type: "chosen", values: ["v\u001b"] }]);
    expect(seen).toEqual([
      { type: "choose", text: "ok?\ufffd[2J", options: [{ value: "v\u001b", label: "l\ufffd" }] },
      { type: "ask", text: "a\ufffd", initial: "i\ufffd" },
      { type: "confirm", text: "c\ufffd" },
    ]);
  });

  test("reaches nobody through a plugin that may not ask everything", async () => {
    const uses: McpUse[] = [];
    over({ ui: { ask: never }, used: async (use) => await Promise.resolve(void uses.push(use)) });
    await bench.value("mcp.call", call, { grants: { ...EVERYTHING, mcp: ["*"], ui: ["ask", "confirm"] } });
    expect(uses[0]?.ask).toBeUndefined();
  });
});
