import { describe, expect, test } from "vitest";
import { models, parseModels } from "../../plugins/provider-openai/models.js";
import { plan } from "../../plugins/provider-openai/request.js";
import { isStrict } from "../../plugins/provider-openai/schema.js";
import { endpointUrl } from "../../plugins/provider-openai/url.js";
import type { JsonObject, JsonValue, Message, ProviderRequest, ThinkingLevel } from "../../src/plugin/sdk.js";
import { validate } from "../support/strict-responses.js";
import { ALL_FACTS, answer, bodyOf, call, PNG, request, result, thought, UNKNOWN } from "./responses-support.js";

const itemsOf = (messages: readonly Message[], over: Partial<ProviderRequest> = {}): JsonValue | undefined =>
  bodyOf({ system: "", messages, ...over })["input"];

const user = (text: string): JsonObject => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const said = (content: string): JsonObject => ({ type: "message", role: "assistant", content });
const called = (id: string, args = "{}"): JsonObject => ({ type: "function_call", call_id: id, name: "read", arguments: args });
const output = (id: string, text: JsonValue = "done"): JsonObject => ({ type: "function_call_output", call_id: id, output: text });
const reasoning = (id: string, texts: readonly string[] = ["hm"]): JsonObject => ({
  type: "reasoning",
  id,
  summary: texts.map((text) => ({ type: "summary_text", text })),
  encrypted_content: `secret of ${id}`,
});

describe("the address", () => {
  test.each([
    ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/responses"],
    ["http://127.0.0.1:9/v1//", "http://127.0.0.1:9/v1/responses"],
    ["http://127.0.0.1:9", "http://127.0.0.1:9/v1/responses"],
    ["http://127.0.0.1:9/", "http://127.0.0.1:9/v1/responses"],
    ["  http://127.0.0.1:9/v1  ", "http://127.0.0.1:9/v1/responses"],
    ["http://127.0.0.1:9/v1/?api-version=1", "http://127.0.0.1:9/v1/responses?api-version=1"],
    ["http://127.0.0.1:9/v1/responses", "http://127.0.0.1:9/v1/responses"],
    ["http://127.0.0.1:9/v1/responses/?a=1", "http://127.0.0.1:9/v1/responses?a=1"],
    ["http://127.0.0.1:9/v1/chat/completions", "http://127.0.0.1:9/v1/responses"],
    ["http://[::1]:9/v1", "http://[::1]:9/v1/responses"],
    ["127.0.0.1:9/v1", "http://127.0.0.1:9/v1/responses"],
    ["localhost:9", "http://localhost:9/v1/responses"],
    ["api.example.com/v1", "https://api.example.com/v1/responses"],
    ["https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/responses"],
    ["https://x.openai.azure.com/openai/v1/", "https://x.openai.azure.com/openai/v1/responses"],
    ["https://x.openai.azure.com", "https://x.openai.azure.com/openai/v1/responses"],
    ["", "https://api.openai.com/v1/responses"],
    ["   ", "https://api.openai.com/v1/responses"],
  ])("of %j", (baseUrl, url) => {
    expect(endpointUrl({ baseUrl }, "/responses")).toBe(url);
  });

  test("keeps a query that was parted from it", () => {
    expect(endpointUrl({ baseUrl: "http://h/v1", query: "?a=1" }, "/models")).toBe("http://h/v1/models?a=1");
  });
});

