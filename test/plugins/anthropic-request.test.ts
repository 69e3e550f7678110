import { describe, expect, test } from "vitest";
import { plan } from "../../plugins/provider-anthropic/request/plan.js";
import { inputSchema } from "../../plugins/provider-anthropic/request/schema.js";
import { endpointUrl } from "../../plugins/provider-anthropic/url.js";
import { sign, validate } from "../support/strict-anthropic.js";
import { ADAPTIVE, assistant, bodyOf, BUDGET, CLAUDE, planned, READ_TOOL, request, result, user } from "./anthropic-support.js";

describe("the address", () => {
  test.each([
    ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/messages"],
    ["http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1/messages"],
    ["http://127.0.0.1:9/v1//", "http://127.0.0.1:9/v1/messages"],
    ["http://127.0.0.1:9", "http://127.0.0.1:9/v1/messages"],
    ["http://127.0.0.1:9/", "http://127.0.0.1:9/v1/messages"],
    ["  http://127.0.0.1:9/v1  ", "http://127.0.0.1:9/v1/messages"],
    ["http://127.0.0.1:9?api-version=1", "http://127.0.0.1:9/v1/messages?api-version=1"],
    ["http://127.0.0.1:9/v1/?api-version=1", "http://127.0.0.1:9/v1/messages?api-version=1"],
    ["http://127.0.0.1:9/v1/messages", "http://127.0.0.1:9/v1/messages"],
    ["http://127.0.0.1:9/v1/messages/?a=1", "http://127.0.0.1:9/v1/messages?a=1"],
    ["http://[::1]:9/v1", "http://[::1]:9/v1/messages"],
    ["127.0.0.1:9/v1", "http://127.0.0.1:9/v1/messages"],
    ["localhost:9", "http://localhost:9/v1/messages"],
    ["api.example.com", "https://api.example.com/v1/messages"],
    ["https://api.example.com/anthropic", "https://api.example.com/anthropic/v1/messages"],
    ["", "https://api.anthropic.com/v1/messages"],
    ["   ", "https://api.anthropic.com/v1/messages"],
  ])("of %j", (baseUrl, url) => {
    expect(endpointUrl({ baseUrl }, "/messages")).toBe(url);
  });

  test("keeps a query that was parted from it", () => {
    expect(endpointUrl({ baseUrl: "http://h/v1", query: "a=1" }, "/models")).toBe("http://h/v1/models?a=1");
  });
});

