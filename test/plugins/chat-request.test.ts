import { describe, expect, test } from "vitest";
import { fail } from "../../plugins/provider-openai-compatible/errors.js";
import { models, parseModels } from "../../plugins/provider-openai-compatible/models.js";
import { plan } from "../../plugins/provider-openai-compatible/request.js";
import { typedSchema } from "../../plugins/provider-openai-compatible/schema.js";
import { endpointUrl } from "../../plugins/provider-openai-compatible/url.js";
import type { JsonObject, Message, ProviderRequest } from "../../src/plugin/sdk.js";

const request = (over: Partial<ProviderRequest> = {}): ProviderRequest => ({
  model: "m",
  endpoint: { baseUrl: "http://127.0.0.1:9/v1" },
  system: "be brief",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  context: { cwd: "/work" },
  ...over,
});

function bodyOf(over: Partial<ProviderRequest>): JsonObject {
  const planned = plan(request(over));
  return planned.type === "http" ? (JSON.parse(planned.body ?? "") as JsonObject) : {};
}

/** A call as the core stores it; ids are branded there, which a plugin cannot see. */
const call = (id: string, name: string, argsText: string, args?: JsonObject) =>
  ({ call: id, providerId: id, name, argsText, ...(args === undefined ? {} : { args }) }) as unknown as Extract<
    Message,
    { role: "assistant" }
  >["toolCalls"][number];
const result = (id: string, text: string, rest: object = {}): Message =>
  ({ role: "tool", call: id, providerId: id, name: "read", text, isError: false, ...rest }) as unknown as Message;

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