describe("what is asked of the vendor", () => {
  test("the exchange, the key by its name only", () => {
    const { body: _, ...exchange } = { body: "", ...plan(request()) };
    expect(exchange).toEqual({
      type: "http",
      method: "POST",
      url: "https://api.openai.com/v1/responses",
      headers: { "content-type": "application/json", accept: "text/event-stream", authorization: "Bearer {secret:OPENAI_API_KEY}" },
      framing: "sse",
      merge: ["delta"],
    });
    expect(plan(request({ stream: false }))).toMatchObject({ framing: "json", headers: { accept: "application/json" } });
    expect(plan(request({ endpoint: { baseUrl: "http://h" } }))).not.toHaveProperty("headers.authorization");
  });

  test("nothing is kept there; what it thinks comes with it; its cache is found by the session", () => {
    expect(bodyOf({ cacheKey: "session" })).toEqual({
      model: "m",
      instructions: "be brief",
      input: [user("hi")],
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "session",
    });
    expect(bodyOf({ facts: { ...ALL_FACTS, thinking: [] } })).not.toHaveProperty("include");
    expect(bodyOf({ thinking: "off" })).not.toHaveProperty("include");
    expect(bodyOf({ system: "" })).not.toHaveProperty("instructions");
  });

  test.each<[ThinkingLevel, JsonValue | undefined, ProviderRequest["facts"]]>([
    ["low", { effort: "low", summary: "auto" }, ALL_FACTS],
    ["max", { effort: "xhigh", summary: "auto" }, ALL_FACTS],
    ["max", { effort: "max", summary: "auto" }, { ...ALL_FACTS, hints: { max: "max" } }],
    ["max", { effort: "high", summary: "auto" }, { thinking: ["max"] }],
    ["off", { effort: "none" }, ALL_FACTS],
    ["off", undefined, { thinking: ["off", "low"] }],
    ["minimal", undefined, ALL_FACTS],
    ["high", undefined, {}],
  ])("the level %s as %j", (thinking, expected, facts) => {
    expect(bodyOf({ thinking, facts })["reasoning"]).toEqual(expected);
  });

  test("sampling, where the model takes it; a stop is left out; extra comes last", () => {
    const sampling = { temperature: 0.5, topP: 0.9, maxTokens: 5, stop: ["x"], extra: { service_tier: "flex", store: true } };
    expect(bodyOf({ sampling })).toMatchObject({ max_output_tokens: 16, service_tier: "flex", store: true });
    expect(bodyOf({ sampling })).not.toHaveProperty("temperature");
    expect(bodyOf({ sampling, facts: {} })).toMatchObject({ temperature: 0.5, top_p: 0.9 });
    expect(Object.keys(bodyOf({ sampling, facts: {} }))).not.toContain("stop");
  });

  test("a response format in the words of Chat Completions", () => {
    const format = (responseFormat: JsonValue, facts: ProviderRequest["facts"] = {}): JsonValue | undefined =>
      bodyOf({ sampling: { responseFormat }, facts })["text"];
    const schema = { type: "object", properties: {} };
    expect(format({ type: "json_object" })).toEqual({ format: { type: "json_object" } });
    expect(format({ type: "json_schema", json_schema: { name: "n", strict: true, schema } })).toEqual({
      format: { type: "json_schema", name: "n", strict: true, schema },
    });
    expect(format({ type: "json_schema", json_schema: { schema } })).toEqual({ format: { type: "json_schema", name: "answer", schema } });
    expect(format({ type: "json_schema", name: "n", schema })).toEqual({ format: { type: "json_schema", name: "n", schema } });
    expect(format({ type: "json_object" }, { structuredOutput: false })).toBeUndefined();
  });
});

describe("tools", () => {
  const closed = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false };
  const tool = (parameters: JsonObject): Partial<ProviderRequest> => ({ tools: [{ name: "read", description: "Reads", parameters }] });

  test("are strict where model and schema are, and say so otherwise", () => {
    const strictOf = (over: Partial<ProviderRequest>): JsonValue | undefined =>
      (bodyOf(over)["tools"] as readonly JsonObject[])[0]?.["strict"];
    expect(bodyOf(tool(closed))["tools"]).toEqual([
      { type: "function", name: "read", description: "Reads", parameters: closed, strict: true },
    ]);
    expect(strictOf(tool({ ...closed, required: [] }))).toBe(false);
    expect(strictOf({ ...tool(closed), facts: {} })).toBe(false);
    expect(strictOf({ ...tool(closed), ...UNKNOWN })).toBe(false);
    expect(bodyOf({ ...tool(closed), facts: { tools: false } })).not.toHaveProperty("tools");
  });

  test.each<[string, JsonObject, boolean]>([
    ["no arguments", { type: "object", properties: {}, additionalProperties: false }, true],
    ["an optional property", { ...closed, properties: { ...closed.properties, limit: { type: "number" } } }, false],
    ["an open object inside", { ...closed, properties: { path: { type: "object", properties: {} } } }, false],
    ["items without a schema", { ...closed, properties: { path: { type: "array" } } }, false],
    ["items", { ...closed, properties: { path: { type: "array", items: { type: ["string", "null"] } } } }, true],
    ["a choice", { ...closed, properties: { path: { anyOf: [{ type: "string" }, { enum: [1, 2] }] } } }, true],
    ["one of", { ...closed, properties: { path: { oneOf: [{ type: "string" }] } } }, false],
    ["anything", { ...closed, properties: { path: {} } }, false],
    ["a default", { ...closed, properties: { path: { type: "string", default: "a" } } }, false],
  ])("%s", (_name, schema, expected) => {
    expect(isStrict(schema)).toBe(expected);
  });
});

