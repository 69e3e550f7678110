import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { plan } from "../../plugins/provider-openai-compatible/request.js";
import { isStrictSchema, typedSchema } from "../../plugins/provider-openai-compatible/body/schema.js";
import { PROFILE_NAMES, profileOf } from "../../plugins/provider-openai-compatible/profile/index.js";
import { besideUrl, endpointUrl } from "../../plugins/provider-openai-compatible/url.js";
import type { Message } from "../../src/plugin/sdk.js";
import { assistant, bodyOf, call, messagesOf, request, result, user } from "./chat-support.js";

describe("the address", () => {
  test.each([
    ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/chat/completions"],
    ["http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1/chat/completions"],
    ["http://127.0.0.1:9/v1//", "http://127.0.0.1:9/v1/chat/completions"],
    ["http://127.0.0.1:9", "http://127.0.0.1:9/v1/chat/completions"],
    ["http://127.0.0.1:9/", "http://127.0.0.1:9/v1/chat/completions"],
    ["  http://127.0.0.1:9/v1  ", "http://127.0.0.1:9/v1/chat/completions"],
    ["http://127.0.0.1:9/v1?api-version=1", "http://127.0.0.1:9/v1/chat/completions?api-version=1"],
    ["http://127.0.0.1:9/v1/?api-version=1", "http://127.0.0.1:9/v1/chat/completions?api-version=1"],
    ["http://127.0.0.1:9/v1/chat/completions", "http://127.0.0.1:9/v1/chat/completions"],
    ["http://127.0.0.1:9/v1/chat/completions/?a=1", "http://127.0.0.1:9/v1/chat/completions?a=1"],
    ["http://[::1]:9/v1", "http://[::1]:9/v1/chat/completions"],
    ["127.0.0.1:9/v1", "http://127.0.0.1:9/v1/chat/completions"],
    ["localhost:9", "http://localhost:9/v1/chat/completions"],
    ["api.example.com/v1", "https://api.example.com/v1/chat/completions"],
    ["https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"],
    ["", "https://api.openai.com/v1/chat/completions"],
    ["   ", "https://api.openai.com/v1/chat/completions"],
  ])("of %j", (baseUrl, url) => {
    expect(endpointUrl({ baseUrl }, "/chat/completions")).toBe(url);
  });

  test("keeps a query that was parted from it", () => {
    expect(endpointUrl({ baseUrl: "http://h/v1", query: "a=1" }, "/models")).toBe("http://h/v1/models?a=1");
    expect(endpointUrl({ baseUrl: "http://h/v1", query: "?a=1" }, "/models")).toBe("http://h/v1/models?a=1");
  });

  test.each([
    ["azure", "https://me.openai.azure.com", "https://me.openai.azure.com/openai/v1/chat/completions"],
    ["azure", "https://me.openai.azure.com/openai", "https://me.openai.azure.com/openai/v1/chat/completions"],
    ["azure", "https://me.openai.azure.com/openai/v1/", "https://me.openai.azure.com/openai/v1/chat/completions"],
    [
      "azure",
      "https://me.openai.azure.com/openai/deployments/gpt?api-version=2025-01-01",
      "https://me.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01",
    ],
    [
      "azure",
      "https://me.openai.azure.com/openai/deployments/gpt",
      "https://me.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
    ],
    ["groq", "https://api.groq.com", "https://api.groq.com/openai/v1/chat/completions"],
    ["openrouter", "https://openrouter.ai", "https://openrouter.ai/api/v1/chat/completions"],
    ["fireworks", "https://api.fireworks.ai", "https://api.fireworks.ai/inference/v1/chat/completions"],
    ["deepseek", "https://api.deepseek.com", "https://api.deepseek.com/v1/chat/completions"],
  ])("on %s, of %j", (profile, baseUrl, url) => {
    expect(endpointUrl({ baseUrl }, "/chat/completions", profileOf("", { baseUrl, profile }))).toBe(url);
  });

  test("deployments are listed beside them, with a version", () => {
    const endpoint = { baseUrl: "https://me.openai.azure.com/openai/deployments/gpt", profile: "azure" };
    expect(endpointUrl(endpoint, "/models", profileOf("azure", endpoint))).toBe(
      "https://me.openai.azure.com/openai/models?api-version=2024-10-21",
    );
  });

  test.each([
    ["http://h:1/v1", "http://h:1/props"],
    ["http://h:1", "http://h:1/props"],
    ["http://h:1/llama/v1/", "http://h:1/llama/props"],
    ["http://h:1/v1/chat/completions?a=1", "http://h:1/props?a=1"],
  ])("beside the API at %j", (baseUrl, url) => {
    expect(besideUrl({ baseUrl }, "/props")).toBe(url);
  });
});