describe("failures", () => {
  const error = (message: string, rest: object = {}): string => JSON.stringify({ error: { message, ...rest } });

  test.each([
    [401, error("bad key"), "auth", "bad key"],
    [403, error("no access"), "auth", "no access"],
    [404, error("model not found"), "not-found", "model not found (http://h/v1)"],
    [404, "404 page not found", "not-found", "404 page not found (http://h/v1)"],
    [400, error("bad field"), "invalid", "bad field"],
    [
      400,
      error("This model's maximum context length is 4096 tokens"),
      "context-overflow",
      "This model's maximum context length is 4096 tokens",
    ],
    [400, error("too big", { type: "exceed_context_size_error" }), "context-overflow", "too big"],
    [413, error("prompt is too long: 9 tokens"), "context-overflow", "prompt is too long: 9 tokens"],
    [400, error("the output would be hateful", { code: "content_filter" }), "content-filter", "the output would be hateful"],
    [422, '{"detail":[{"loc":["body","messages"],"msg":"field required"}]}', "invalid", "body.messages: field required"],
    [400, '{"detail":"Unsupported"}', "invalid", "Unsupported"],
    [400, '{"error":"as text"}', "invalid", "as text"],
    [400, '{"message":"flat"}', "invalid", "flat"],
    [400, '[{"error":{"message":"in a list"}}]', "invalid", "in a list"],
    [429, error("slow down"), "rate-limit", "slow down"],
    [429, error("Your quota is used up", { type: "insufficient_quota" }), "invalid", "Your quota is used up"],
    [
      429,
      error("You exceeded your current quota, check your billing details"),
      "invalid",
      "You exceeded your current quota, check your billing details",
    ],
    [402, error("Insufficient credits"), "invalid", "Insufficient credits"],
    [500, error("boom"), "transport", "boom"],
    [500, error("Failed to apply jinja template: roles must alternate"), "invalid", "Failed to apply jinja template: roles must alternate"],
    [502, "", "transport", "HTTP 502 without an explanation"],
    [503, error("Loading model"), "overloaded", "Loading model"],
    [529, error("busy"), "overloaded", "busy"],
    [408, error("timeout"), "transport", "timeout"],
    [501, error("not implemented"), "invalid", "not implemented"],
    [
      400,
      error("Provider returned error", { metadata: { raw: "the real words", provider_name: "Up" } }),
      "invalid",
      "Provider returned error (Up: the real words)",
    ],
  ])("%i %s is %s", (status, body, kind, message) => {
    expect(fail({ status, url: "http://h/v1", headers: {} }, body)).toEqual({ class: kind, message, status });
  });

  test("an HTML page is named with its URL and title", () => {
    const body = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>";
    expect(fail({ status: 502, url: "http://h/v1/chat/completions", headers: { "content-type": "text/html" } }, body)).toEqual({
      class: "transport",
      status: 502,
      message:
        'HTTP 502: an HTML page "502 Bad Gateway" came from http://h/v1/chat/completions, not JSON. Check the base URL, and any proxy on the way.',
    });
  });

  test("a redirect says where to", () => {
    expect(fail({ status: 308, headers: { Location: "https://h/v1" } }, "")).toMatchObject({
      class: "invalid",
      message: expect.stringContaining("https://h/v1") as unknown,
    });
  });

  test("the server's words are bounded", () => {
    expect(fail({ status: 400, headers: {} }, error("x".repeat(9000))).message).toBe(`${"x".repeat(4000)} [cut; 9000 characters]`);
  });

  const date = "Wed, 21 Oct 2015 07:28:00 GMT";
  test.each([
    ["seconds", { "retry-after": "3" }, 3000],
    ["part of a second", { "retry-after": "0.25" }, 250],
    ["a day", { "retry-after": "86400" }, 86_400_000],
    ["milliseconds", { "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    ["a date, counted from the server's own", { "Retry-After": "Wed, 21 Oct 2015 07:28:04 GMT", Date: date }, 4000],
    ["a date that is over", { "retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", date }, 0],
    ["a date without one to count from", { "retry-after": date }, undefined],
    ["nonsense", { "retry-after": "soon", date }, undefined],
    ["nothing", {}, undefined],
  ])("Retry-After as %s", (_name, headers, retryAfterMs) => {
    expect(fail({ status: 429, headers }, error("slow down"))).toEqual({
      class: "rate-limit",
      status: 429,
      message: "slow down",
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  });

  test("a quota with a time to wait for is a rate limit", () => {
    expect(fail({ status: 429, headers: { "retry-after": "30" } }, error("You exceeded your current quota"))).toMatchObject({
      class: "rate-limit",
      retryAfterMs: 30_000,
    });
  });
});

describe("the server's models", () => {
  test("are asked for beside the endpoint", () => {
    expect(models({ baseUrl: "http://h", credential: "LLAMA_API_KEY" })).toEqual({
      type: "http",
      method: "GET",
      url: "http://h/v1/models",
      headers: { accept: "application/json", authorization: "Bearer {secret:LLAMA_API_KEY}" },
      framing: "json",
    });
  });

  const ref = (model: string): object => ({ ref: { provider: "openai-compatible", model } });
  test.each([
    ["OpenAI", { object: "list", data: [{ id: "gpt-5" }, { id: "gpt-4" }] }, [ref("gpt-5"), ref("gpt-4")]],
    [
      "llama.cpp",
      { models: [{ name: "x" }], data: [{ id: "tiny", meta: { n_ctx_train: 4096 } }] },
      [{ ...ref("tiny"), contextTokens: 4096 }],
    ],
    ["vLLM", { data: [{ id: "q", max_model_len: 32768 }] }, [{ ...ref("q"), contextTokens: 32768 }]],
    [
      "OpenRouter",
      {
        data: [
          {
            id: "a/b",
            context_length: 200000,
            top_provider: { max_completion_tokens: 8192 },
            architecture: { input_modalities: ["text", "image"] },
          },
        ],
      },
      [{ ...ref("a/b"), contextTokens: 200000, outputTokens: 8192, images: true }],
    ],
    [
      "Groq",
      { data: [{ id: "g", context_window: 131072, max_completion_tokens: 4096 }] },
      [{ ...ref("g"), contextTokens: 131072, outputTokens: 4096 }],
    ],
    ["a bare list", [{ id: "t", context_length: 0 }], [ref("t")]],
    ["nothing of use", { data: [{}, null, 7] }, []],
    ["an error", { error: { message: "no" } }, []],
  ])("of %s", (_name, body, expected) => {
    expect(parseModels(JSON.stringify(body))).toEqual(expected);
  });

  test("no JSON is no model", () => {
    expect(parseModels("<html>")).toEqual([]);
  });
});