describe("the conversation", () => {
  test("calls are followed by their results, in order, whatever stands between them", () => {
    const messages = [
      answer("let me see", { toolCalls: [call("c1", '{"path":"a"}'), call("c2", "not json")] }),
      result("c2", "", { isError: true }),
      { role: "user", text: "hurry" } as const,
      result("c1"),
      answer("that is it"),
    ];
    expect(itemsOf(messages)).toEqual([
      said("let me see"),
      called("c1", '{"path":"a"}'),
      called("c2"),
      output("c1"),
      output("c2", "Error: (no output)"),
      user("hurry"),
      said("that is it"),
    ]);
  });

  test("a call without a result is answered, a result without a call is told", () => {
    expect(itemsOf([answer("", { toolCalls: [call("c1")] }), result("gone", "42")])).toEqual([
      called("c1"),
      output("c1", "There is no result: the call was not carried out."),
      user("Result of the tool read, called earlier:\n42"),
    ]);
  });

  test("an answer that says nothing goes, and so does an empty message", () => {
    expect(itemsOf([{ role: "user", text: "" }, answer(""), { role: "user", text: "hi" }])).toEqual([user("hi")]);
  });

  test("ids and names of another vendor are made acceptable, alike in call and result, and stay apart", () => {
    const long = `toolu_${"x".repeat(80)}`;
    const messages = [
      answer("", {
        toolCalls: [call("a", "{}", `${long}1`), call("b", "{}", `${long}2`), call("c", "{}", "f:0"), call("d", "{}", "f:0", "my tool")],
      }),
      result("a"),
      result("b"),
      result("c"),
      result("d"),
    ];
    const items = itemsOf(messages) as readonly JsonObject[];
    const ids = items.map((item) => item["call_id"]);
    expect(new Set(ids.slice(0, 4)).size).toBe(4);
    expect(ids.slice(4)).toEqual(ids.slice(0, 4));
    expect(itemsOf(messages)).toEqual(items);
    expect(validate(bodyOf({ messages }))).toEqual([]);
  });

  test("images where the model takes them, else a word that they are missing", () => {
    const messages = [
      { role: "user", text: "look", images: [PNG] } as const,
      answer("", { toolCalls: [call("c1")] }),
      result("c1", "", { images: [PNG] }),
    ];
    const image = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" };
    const looked = { type: "message", role: "user", content: [{ type: "input_text", text: "look" }, image] };
    expect(itemsOf(messages)).toEqual([looked, called("c1"), output("c1", [{ type: "input_text", text: "(no output)" }, image])]);
    expect(itemsOf(messages, { ...UNKNOWN, facts: { images: true } })).toEqual([
      looked,
      called("c1"),
      output("c1", "(no output)"),
      { type: "message", role: "user", content: [{ type: "input_text", text: "Images of the tool read:" }, image] },
    ]);
    const note = "[an image left out: the model takes none]";
    expect(itemsOf(messages, UNKNOWN)).toEqual([user(`look\n${note}`), called("c1"), output("c1", `(no output)\n${note}`)]);
  });
});