describe("the request", () => {
  test("holds nothing that a server of which nothing is known might refuse", () => {
    const endpoint = { baseUrl: "http://h", credential: "ANTHROPIC_API_KEY", profile: "key" };
    expect(plan(request({ endpoint, tools: [READ_TOOL] }))).toEqual({
      type: "http",
      method: "POST",
      url: "http://h/v1/messages",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "anthropic-version": "2023-06-01",
        "x-api-key": "{secret:ANTHROPIC_API_KEY}",
      },
      body: JSON.stringify({
        model: "claude-x",
        max_tokens: 8192,
        system: "be brief",
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
        tools: [{ name: "read", description: "Reads", input_schema: { type: "object", properties: { path: { type: "string" } } } }],
        stream: true,
      }),
      framing: "sse",
      merge: ["delta", "text"],
    });
  });

  test.each([
    [{ baseUrl: "", credential: "A", profile: "bearer" }, { authorization: "Bearer {secret:A}" }],
    [{ baseUrl: "", credential: "A" }, { "x-api-key": "{secret:A}" }],
    [{ baseUrl: "", credential: "" }, {}],
    [{ baseUrl: "" }, {}],
  ])("sends the key by its name, as the profile says: %j", (endpoint, expected) => {
    const { authorization, "x-api-key": key } = planned({ endpoint }).headers;
    expect({ ...(authorization === undefined ? {} : { authorization }), ...(key === undefined ? {} : { "x-api-key": key }) }).toEqual(
      expected,
    );
  });

  test("for a whole answer is one JSON exchange", () => {
    const made = plan(request({ stream: false }));
    expect(made).toMatchObject({ framing: "json", headers: { accept: "application/json" } });
    expect(made).not.toHaveProperty("merge");
    expect(bodyOf({ stream: false })["stream"]).toBe(false);
  });

  test("has no system prompt where there is none", () => {
    expect(bodyOf({ system: " \n" })).not.toHaveProperty("system");
  });

  test.each([
    [{}, {}, 8192],
    [{ outputTokens: 64_000 }, {}, 64_000],
    [{ outputTokens: 64_000 }, { maxTokens: 100 }, 100],
  ])("limits the answer by the person, the catalog, a default: %j %j", (facts, sampling, limit) => {
    expect(bodyOf({ facts, sampling })["max_tokens"]).toBe(limit);
  });

  test("takes what the person wants of an answer, further fields last", () => {
    const sampling = { temperature: 0.5, topP: 0.9, stop: ["END", " "], extra: { top_k: 5, max_tokens: 7 } };
    expect(bodyOf({ sampling })).toMatchObject({ temperature: 0.5, top_p: 0.9, stop_sequences: ["END"], top_k: 5, max_tokens: 7 });
  });

  test.each([
    [{ temperature: 1.5 }, {}, { temperature: 1 }],
    [{ temperature: 0.2, topP: 0.9 }, { sampling: false }, {}],
    [{ temperature: 0.2, topP: 0.9 }, { hints: { sampler: "one" } }, { temperature: 0.2 }],
    [{ topP: 0.9 }, { hints: { sampler: "one" } }, { top_p: 0.9 }],
  ])("draws as the model takes it: %j %j", (sampling, facts, expected) => {
    const { temperature, top_p } = bodyOf({ sampling, facts });
    expect({ ...(temperature === undefined ? {} : { temperature }), ...(top_p === undefined ? {} : { top_p }) }).toEqual(expected);
  });

  test("asks for a schema's output only of a model that is known to be held to one", () => {
    const schema = { type: "object", properties: { a: { type: "array", items: { type: "object", properties: {} } } } };
    const responseFormat = { type: "json_schema", json_schema: { name: "x", strict: true, schema } };
    const sampling = { responseFormat };
    const closed = {
      type: "object",
      properties: { a: { type: "array", items: { type: "object", properties: {}, additionalProperties: false } } },
      additionalProperties: false,
    };
    expect(bodyOf({ sampling, facts: { structuredOutput: true } })["output_config"]).toEqual({
      format: { type: "json_schema", schema: closed },
    });
    expect(bodyOf({ sampling })).not.toHaveProperty("output_config");
    expect(bodyOf({ sampling: { responseFormat: { type: "json_object" } }, facts: { structuredOutput: true } })).not.toHaveProperty(
      "output_config",
    );
  });

  test("has no half characters in it, and loses no backslash over that", () => {
    const texts = ["\ud83d half", "half \ude00", "\\ud83d", "\\\\ud83d", "whole 😀"];
    const body = plan(request({ messages: texts.map((text) => user(text)) }));
    expect(body.type === "http" ? body.body : "").not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/u);
    expect(bodyOf({ messages: texts.map((text) => user(text)) })["messages"]).toEqual([
      { role: "user", content: ["\ufffd half", "half \ufffd", "\\ud83d", "\\\\ud83d", "whole 😀"].map((text) => ({ type: "text", text })) },
    ]);
  });
});

