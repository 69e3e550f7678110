import { describe, expect, test } from "vitest";
import { plan } from "../../plugins/provider-openai-compatible/request.js";
import type { Message, ProviderRequest, ThinkingPart } from "../../src/plugin/sdk.js";
import { runStream, sseBytes } from "./streams/run.js";
import { assistant, bodyOf, call, messagesOf, provider, request, result, user } from "./chat-support.js";

type Level = NonNullable<ProviderRequest["thinking"]>;

/** Fields of a body that a level brought. */
function asked(profile: string, thinking: Level | undefined, hint?: string): object {
  const facts = hint === undefined ? {} : { hints: { thinking: hint } };
  const plain = new Set(Object.keys(bodyOf({}, profile)));
  const body = bodyOf({ facts, ...(thinking === undefined ? {} : { thinking }) }, profile);
  return Object.fromEntries(Object.entries(body).filter(([key]) => !plain.has(key)));
}

const template = (isOn: boolean, effort?: string): object => ({
  chat_template_kwargs: { enable_thinking: isOn, thinking: isOn, ...(effort === undefined ? {} : { reasoning_effort: effort }) },
});

describe("a level of thinking is asked for in the server's words", () => {
  test.each<readonly [string, Level, object]>([
    ["openai", "minimal", { reasoning_effort: "minimal" }],
    ["openai", "off", { reasoning_effort: "none" }],
    ["openai", "max", { reasoning_effort: "xhigh" }],
    ["compatible", "high", { reasoning_effort: "high" }],
    ["xai", "low", { reasoning_effort: "low" }],
    ["cerebras", "off", { reasoning_effort: "none" }],
    ["mistral", "high", { reasoning_effort: "high" }],
    ["fireworks", "max", { reasoning_effort: "max" }],
    ["openrouter", "high", { reasoning: { effort: "high" } }],
    ["openrouter", "off", { reasoning: { effort: "none" } }],
    ["deepseek", "off", { thinking: { type: "disabled" } }],
    ["deepseek", "max", { thinking: { type: "enabled" }, reasoning_effort: "max" }],
    ["moonshot", "high", { thinking: { type: "enabled" } }],
    ["moonshot", "off", { thinking: { type: "disabled" } }],
    ["llama.cpp", "off", template(false)],
    ["vllm", "medium", template(true, "medium")],
    ["sglang", "off", template(false)],
    ["ollama", "off", { reasoning_effort: "none" }],
  ])("%s, %s", (profile, level, fields) => {
    expect(asked(profile, level)).toEqual(fields);
  });

  test.each<readonly [string, string, Level, object]>([
    ["groq", "effort-default", "medium", { reasoning_effort: "default", reasoning_format: "parsed" }],
    ["groq", "effort-default", "off", { reasoning_effort: "none" }],
    ["together", "reasoning-enabled", "off", { reasoning: { enabled: false } }],
    ["compatible", "template", "off", template(false)],
    ["compatible", "none", "high", {}],
    ["compatible", "a word of nobody", "high", { reasoning_effort: "high" }],
  ])("on %s a model's own form %s, %s", (profile, hint, level, fields) => {
    expect(asked(profile, level, hint)).toEqual(fields);
  });

  test("nothing is said where nothing is asked, whatever the model", () => {
    for (const profile of ["openai", "openrouter", "deepseek", "llama.cpp"]) expect(asked(profile, undefined)).toEqual({});
  });
});

const DETAIL = { type: "reasoning.text", text: "hm", signature: "sig", format: "anthropic-claude-v1", index: 0 };
const HIDDEN = { type: "reasoning.encrypted", data: "xxxx", id: "rs_1", format: "openai-responses-v1", index: 1 };
const SUMMARY = { type: "reasoning.summary", summary: "in short", format: "openai-responses-v1", index: 2 };

function thinkingOf(details: readonly object[]): readonly ThinkingPart[] {
  const events = [
    ...details.map((detail) => ({ data: { choices: [{ index: 0, delta: { reasoning_details: [detail] } }] } })),
    { data: { choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }] } },
    { data: "[DONE]" },
  ];
  const run = runStream({ provider: provider("openrouter"), chunks: [sseBytes(events)] });
  if (run.type !== "done") throw new Error(run.type);
  return run.result.thinking;
}