describe("thinking goes back", () => {
  test("exactly, in its place, its parts as one item", () => {
    const thinking = [
      thought("r1", { text: "one", signature: "" }),
      thought("r2", { text: "first" }),
      thought("r3", { text: "", after: { text: 5, calls: 1 } }),
    ].map(({ signature, ...part }) => (signature === "" ? part : { ...part, signature: signature ?? "" }));
    const parts = [{ text: "a", id: "r0", kind: "summary" }, thought("r0", { text: "b" }), ...thinking];
    const message = answer("hello world", { thinking: parts, toolCalls: [call("c1"), call("c2")] });
    expect(itemsOf([message])).toEqual([
      reasoning("r0", ["a", "b"]),
      reasoning("r2", ["first"]),
      said("hello"),
      called("c1"),
      reasoning("r3", []),
      said(" world"),
      called("c2"),
      output("c1", "There is no result: the call was not carried out."),
      output("c2", "There is no result: the call was not carried out."),
    ]);
  });

  test("words as words", () => {
    expect(itemsOf([answer("a", { thinking: [thought("r1", { kind: "raw" })] })])).toEqual([
      { ...reasoning("r1", []), content: [{ type: "reasoning_text", text: "hm" }] },
      said("a"),
    ]);
  });

  test("never alone, and never without its encrypted content", () => {
    expect(itemsOf([answer("a", { thinking: [thought("r1", { after: { text: 1, calls: 0 } })] })])).toEqual([said("a")]);
    expect(itemsOf([answer("a", { thinking: [{ text: "hm", id: "r1" }] })])).toEqual([said("a")]);
    expect(itemsOf([answer("", { thinking: [thought("r1")] }), { role: "user", text: "hi" }])).toEqual([user("hi")]);
  });

  test("to its provider only; another server's also to its model only", () => {
    const by = (provider: string, model: string): Message => answer("a", { thinking: [thought("r1")], from: { provider, model } });
    expect(itemsOf([by("anthropic", "m")])).toEqual([said("a")]);
    expect(itemsOf([answer("a", { thinking: [thought("r1")] })], { provider: "mine" })).toEqual([said("a")]);
    expect(itemsOf([by("openai", "other")])).toEqual([reasoning("r1"), said("a")]);
    expect(itemsOf([by("openai", "other")], UNKNOWN)).toEqual([said("a")]);
    expect(itemsOf([by("openai", "m")], UNKNOWN)).toEqual([reasoning("r1"), said("a")]);
  });

  test("models that tell remarks from answers hear which it was", () => {
    const messages = [answer("I look", { toolCalls: [call("c1")] }), result("c1"), answer("done")];
    expect(itemsOf(messages, { facts: { hints: { phases: true } } })).toEqual([
      { ...said("I look"), phase: "commentary" },
      called("c1"),
      output("c1"),
      { ...said("done"), phase: "final_answer" },
    ]);
    expect(itemsOf(messages, { ...UNKNOWN, facts: { hints: { phases: true } } })).toContainEqual(said("done"));
  });
});

describe("a server of somebody else", () => {
  test("is asked for nothing optional", () => {
    const tools = [{ name: "read", description: "Reads", parameters: {} }];
    expect(bodyOf({ ...UNKNOWN, tools, cacheKey: "k", thinking: "high" })).toEqual({
      model: "m",
      instructions: "be brief",
      input: [user("hi")],
      tools: [{ type: "function", name: "read", description: "Reads", parameters: { type: "object", properties: {} }, strict: false }],
      stream: true,
    });
  });

  test("reads the system prompt as the first item where it has no field for it", () => {
    const body = bodyOf({ ...UNKNOWN, endpoint: { ...UNKNOWN.endpoint, profile: "compatible-developer" } });
    expect(body).not.toHaveProperty("instructions");
    expect(body["input"]).toEqual([
      { type: "message", role: "developer", content: [{ type: "input_text", text: "be brief" }] },
      user("hi"),
    ]);
  });

  test("the vendor's own hosts are known, however they were written; an unknown profile means no assumptions", () => {
    const storeOf = (endpoint: ProviderRequest["endpoint"]): JsonValue | undefined => bodyOf({ endpoint })["store"];
    expect(storeOf({ baseUrl: "API.openai.com", profile: "compatible" })).toBe(false);
    expect(storeOf({ baseUrl: "https://x.openai.azure.com/openai/v1" })).toBe(false);
    expect(storeOf({ baseUrl: "https://x.openai.azure.com/openai/v1", profile: "compatible" })).toBeUndefined();
    expect(storeOf({ baseUrl: "https://openai.com.evil.example/v1" })).toBeUndefined();
    expect(storeOf({ baseUrl: "http://h/v1", profile: "nonsense" })).toBeUndefined();
  });
});

describe("the list of models", () => {
  test("is asked for with the key's name", () => {
    expect(models({ baseUrl: "http://h/v1/responses", credential: "K" })).toEqual({
      type: "http",
      method: "GET",
      url: "http://h/v1/models",
      headers: { accept: "application/json", authorization: "Bearer {secret:K}" },
      framing: "json",
    });
  });

  test("holds those that answer with text, and what the server tells of them", () => {
    const data = [
      { id: "gpt-6.2-sol" },
      { id: "qwen", meta: { n_ctx_train: 4096 }, architecture: { input_modalities: ["text"] } },
      { id: "whisper-1" },
      { id: "text-embedding-3-small" },
      { id: "gpt-4o-realtime-preview" },
      { id: "" },
      7,
    ];
    expect(parseModels([JSON.stringify({ data })])).toEqual([
      { ref: { provider: "openai", model: "gpt-6.2-sol" } },
      { ref: { provider: "openai", model: "qwen" }, contextTokens: 4096, images: false },
    ]);
    expect(parseModels(["<html>"])).toEqual([]);
    expect(parseModels([])).toEqual([]);
  });
});