describe("thinking", () => {
  const ask = (thinking: "off" | "minimal" | "low" | "medium" | "high" | "max" | undefined, over: object = {}): object => {
    const {
      thinking: form,
      output_config: config,
      temperature,
    } = bodyOf({ ...(thinking === undefined ? {} : { thinking }), facts: BUDGET, ...over });
    return {
      ...(form === undefined ? {} : { form }),
      ...(config === undefined ? {} : { config }),
      ...(temperature === undefined ? {} : { temperature }),
    };
  };

  test.each([
    ["minimal", 1024],
    ["low", 4096],
    ["medium", 8192],
    ["high", 16_000],
    ["max", 32_000],
  ] as const)("of level %s is a budget of %i tokens", (level, budget) => {
    expect(ask(level)).toEqual({ form: { type: "enabled", budget_tokens: budget } });
  });

  test.each([
    [20_000, 16_000],
    [10_000, 8976],
    [1500, 1024],
  ])("stays below a limit of %i", (maxTokens, budget) => {
    expect(ask("high", { sampling: { maxTokens } })).toEqual({ form: { type: "enabled", budget_tokens: budget } });
  });

  test("is left out where its least budget does not fit", () => {
    expect(ask("high", { sampling: { maxTokens: 1024 } })).toEqual({});
  });

  test("turned off is said, not asked about is not", () => {
    expect(ask("off", { sampling: { temperature: 0.3 } })).toEqual({ form: { type: "disabled" }, temperature: 0.3 });
    expect(ask(undefined, { sampling: { temperature: 0.3 } })).toEqual({ temperature: 0.3 });
  });

  test("goes without temperature and top_p", () => {
    const sampling = { temperature: 0.3, topP: 0.5 };
    expect(ask("low", { sampling })).toEqual({ form: { type: "enabled", budget_tokens: 4096 } });
    expect(bodyOf({ facts: BUDGET, thinking: "low", sampling })).not.toHaveProperty("top_p");
  });

  test.each([
    ["minimal", "low"],
    ["low", "low"],
    ["max", "max"],
  ] as const)("of an adaptive model is an effort: %s", (level, effort) => {
    expect(ask(level, { facts: ADAPTIVE })).toEqual({ form: { type: "adaptive", display: "summarized" }, config: { effort } });
  });

  test("of an adaptive model can be off, and is not spoken of by itself", () => {
    expect(ask("off", { facts: ADAPTIVE })).toEqual({ form: { type: "disabled" } });
    expect(ask(undefined, { facts: ADAPTIVE })).toEqual({});
  });

  test("that is bound to its conversation may be passed over when that has changed", () => {
    const facts = { ...ADAPTIVE, hints: { ...ADAPTIVE.hints, binding: true } };
    const form = { type: "adaptive", display: "summarized", block_binding: { prefix_mismatch_behavior: "drop_block" } };
    expect(ask(undefined, { facts })).toEqual({ form });
    expect(ask("low", { facts })).toEqual({ form, config: { effort: "low" } });
    expect(planned({ facts }).headers["anthropic-beta"]).toBe("thinking-binding-controls-2026-08-01");
  });

  test.each([
    ["low", [READ_TOOL], "interleaved-thinking-2025-05-14"],
    ["low", [], undefined],
    ["off", [READ_TOOL], undefined],
  ] as const)("between calls needs a header only when both are there: %s %j", (thinking, tools, beta) => {
    expect(planned({ facts: BUDGET, thinking, tools }).headers["anthropic-beta"]).toBe(beta);
  });

  test("is left out in a loop of calls that another model began, and back after it", () => {
    const foreign = [user("go"), assistant("", [["c1", "read", "{}"]], { from: { provider: "openai", model: "g" } }), result("c1", "x")];
    expect(ask("low", { messages: foreign })).toEqual({});
    expect(ask("low", { messages: [...foreign, assistant("done"), user("next")] })).toHaveProperty("form.type", "enabled");
  });

  test("stays on in a loop that began with it", () => {
    const thinking = [{ text: "a", signature: sign(CLAUDE.model, "a") }];
    const messages = [
      user("go"),
      assistant("", [["c1", "read", "{}"]], { thinking }),
      result("c1", "x"),
      assistant("", [["c2", "read", "{}"]]),
      result("c2", "y"),
    ];
    expect(ask("low", { messages })).toHaveProperty("form.type", "enabled");
    expect(validate(bodyOf({ messages, facts: BUDGET, thinking: "low" }))).toEqual([]);
  });
});