describe("which profile holds", () => {
  test.each([
    ["openai-compatible", { baseUrl: "http://h/v1" }, "max_tokens"],
    ["openai-compatible", { baseUrl: "http://h/v1", profile: "something else" }, "max_tokens"],
    ["openai-compatible", { baseUrl: "http://h/v1", profile: "openai" }, "max_completion_tokens"],
    ["openai-compatible", { baseUrl: "https://api.openai.com/v1/", profile: "compatible" }, "max_completion_tokens"],
    ["openai-compatible", { baseUrl: "https://api.openai.com/v1/", profile: "vllm" }, "max_tokens"],
    ["groq", { baseUrl: "http://h/v1" }, "max_completion_tokens"],
    ["nobody", { baseUrl: "http://h/v1" }, "max_tokens"],
  ])("of provider %s at %j", (provider, endpoint, limitField) => {
    expect(profileOf(provider, endpoint).limitField).toBe(limitField);
  });

  test("a company's host is known by its name where nothing else is said", () => {
    const at = (baseUrl: string) => profileOf("openai-compatible", { baseUrl, profile: "compatible" });
    expect(at("https://openrouter.ai/api/v1")).toBe(profileOf("openrouter", { baseUrl: "x" }));
    expect(at("https://me.openai.azure.com/openai/v1")).toBe(profileOf("azure", { baseUrl: "x" }));
    expect(at("https://api.deepseek.com")).toBe(profileOf("deepseek", { baseUrl: "x" }));
    expect(at("https://api.deepseek.com.example.org")).toBe(profileOf("openai-compatible", { baseUrl: "x" }));
  });
});

