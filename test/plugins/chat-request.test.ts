import { describe, expect, test } from "vitest";
import { plan } from "../../plugins/provider-openai-compatible/request.js";
import { typedSchema } from "../../plugins/provider-openai-compatible/body/schema.js";
import { endpointUrl } from "../../plugins/provider-openai-compatible/url.js";
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
        stream_options: { include_usage: true },
      }),
      framing: "sse",
      merge: ["choices", 0, "delta", "content"],
    });
    expect(plan(request())).not.toHaveProperty("headers.authorization");
  });

  test.each([
    ["openai", "max_completion_tokens", { stream_options: { include_usage: true }, reasoning_effort: "high" }],
    ["compatible", "max_tokens", { stream_options: { include_usage: true }, reasoning_effort: "high" }],
    ["something else", "max_tokens", { stream_options: { include_usage: true }, reasoning_effort: "high" }],
    ["llama.cpp", "max_tokens", {}],
  ])("profile %s bounds the answer by %s", (profile, field, extra) => {
    const body = bodyOf({ endpoint: { baseUrl: "http://h/v1", profile }, maxOutputTokens: 9, temperature: 0, thinking: "high" });
    expect(body).toEqual({ model: "m", messages: expect.anything() as unknown, stream: true, temperature: 0, [field]: 9, ...extra });
  });

  test("the vendor's own host has its own profile, and thinking off is not sent", () => {
    const body = bodyOf({
      endpoint: { baseUrl: "https://api.openai.com/v1/", profile: "compatible" },
      maxOutputTokens: 9,
      thinking: "off",
    });
    expect(body).toMatchObject({ max_completion_tokens: 9 });
    expect(body).not.toHaveProperty("reasoning_effort");
  });

  test("an empty system prompt is left out", () => {
    expect(bodyOf({ system: "" })["messages"]).toEqual([{ role: "user", content: "hi" }]);
  });

  const history: readonly Message[] = [
    { role: "user", text: "one" },
    { role: "user", text: "two", images: [{ mediaType: "image/png", base64: "AA" }] },
    {
      role: "assistant",
      text: "",
      thinking: [{ text: "hm" }],
      toolCalls: [call("c1", "read", '{"path": "a"}', { path: "a" }), call("c2", "now", "", {})],
    },
    result("c1", "text of a"),
    result("c2", "no such file", { isError: true }),
    { role: "assistant", text: "", toolCalls: [] },
    {
      role: "assistant",
      text: "bad",
      toolCalls: [call("c3", "read", '{"path": "a'), call("c4", "read", "[1]"), call("c5", "read", "{} {}")],
    },
    result("c3", "Error: not JSON", { isError: true }),
    result("c4", "x"),
    result("c5", "x"),
    { role: "assistant", text: "done", toolCalls: [] },
  ];
  const wireCall = (id: string, name: string, args: string): object => ({ id, type: "function", function: { name, arguments: args } });

  test("history becomes plain strings, valid arguments and no thinking", () => {
    const body = bodyOf({ system: "", messages: history, endpoint: { baseUrl: "http://h/v1", profile: "llama.cpp" } });
    expect(body["messages"]).toEqual([
      { role: "user", content: "one\n\ntwo\n[an image left out: this connection carries text only]" },
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
      { role: "tool", tool_call_id: "c5", name: "read", content: "x" },
      { role: "assistant", content: "done" },
    ]);
  });

  test("profile openai sends null for an assistant without text, no tool names, and user messages apart", () => {
    const messages = bodyOf({ system: "", messages: history, endpoint: { baseUrl: "http://h/v1", profile: "openai" } })["messages"];
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

  test("tools have an object schema; llama.cpp gets a type for every parameter", () => {
    const tools = [
      { name: "now", description: "d", parameters: {} },
      { name: "t", description: "d", parameters: { type: "object", properties: { any: {}, kind: { enum: ["a"] }, list: { items: {} } } } },
    ];
    const wire = (profile: string) => bodyOf({ tools, endpoint: { baseUrl: "http://h/v1", profile } })["tools"];
    expect(wire("compatible")).toEqual([
      { type: "function", function: { name: "now", description: "d", parameters: { type: "object", properties: {} } } },
      { type: "function", function: { name: "t", description: "d", parameters: tools[1]?.parameters } },
    ]);
    expect(wire("llama.cpp")).toMatchObject([
      {},
      {
        function: {
          parameters: {
            type: "object",
            properties: {
              any: { type: "string" },
              kind: { type: "string", enum: ["a"] },
              list: { type: "array", items: { type: "string" } },
            },
          },
        },
      },
    ]);
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