describe("tools", () => {
  const tools = (...all: readonly (readonly [string, object])[]) =>
    bodyOf({
      tools: all.map(([name, parameters]) => ({ name, description: "", parameters: parameters as Readonly<Record<string, never>> })),
    })["tools"];

  test("whose name the vendor refuses, or has already, are left out", () => {
    expect(tools(["a b", {}], ["ok", {}], ["ok", {}], ["x".repeat(129), {}])).toEqual([
      { name: "ok", input_schema: { type: "object", properties: {} } },
    ]);
  });

  test.each([
    [{}, { type: "object", properties: {} }],
    [{ type: "string" }, { type: "object", properties: {} }],
    [
      { type: "object", properties: { x: true } },
      { type: "object", properties: { x: true } },
    ],
    [
      {
        anyOf: [
          { properties: { a: { type: "string" }, c: {} }, required: ["a", "c"] },
          { properties: { b: {} }, required: ["b", "c"] },
        ],
      },
      { type: "object", properties: { a: { type: "string" }, c: {}, b: {} }, required: ["c"] },
    ],
    [
      { allOf: [{ required: ["a"] }, { properties: { a: {} }, required: ["b"] }] },
      { type: "object", properties: { a: {} }, required: ["a", "b"] },
    ],
    [
      { type: "object", properties: { "with blank": {}, ok: {} }, required: ["with blank", "ok"] },
      { type: "object", properties: { ok: {} }, required: ["ok"] },
    ],
    [
      { type: "object", properties: { node: { $ref: "#/$defs/n" } }, $defs: { n: { type: "object" } } },
      { type: "object", properties: { node: { $ref: "#/$defs/n" } }, $defs: { n: { type: "object" } } },
    ],
  ])("take an object without alternatives at its top: %j", (schema, expected) => {
    expect(inputSchema(schema)).toEqual(expected);
  });

  test("that were called are named where none are offered, and may not be used", () => {
    const body = bodyOf({ messages: [user("go"), assistant("", [["c1", "read", "{}"]]), result("c1", "x"), user("sum up")] });
    expect(body).toMatchObject({
      tools: [{ name: "read", input_schema: { type: "object", properties: {} } }],
      tool_choice: { type: "none" },
    });
    expect(validate(body)).toEqual([]);
  });
});

describe("cache points", () => {
  const messages = [
    user("one"),
    assistant("", [["c1", "read", "{}"]]),
    result("c1", "x"),
    assistant("", [["c2", "read", "{}"]]),
    result("c2", "y"),
  ];
  const point = { type: "ephemeral" };

  test("are at the ends of the tools, of the system prompt, and of the last two messages of the user's side", () => {
    const body = bodyOf({ messages, facts: { cache: "points" }, tools: [{ ...READ_TOOL, name: "list" }, READ_TOOL] });
    expect(body["system"]).toEqual([{ type: "text", text: "be brief", cache_control: point }]);
    expect(body["tools"]).toMatchObject([{ name: "list" }, { name: "read", cache_control: point }]);
    expect(JSON.stringify(body["tools"]).split("cache_control")).toHaveLength(2);
    const marked = (body["messages"] as readonly { readonly content: readonly object[] }[]).map(({ content }) =>
      content.map((block) => "cache_control" in block),
    );
    expect(marked).toEqual([[false], [false], [true], [false], [true]]);
    expect(validate(body)).toEqual([]);
  });

  test.each(["automatic", "none", undefined] as const)("are only for a model that takes them: %s", (cache) => {
    const facts = cache === undefined ? {} : { cache };
    expect(JSON.stringify(bodyOf({ messages, facts, tools: [READ_TOOL] }))).not.toContain("cache_control");
  });

  test("leave what was sent before as it was, round after round", () => {
    const sent = (count: number): readonly string[] => {
      const body = bodyOf({ messages: messages.slice(0, count), facts: BUDGET, tools: [READ_TOOL] });
      return [body["tools"], body["system"], ...(body["messages"] as readonly object[])].map((part) =>
        JSON.stringify(part, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
      );
    };
    expect(sent(3)).toEqual(sent(5).slice(0, 5));
    expect(sent(1)).toEqual(sent(5).slice(0, 3));
  });
});