describe("the request", () => {
  test("is a stream with the key by name only, and without what was not asked for", () => {
    expect(plan(request({ endpoint: { baseUrl: "http://h/v1", credential: "OPENAI_API_KEY" } }))).toEqual({
      type: "http",
      method: "POST",
      url: "http://h/v1/chat/completions",
      headers: { "content-type": "application/json", accept: "text/event-stream", authorization: "Bearer {secret:OPENAI_API_KEY}" },
      body: JSON.stringify({
        model: "m",
        messages: [
          { role: "system", content: "be brief" },
          { role: "user", content: "hi" },
        ],
        stream: true,
      }),
      framing: "sse",
      merge: ["choices", 0, "delta", "content"],
    });
    expect(plan(request())).not.toHaveProperty("headers.authorization");
  });

  test("is one whole answer where that is wanted", () => {
    const planned = plan(request({ stream: false, endpoint: { baseUrl: "http://h/v1", profile: "vllm" } }));
    expect(planned).toMatchObject({ framing: "json", headers: { accept: "application/json" } });
    expect(planned).not.toHaveProperty("merge");
    expect(bodyOf({ stream: false }, "vllm")).toEqual({ model: "m", messages: expect.anything() as unknown, stream: false });
  });

  test("carries the key in the header of its own that a server wants", () => {
    const endpoint = { baseUrl: "https://me.openai.azure.com", credential: "AZURE_OPENAI_API_KEY" };
    expect(plan(request({ provider: "azure", endpoint }))).toMatchObject({ headers: { "api-key": "{secret:AZURE_OPENAI_API_KEY}" } });
    expect(plan(request({ provider: "azure", endpoint }))).not.toHaveProperty("headers.authorization");
  });

  const sampling = { temperature: 0.5, topP: 0.9, maxTokens: 9, stop: ["END"], responseFormat: { type: "json_object" } };

  test.each([
    ["openai", "max_completion_tokens"],
    ["groq", "max_completion_tokens"],
    ["compatible", "max_tokens"],
    ["llama.cpp", "max_tokens"],
  ])("profile %s takes how the answer is drawn, its bound as %s", (profile, field) => {
    const body = bodyOf({ sampling }, profile);
    expect(body).toMatchObject({ temperature: 0.5, top_p: 0.9, [field]: 9, stop: ["END"], response_format: { type: "json_object" } });
  });

  test("what a model is known not to take is left out", () => {
    const body = bodyOf({ sampling, facts: { sampling: false, structuredOutput: false } });
    expect(Object.keys(body)).toEqual(["model", "messages", "stream", "max_tokens", "stop"]);
  });

  test("a schema for the answer becomes plain JSON where no schema is taken", () => {
    const responseFormat = { type: "json_schema", json_schema: { name: "x", schema: {} } };
    expect(bodyOf({ sampling: { responseFormat } }, "deepseek")["response_format"]).toEqual({ type: "json_object" });
    expect(bodyOf({ sampling: { responseFormat } }, "openai")["response_format"]).toEqual(responseFormat);
  });

  test("extra fields come last and win, but never over what is the host's", () => {
    const extra = { seed: 7, max_tokens: 1, model: "x", messages: [], tools: [], tool_choice: "none", stream: false };
    const body = bodyOf({ sampling: { maxTokens: 9, extra } });
    expect(body).toMatchObject({ seed: 7, max_tokens: 1, model: "m", stream: true });
    expect(body).not.toHaveProperty("tool_choice");
    expect(body["messages"]).toHaveLength(2);
    expect(Object.keys(body).at(-1)).toBe("seed");
  });

  test.each([
    ["openai", { prompt_cache_key: "s1" }, {}],
    ["moonshot", { prompt_cache_key: "s1" }, {}],
    ["xai", {}, { "x-grok-conv-id": "s1" }],
    ["fireworks", {}, { "x-session-affinity": "s1" }],
    ["compatible", {}, {}],
  ])("profile %s is told which session it is for its cache", (profile, fields, headers) => {
    const planned = plan(request({ cacheKey: "s1", endpoint: { baseUrl: "http://h/v1", profile } }));
    expect(planned).toMatchObject({ headers });
    const body = bodyOf({ cacheKey: "s1" }, profile);
    expect(body).toMatchObject(fields);
    expect(`${JSON.stringify(body)}${JSON.stringify(planned)}`.includes("s1")).toBe(profile !== "compatible");
  });

  test("an empty system prompt is left out; the vendor's own API has it as the developer's", () => {
    expect(bodyOf({ system: "" })["messages"]).toEqual([{ role: "user", content: "hi" }]);
    expect(bodyOf({}, "openai")["messages"]).toMatchObject([{ role: "developer", content: "be brief" }, {}]);
  });

  test("parallel calls are spoken of only where a model's hint says how", () => {
    const tools = [{ name: "now", description: "d", parameters: {} }];
    const facts = { hints: { "parallel-calls": false } };
    expect(bodyOf({ tools, facts }, "openai")).toMatchObject({ parallel_tool_calls: false });
    expect(bodyOf({ facts }, "openai")).not.toHaveProperty("parallel_tool_calls");
    expect(bodyOf({ tools, facts }, "compatible")).not.toHaveProperty("parallel_tool_calls");
    expect(bodyOf({ tools }, "openai")).not.toHaveProperty("parallel_tool_calls");
  });
});