describe("reasoning_details", () => {
  test("come back exactly as they came, text with its signature and hidden data with its id", () => {
    const thinking = thinkingOf([DETAIL, HIDDEN, SUMMARY]);
    expect(thinking.map((part) => part.text)).toEqual(["hm", "", "in short"]);
    const from = { provider: "openrouter", model: "m" };
    const [message] = messagesOf({ provider: "openrouter", messages: [assistant("a", [], { from, thinking })] }, "openrouter");
    expect(message?.["reasoning_details"]).toEqual([DETAIL, HIDDEN, SUMMARY]);
  });

  test("that came in pieces are whole, and the signature may come alone at the end", () => {
    const base = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
    const thinking = thinkingOf([
      { ...base, text: "h" },
      { ...base, text: "m" },
      { ...base, signature: "sig" },
    ]);
    expect(thinking).toMatchObject([{ text: "hm", signature: "sig" }]);
  });

  test("hidden ones are kept apart, also under one index", () => {
    const thinking = thinkingOf([HIDDEN, { ...HIDDEN, data: "yyyy", id: "rs_2" }]);
    expect(thinking).toMatchObject([
      { text: "", signature: "xxxx", id: "rs_1" },
      { text: "", signature: "yyyy", id: "rs_2" },
    ]);
  });

  test.each([
    ["another provider", { provider: "anthropic", model: "m" }],
    ["another model of the same router", { provider: "openrouter", model: "other" }],
    ["nobody known", undefined],
  ])("made by %s are not sent", (_name, from) => {
    const thinking = thinkingOf([DETAIL]);
    const [message] = messagesOf({ provider: "openrouter", messages: [assistant("a", [], { from, thinking })] }, "openrouter");
    expect(message).toEqual({ role: "assistant", content: "a" });
  });

  test("are not sent to a server that has another form", () => {
    const thinking = thinkingOf([DETAIL]);
    const from = { provider: "openrouter", model: "m" };
    expect(messagesOf({ provider: "openrouter", messages: [assistant("a", [], { from, thinking })] }, "openai")).toEqual([
      { role: "assistant", content: "a" },
    ]);
  });
});

describe("thinking as a text goes back", () => {
  const turn = (provider: string, thinking: readonly ThinkingPart[] = [{ text: "hm" }]): readonly Message[] => [
    user("go"),
    assistant("", [call("c1", "read")], { from: { provider, model: "m" }, thinking }),
    result("c1", "x"),
    assistant("done", [], { from: { provider, model: "m" }, thinking }),
  ];
  const contents = (id: string, messages: readonly Message[], over: Partial<ProviderRequest> = {}): readonly unknown[] =>
    messagesOf({ provider: id, endpoint: { baseUrl: "http://h/v1" }, messages, ...over })
      .filter((message) => message.role === "assistant")
      .map((message) => message["reasoning_content"]);

  test("with everything that was said, where the server remembers by it", () => {
    expect(contents("deepseek", [...turn("deepseek"), user("more"), ...turn("deepseek")])).toEqual(["hm", "hm", "hm", "hm"]);
  });

  test("only with the turn that is under way, to servers with chat templates", () => {
    expect(contents("llama-cpp", [...turn("llama-cpp"), ...turn("llama-cpp")])).toEqual([undefined, undefined, "hm", "hm"]);
  });

  test("never to another provider; where calls are refused without it a mark stands in its place", () => {
    expect(contents("llama-cpp", turn("deepseek"))).toEqual([undefined, undefined]);
    expect(contents("deepseek", turn("openai"))).toEqual(["(not kept)", undefined]);
    expect(contents("moonshot", turn("moonshot", []))).toEqual(["(not kept)", undefined]);
    expect(contents("deepseek", turn("openai"), { thinking: "off" })).toEqual([undefined, undefined]);
  });

  test("nothing to servers that do not take it", () => {
    for (const id of ["openai-compatible", "openai-chat", "groq", "xai", "azure"])
      expect(contents(id, turn(id))).toEqual([undefined, undefined]);
  });

  test("as a part of the content, to the model that made it", () => {
    const from = { provider: "mistral", model: "m" };
    const messages = [
      user("go"),
      assistant("a", [], { from, thinking: [{ text: "hm" }] }),
      assistant("b", [], { from: { ...from, model: "n" }, thinking: [{ text: "hm" }] }),
    ];
    expect(messagesOf({ provider: "mistral", messages }, "mistral").slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
          { type: "text", text: "a" },
        ],
      },
      { role: "assistant", content: "b" },
    ]);
  });
});