describe("tools", () => {
  const loose = { type: "object", properties: { any: {}, kind: { enum: ["a"] }, list: { items: {} } } };
  const closed = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false };
  const tools = [
    { name: "now", description: "d", parameters: {} },
    { name: "t", description: "d", parameters: loose },
    { name: "c.d", description: "d", parameters: closed },
  ];
  const wire = (profile: string, facts: object = {}) => bodyOf({ tools, facts }, profile)["tools"];

  test("have an object schema and a name within every server's pattern", () => {
    expect(wire("openai")).toEqual([
      { type: "function", function: { name: "now", description: "d", parameters: { type: "object", properties: {} } } },
      { type: "function", function: { name: "t", description: "d", parameters: loose } },
      { type: "function", function: { name: "c_d", description: "d", parameters: closed } },
    ]);
  });

  test("are left out for a model that is known to take none", () => {
    expect(bodyOf({ tools, facts: { tools: false } })).not.toHaveProperty("tools");
    expect(bodyOf({ tools, facts: {} })).toHaveProperty("tools");
  });

  test("have a type for every parameter where a chat template may need it", () => {
    const typed = { any: { type: "string" }, kind: { type: "string", enum: ["a"] }, list: { type: "array", items: { type: "string" } } };
    expect(wire("llama.cpp")).toMatchObject([{}, { function: { parameters: { properties: typed } } }, {}]);
  });

  test("are strict only where model and server take that, and where the schema qualifies", () => {
    const strict = (profile: string, facts: object): readonly boolean[] =>
      (wire(profile, facts) as unknown as readonly { function: { strict?: boolean } }[]).map((tool) => tool.function.strict === true);
    expect(strict("openai", { strictTools: true })).toEqual([false, false, true]);
    expect(strict("openai", {})).toEqual([false, false, false]);
    expect(strict("compatible", { strictTools: true })).toEqual([false, false, false]);
  });

  test.each([
    [closed, true],
    [{ ...closed, properties: { ...closed.properties, more: { type: "string" } } }, false],
    [{ ...closed, additionalProperties: true }, false],
    [{ type: "object", properties: {}, additionalProperties: false, required: [] }, true],
    [{ type: "object" }, false],
    [{ ...closed, properties: { path: { type: "string", pattern: "x" } } }, false],
    [{ ...closed, properties: { path: { type: "array", items: { type: "object" } } } }, false],
    [{ ...closed, properties: { path: { anyOf: [{ type: "string" }, { type: "null" }] } } }, true],
  ])("the schema %j may be strict: %s", (schema, may) => {
    expect(isStrictSchema(schema)).toBe(may);
  });

  test.each([
    [{ const: 1 }, "number"],
    [{ enum: [true] }, "boolean"],
    [{ properties: {} }, "object"],
    [{ anyOf: [] }, undefined],
    [{ $ref: "#/x" }, undefined],
    [{ type: "integer" }, "integer"],
  ])("the type of %j", (schema, type) => {
    expect(typedSchema(schema)["type"]).toBe(type);
  });
});

describe("history", () => {
  const history: readonly Message[] = [
    user("one"),
    { role: "user", text: "two", images: [{ mediaType: "image/png", base64: "AA" }] },
    assistant("", [call("c1", "read", '{"path": "a"}', { path: "a" }), call("c2", "now", "", {})], { thinking: [{ text: "hm" }] }),
    result("c1", "text of a"),
    result("c2", "no such file", { isError: true }),
    assistant(""),
    assistant("bad", [call("c3", "read", '{"path": "a'), call("c4", "read", "[1]"), call("c5", "read", "{} {}")]),
    result("c3", "Error: not JSON", { isError: true }),
    result("c4", "x"),
    result("c5", ""),
    assistant("done"),
  ];
  const wireCall = (id: string, name: string, args: string): object => ({ id, type: "function", function: { name, arguments: args } });

  test("becomes plain strings, valid arguments and no thinking", () => {
    expect(messagesOf({ messages: history }, "llama.cpp")).toEqual([
      { role: "user", content: "one\n\ntwo\n[an image left out: this model or connection carries text only]" },
      { role: "assistant", content: "", tool_calls: [wireCall("c1", "read", '{"path": "a"}'), wireCall("c2", "now", "{}")] },
      { role: "tool", tool_call_id: "c1", name: "read", content: "text of a" },
      { role: "tool", tool_call_id: "c2", name: "read", content: "Error: no such file" },
      {
        role: "assistant",
        content: "bad",
        tool_calls: [wireCall("c3", "read", "{}"), wireCall("c4", "read", "{}"), wireCall("c5", "read", "{}")],
      },
      { role: "tool", tool_call_id: "c3", name: "read", content: "Error: not JSON" },
      { role: "tool", tool_call_id: "c4", name: "read", content: "x" },
      { role: "tool", tool_call_id: "c5", name: "read", content: "(no output)" },
      { role: "assistant", content: "done" },
    ]);
  });

  test("profile openai sends null for an assistant without text, no tool names, and user messages apart", () => {
    const messages = messagesOf({ messages: history }, "openai");
    expect(messages).toMatchObject([
      { content: "one" },
      { role: "user" },
      { role: "assistant", content: null },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
    ]);
    expect(JSON.stringify(messages)).not.toContain('"tool_call_id":"c1","name"');
  });

  test("a message of nothing is words, since empty content is refused", () => {
    expect(messagesOf({ messages: [user(" ")] }, "openai")).toEqual([{ role: "user", content: "(no text)" }]);
  });

  test("a call without a result is told to have been interrupted, directly after the call", () => {
    const messages = [user("go"), assistant("", [call("c1", "read"), call("c2", "read")]), user("on"), result("c2", "late")];
    expect(messagesOf({ messages }, "openai")).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "tool", tool_call_id: "c1", content: "Error: There is no result: the call was interrupted." },
      { role: "tool", tool_call_id: "c2", content: "late" },
      { role: "user", content: "on" },
    ]);
  });

  test("a result whose call is gone becomes words of the user", () => {
    expect(messagesOf({ messages: [user("go"), result("c1", "text"), user("on")] }, "openai")).toEqual([
      { role: "user", content: "go" },
      { role: "user", content: "Result of read:\ntext" },
      { role: "user", content: "on" },
    ]);
  });

  test("texts of the assistant in a row become one where roles have to alternate", () => {
    const messages = [user("a"), assistant("b"), assistant("c"), assistant("", [call("c1", "read")]), result("c1", "x"), user("d")];
    expect(messagesOf({ messages }, "vllm")).toMatchObject([
      { content: "a" },
      { role: "assistant", content: "b\n\nc", tool_calls: [{ id: "c1" }] },
      { role: "tool" },
      { role: "assistant", content: "Understood." },
      { role: "user", content: "d" },
    ]);
  });
});

describe("images", () => {
  const image = { mediaType: "image/png", base64: "AAAA" } as const;
  const part = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const facts = { images: true };

  test("are data URLs for a model that sees", () => {
    const messages: readonly Message[] = [{ role: "user", text: "what is this?", images: [image] }];
    expect(messagesOf({ messages, facts })).toEqual([{ role: "user", content: [{ type: "text", text: "what is this?" }, part] }]);
  });

  test("need no words", () => {
    expect(messagesOf({ messages: [{ role: "user", text: "", images: [image] }], facts })).toEqual([{ role: "user", content: [part] }]);
  });

  test("of a result follow all results as a message of the user", () => {
    const messages = [
      user("go"),
      assistant("", [call("c1", "shot"), call("c2", "read")]),
      result("c1", "", { name: "shot", images: [image] }),
      result("c2", "text"),
    ];
    expect(messagesOf({ messages, facts }, "openai").slice(2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "(an image, shown in the next message)" },
      { role: "tool", tool_call_id: "c2", content: "text" },
      { role: "user", content: [{ type: "text", text: "What shot returned as an image:" }, part] },
    ]);
  });

  test.each([
    ["a model of which it is not known", {}, "openai"],
    ["a model that does not see", { images: false }, "openai"],
    ["a server that takes none", { images: true }, "deepseek"],
  ])("are only spoken of with %s", (_name, known, profile) => {
    const messages: readonly Message[] = [{ role: "user", text: "see", images: [image, image] }];
    expect(messagesOf({ messages, facts: known }, profile)).toEqual([
      { role: "user", content: "see\n[2 images left out: this model or connection carries text only]" },
    ]);
  });
});

test("every switch and every profile is told of in the README", async () => {
  const text = await readFile(new URL("../../plugins/provider-openai-compatible/README.md", import.meta.url), "utf8");
  const switches = Object.keys(profileOf("openai-compatible", { baseUrl: "http://h" }));
  expect([...switches, ...PROFILE_NAMES].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