describe("ids of calls", () => {
  const idsOf = (profile: string, from: object | undefined, ...ids: readonly string[]): readonly string[] => {
    const messages = [
      user("go"),
      assistant(
        "",
        ids.map((id, at) => ({ ...call(`k${String(at)}`, "read"), providerId: id })),
        { from: from as never },
      ),
      ...ids.map((_id, at) => result(`k${String(at)}`, "x")),
    ];
    const wire = messagesOf({ messages, provider: "p" }, profile);
    const calls = wire[1]?.["tool_calls"] as readonly { id: string }[];
    expect(wire.slice(2).map((message) => message["tool_call_id"])).toEqual(calls.map((one) => one.id));
    return calls.map((one) => one.id);
  };
  const own = { provider: "p", model: "m" };

  test("of the same model stay as they are", () => {
    expect(idsOf("moonshot", own, "functions.read:0", "x".repeat(60))).toEqual(["functions.read:0", "x".repeat(60)]);
  });

  test("of another are made acceptable, always the same way, and apart from each other", () => {
    const [first, second, third] = idsOf("openai", { provider: "q", model: "m" }, "functions.read:0", "functions.read:1", "toolu_01");
    expect(first).toMatch(/^[A-Za-z0-9]{9}$/u);
    expect(second).toMatch(/^[A-Za-z0-9]{9}$/u);
    expect(first).not.toBe(second);
    expect(third).toBe("toolu_01");
    expect(idsOf("openai", { provider: "q", model: "m" }, "functions.read:0")[0]).toBe(first);
  });

  test("are nine letters and digits where nothing else is taken, even of the same model", () => {
    expect(idsOf("mistral", own, "abcDEF123", "call_x")).toEqual(["abcDEF123", expect.stringMatching(/^[A-Za-z0-9]{9}$/u)]);
  });

  test("that are used twice or missing are replaced", () => {
    const [first, second, third] = idsOf("openai", undefined, "c1", "c1", "");
    expect(first).toBe("c1");
    expect(new Set([first, second, third]).size).toBe(3);
  });
});

describe("cache points", () => {
  const messages = [user("one"), assistant("", [call("c1", "read")]), result("c1", "x"), user("two")];
  const marked = (facts: ProviderRequest["facts"], profile: string): readonly string[] => {
    const body = bodyOf({ messages, facts }, profile);
    return (body["messages"] as unknown as readonly { role: string; content: unknown }[]).flatMap((message) =>
      JSON.stringify(message.content ?? "").includes("cache_control") ? [message.role] : [],
    );
  };

  test("stand on the system prompt and the last two messages that are not the model's", () => {
    expect(marked({ cache: "points" }, "openrouter")).toEqual(["system", "tool", "user"]);
    expect(messagesOf({ messages: [user("one")], facts: { cache: "points" } }, "openrouter")).toEqual([
      { role: "user", content: [{ type: "text", text: "one", cache_control: { type: "ephemeral" } }] },
    ]);
  });

  test("are left out for other models and servers", () => {
    expect(marked({ cache: "automatic" }, "openrouter")).toEqual([]);
    expect(marked({}, "openrouter")).toEqual([]);
    expect(marked({ cache: "points" }, "openai")).toEqual([]);
  });
});

test("a request holds no secret, only its name", () => {
  expect(JSON.stringify(plan(request({ endpoint: { baseUrl: "http://h/v1", credential: "auth:openrouter" } })))).toContain(
    "{secret:auth:openrouter}",
  );
});
