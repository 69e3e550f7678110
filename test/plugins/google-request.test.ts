import { describe, expect, test } from "vitest";
import { models, parseModels } from "../../plugins/provider-google/models.js";
import { plan } from "../../plugins/provider-google/request/plan.js";
import { apiSchema, parametersSchema } from "../../plugins/provider-google/request/schema.js";
import { endpointUrl, modelPath } from "../../plugins/provider-google/url.js";
import type { JsonObject, Message, ModelFacts, ProviderRequest, ThinkingLevel } from "../../src/plugin/sdk.js";
import { validate } from "../support/strict-google.js";

const request = (over: Partial<ProviderRequest> = {}): ProviderRequest => ({
  provider: "google",
  model: "gemini-3.8-flash",
  endpoint: { baseUrl: "https://h/v1beta" },
  facts: {},
  system: "be brief",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  stream: true,
  context: { cwd: "/work" },
  ...over,
});

function bodyOf(over: Partial<ProviderRequest>): JsonObject {
  const planned = plan(request(over));
  return planned.type === "http" ? (JSON.parse(planned.body ?? "") as JsonObject) : {};
}

/** A call as the core stores it; ids are branded there, which a plugin cannot see. */
const call = (id: string, name: string, args?: JsonObject, rest: object = {}) =>
  ({
    call: id,
    providerId: id,
    name,
    argsText: JSON.stringify(args ?? {}),
    ...(args === undefined ? {} : { args }),
    ...rest,
  }) as unknown as Extract<Message, { role: "assistant" }>["toolCalls"][number];
const result = (id: string, text: string, rest: object = {}): Message =>
  ({ role: "tool", call: id, providerId: id, name: "read", text, isError: false, ...rest }) as unknown as Message;
const png = { mediaType: "image/png", base64: "AAAA" } as const;

const LATER: ModelFacts = {
  images: true,
  hints: { thinking: "level", signatures: "demanded", schema: "json", "result-images": true, "format-with-tools": true },
};
const EARLIER: ModelFacts = { images: true, hints: { thinking: "budget", "budget-min": 128, "budget-max": 32768, signatures: "optional" } };

describe("the address", () => {
  const path = "models/m:streamGenerateContent";
  test.each([
    ["https://h/v1beta", "https://h/v1beta/"],
    ["https://h/v1beta/", "https://h/v1beta/"],
    ["https://h/v1beta//", "https://h/v1beta/"],
    ["https://h", "https://h/v1beta/"],
    ["https://h/", "https://h/v1beta/"],
    ["  https://h/v1  ", "https://h/v1/"],
    ["https://h/v1alpha", "https://h/v1alpha/"],
    ["https://gateway/gemini", "https://gateway/gemini/v1beta/"],
    ["https://gateway/v1/projects/p/publishers/google", "https://gateway/v1/projects/p/publishers/google/"],
    ["https://h/v1beta/models", "https://h/v1beta/"],
    ["https://h/v1beta/models/x:streamGenerateContent", "https://h/v1beta/"],
    ["127.0.0.1:9", "http://127.0.0.1:9/v1beta/"],
    ["[::1]:9/v1beta", "http://[::1]:9/v1beta/"],
    ["api.example.com", "https://api.example.com/v1beta/"],
    ["", "https://generativelanguage.googleapis.com/v1beta/"],
  ])("of %j", (baseUrl, start) => {
    expect(endpointUrl({ baseUrl }, path, "alt=sse")).toBe(`${start}${path}?alt=sse`);
  });

  test("keeps a query, its own or parted from it, but for what it has to say itself", () => {
    expect(endpointUrl({ baseUrl: "https://h?a=1&alt=json", query: "?b=2" }, path, "alt=sse")).toBe(
      `https://h/v1beta/${path}?alt=sse&a=1&b=2`,
    );
    expect(endpointUrl({ baseUrl: "https://h", query: "b=2" }, path, "")).toBe(`https://h/v1beta/${path}?b=2`);
  });

  test.each([
    ["gemini-3.8-flash", "models/gemini-3.8-flash"],
    ["models/gemini-3.8-flash", "models/gemini-3.8-flash"],
    [" /models/gemini-3.8-flash", "models/gemini-3.8-flash"],
    ["tunedModels/mine-1", "tunedModels/mine-1"],
    ["google/gemini ?", "models/google/gemini%20%3F"],
  ])("names the model %j", (model, expected) => {
    expect(modelPath(model)).toBe(expected);
  });
});

describe("the exchange", () => {
  test("is streamed, with the key in a header", () => {
    expect(plan(request({ endpoint: { baseUrl: "https://h/v1beta", credential: "GEMINI_API_KEY" } }))).toEqual({
      type: "http",
      method: "POST",
      url: "https://h/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
      headers: { "content-type": "application/json", accept: "text/event-stream", "x-goog-api-key": "{secret:GEMINI_API_KEY}" },
      body: JSON.stringify({ systemInstruction: { parts: [{ text: "be brief" }] }, contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
      framing: "sse",
    });
  });

  test("is one whole answer when no stream is wanted", () => {
    expect(plan(request({ stream: false }))).toMatchObject({
      url: "https://h/v1beta/models/gemini-3.8-flash:generateContent",
      headers: { accept: "application/json" },
      framing: "json",
    });
    expect(plan(request())).not.toHaveProperty(["headers", "x-goog-api-key"]);
  });
});

describe("the conversation", () => {
  test("has results directly after their calls, in their order, told as objects", () => {
    const messages: readonly Message[] = [
      { role: "user", text: "look" },
      { role: "assistant", text: "", toolCalls: [call("a", "read", { path: "a" }), call("b", "read", { path: "b" })] },
      result("b", "no such file", { isError: true }),
      result("a", "text of a"),
      { role: "user", text: "and now?" },
      { role: "user", text: "" },
    ];
    expect(bodyOf({ messages, model: "gemini-2.5-pro" })["contents"]).toEqual([
      { role: "user", parts: [{ text: "look" }] },
      {
        role: "model",
        parts: [
          { functionCall: { id: "a", name: "read", args: { path: "a" } } },
          { functionCall: { id: "b", name: "read", args: { path: "b" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "read", response: { output: "text of a" } } },
          { functionResponse: { id: "b", name: "read", response: { error: "no such file" } } },
          { text: "and now?" },
        ],
      },
    ]);
  });

  test("says of a call without a result that it was not run, and tells a result without a call as text", () => {
    const messages: readonly Message[] = [
      { role: "assistant", text: "", toolCalls: [call("a", "read")] },
      { role: "user", text: "stop" },
      result("z", "late"),
    ];
    expect(bodyOf({ messages, model: "m" })["contents"]).toEqual([
      { role: "user", parts: [{ text: "[The beginning of the conversation is left out.]" }] },
      { role: "model", parts: [{ functionCall: { id: "a", name: "read", args: {} } }] },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "read", response: { error: "There is no result: the call was not run." } } },
          { text: "stop" },
          { text: "Result of read:\nlate" },
        ],
      },
    ]);
  });

  test("shows images to models that see, within a result where that is taken, and says so to others", () => {
    const messages: readonly Message[] = [
      { role: "user", text: "look", images: [png] },
      { role: "assistant", text: "", toolCalls: [call("a", "read")] },
      result("a", "seen", { images: [png] }),
    ];
    const inline = { inlineData: { mimeType: "image/png", data: "AAAA" } };
    const partsOf = (facts: ModelFacts) =>
      (bodyOf({ messages, facts })["contents"] as unknown as readonly { parts: readonly JsonObject[] }[]).map(({ parts }) => parts);
    expect(partsOf(LATER)[0]).toEqual([{ text: "look" }, inline]);
    expect(partsOf(LATER)[2]).toEqual([{ functionResponse: { id: "a", name: "read", response: { output: "seen" }, parts: [inline] } }]);
    expect(partsOf(EARLIER)[2]?.slice(1)).toEqual([{ text: "From the result of read:" }, inline]);
    expect(partsOf({})[0]?.[1]).toEqual({ text: "[an image left out: this model takes text only]" });
  });

  test("has names and ids the API takes, the same in call and result", () => {
    const messages: readonly Message[] = [
      { role: "user", text: "go" },
      { role: "assistant", text: "", toolCalls: [call("fc|1/x=", "9 lives!")] },
      result("fc|1/x=", "ok", { name: "9 lives!" }),
    ];
    const tools = [{ name: "9 lives!", description: "", parameters: { type: "object" } }];
    const body = bodyOf({ messages, tools, model: "m" });
    const [, model, user] = body["contents"] as unknown as readonly { parts: readonly { [key: string]: { id: string; name: string } }[] }[];
    const { id, name } = model?.parts[0]?.["functionCall"] ?? { id: "", name: "" };
    expect(user?.parts[0]?.["functionResponse"]).toMatchObject({ id, name });
    expect(id).toMatch(/^fc_1_x__[0-9a-f]{8}$/u);
    expect(name).toMatch(/^_9_lives__[0-9a-f]{8}$/u);
    expect(body["tools"]).toMatchObject([{ functionDeclarations: [{ name, description: "9 lives!" }] }]);
  });

  test("is signed only where a model demands it", () => {
    const messages: readonly Message[] = [
      { role: "user", text: "go" },
      { role: "assistant", text: "", toolCalls: [call("a", "read"), call("b", "read")], from: { provider: "openai", model: "gpt" } },
      result("a", "1"),
      result("b", "2"),
    ];
    const signatures = (model: string, facts: ModelFacts = {}) =>
      (bodyOf({ messages, model, facts })["contents"] as unknown as readonly { parts: readonly JsonObject[] }[])[1]?.parts.map(
        (part) => part["thoughtSignature"],
      );
    const bypass = ["skip_thought_signature_validator", undefined];
    expect(signatures("gemini-3.8-flash")).toEqual(bypass);
    expect(signatures("gemini-flash-latest")).toEqual(bypass);
    expect(signatures("models/gemini-10-pro")).toEqual(bypass);
    expect(signatures("gemini-2.5-pro")).toEqual([undefined, undefined]);
    expect(signatures("gemma-4-31b-it")).toEqual([undefined, undefined]);
    expect(signatures("mine", LATER)).toEqual(bypass);
    expect(signatures("gemini-3.8-flash", EARLIER)).toEqual([undefined, undefined]);
  });
});

describe("how an answer is drawn", () => {
  const config = (over: Partial<ProviderRequest>) => bodyOf(over)["generationConfig"];

  test("nothing is said when nothing is wished", () => {
    expect(config({ sampling: { stop: [] } })).toBeUndefined();
    expect(bodyOf({ system: "" })).not.toHaveProperty("systemInstruction");
  });

  test("limits, stops, and temperatures unless a model is known to take none", () => {
    const sampling = { temperature: 0, topP: 0.9, maxTokens: 100, stop: ["END"] };
    expect(config({ sampling })).toEqual({ temperature: 0, topP: 0.9, maxOutputTokens: 100, stopSequences: ["END"] });
    expect(config({ sampling, facts: { sampling: false } })).toEqual({ maxOutputTokens: 100, stopSequences: ["END"] });
  });

  test("thinking by levels or by budgets, as the model has it", () => {
    const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "max"];
    const asked = (facts: ModelFacts, model: string) =>
      levels.map((thinking) => {
        const { thinkingConfig } = config({ facts, model, thinking }) as { thinkingConfig: JsonObject };
        return thinkingConfig["thinkingLevel"] ?? thinkingConfig["thinkingBudget"];
      });
    expect(asked(LATER, "m")).toEqual(["minimal", "minimal", "low", "medium", "high", "high"]);
    expect(asked({}, "gemini-4-argon")).toEqual(["minimal", "minimal", "low", "medium", "high", "high"]);
    expect(asked(EARLIER, "m")).toEqual([0, 128, 1024, 8192, 24576, 32768]);
    expect(asked({}, "gemini-2.5-flash")).toEqual([0, 512, 1024, 8192, 24576, 24576]);
    expect(config({ facts: LATER, thinking: "low" })).toEqual({ thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } });
    expect(config({ facts: EARLIER, thinking: "off" })).toEqual({ thinkingConfig: { thinkingBudget: 0 } });
  });

  const schema = { $schema: "x", type: "object", properties: { n: { type: ["integer", "null"] } }, additionalProperties: false };
  const responseFormat = { type: "json_schema", json_schema: { name: "answer", schema } };

  test("JSON, with or without a schema, in the form the model takes", () => {
    expect(config({ sampling: { responseFormat: { type: "json_object" } } })).toEqual({ responseMimeType: "application/json" });
    expect(config({ sampling: { responseFormat: { type: "text" } } })).toBeUndefined();
    expect(config({ sampling: { responseFormat } })).toEqual({
      responseMimeType: "application/json",
      responseSchema: { type: "object", properties: { n: { type: "integer", nullable: true } } },
    });
    expect(config({ facts: LATER, sampling: { responseFormat } })).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object", properties: { n: { type: ["integer", "null"] } }, additionalProperties: false },
    });
  });

  test("beside functions the format is asked for in words, where both together are refused", () => {
    const tools = [{ name: "read", description: "Reads", parameters: { type: "object" } }];
    expect(config({ tools, facts: LATER, sampling: { responseFormat } })).toHaveProperty("responseJsonSchema");
    const body = bodyOf({ tools, facts: EARLIER, sampling: { responseFormat } });
    expect(body).not.toHaveProperty("generationConfig");
    expect(JSON.stringify(body["systemInstruction"])).toMatch(/be brief.*The final answer is JSON and nothing else, by this JSON Schema/u);
  });

  test("further fields are merged last, those of the answer beside what is already said of it", () => {
    const extra = { safetySettings: [], generationConfig: { seed: 1 } };
    expect(bodyOf({ sampling: { temperature: 1, extra } })).toMatchObject(extra);
    expect(config({ sampling: { temperature: 1, extra } })).toEqual({ temperature: 1, seed: 1 });
  });
});

describe("a schema", () => {
  const root: JsonObject = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      kind: { const: "file" },
      mode: { type: "string", enum: ["a", "", "b"], default: "a", format: "uri", pattern: "^." },
      level: { enum: [1, 2], description: "How much." },
      maybe: { anyOf: [{ type: "string" }, { type: "null" }], description: "Perhaps." },
      either: { type: ["string", "integer"] },
      options: { type: "object", properties: {} },
      node: { $ref: "#/definitions/node" },
      rest: { type: "array" },
    },
    required: ["kind", "gone"],
    additionalProperties: false,
    definitions: { node: { type: "object", properties: { next: { $ref: "#/definitions/node" } }, title: "Node" } },
  };

  test("is reduced to what the older form knows", () => {
    expect(apiSchema(root, "reduced")).toEqual({
      type: "object",
      properties: {
        kind: { type: "string", enum: ["file"] },
        mode: { type: "string", enum: ["a", "b"], pattern: "^." },
        level: { type: "integer", description: "How much. One of: 1, 2." },
        maybe: { type: "string", nullable: true, description: "Perhaps." },
        either: { anyOf: [{ type: "string" }, { type: "integer" }] },
        options: { type: "object" },
        node: { type: "object", title: "Node", properties: { next: { type: "object" } } },
        rest: { type: "array", items: { type: "string" } },
      },
      required: ["kind"],
    });
  });

  test("keeps more where JSON Schema is taken", () => {
    expect(apiSchema(root, "json")).toMatchObject({
      properties: { level: { type: "integer", enum: [1, 2] }, maybe: { type: ["string", "null"] }, rest: { type: "array", items: {} } },
      additionalProperties: false,
    });
  });

  test("of a function without parameters is left out where an empty one is refused", () => {
    expect(parametersSchema({ type: "object", properties: {} }, "reduced")).toBeUndefined();
    expect(parametersSchema({ type: "object", properties: {} }, "json")).toEqual({ type: "object" });
  });
});

describe("the models", () => {
  test("are asked for on one page", () => {
    expect(models({ baseUrl: "https://h", credential: "K" })).toEqual({
      type: "http",
      method: "GET",
      url: "https://h/v1beta/models?pageSize=1000",
      headers: { accept: "application/json", "x-goog-api-key": "{secret:K}" },
      framing: "json",
    });
  });

  test("are those that generate content, with what the server knows of them", () => {
    const listed = [
      {
        name: "models/gemini-3.8-flash",
        displayName: "Gemini 3.8 Flash",
        inputTokenLimit: 1048576,
        outputTokenLimit: 65536,
        thinking: true,
        supportedGenerationMethods: ["generateContent", "countTokens"],
      },
      { name: "models/gemini-embedding-2", supportedGenerationMethods: ["embedContent"] },
      { name: "models/plain", thinking: false },
      { displayName: "no name" },
      null,
    ];
    expect(parseModels([JSON.stringify({ models: listed })])).toEqual([
      { ref: { provider: "google", model: "gemini-3.8-flash" }, title: "Gemini 3.8 Flash", contextTokens: 1048576, outputTokens: 65536 },
      { ref: { provider: "google", model: "plain" }, thinking: [] },
    ]);
  });

  test.each(["", "no list", "[]", "null", '{"models":{}}'])("none are found in %j", (body) => {
    expect(parseModels([body])).toEqual([]);
    expect(parseModels([])).toEqual([]);
  });
});

describe("the strict server of these tests", () => {
  const complaints = (over: JsonObject): readonly string[] =>
    validate(JSON.stringify({ contents: [{ role: "user", parts: [{ text: "a" }] }], ...over }), {
      demandsSignatures: true,
      signatures: new Set(["s"]),
    });
  const modelTurn = (...parts: readonly JsonObject[]): JsonObject => ({
    contents: [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts },
      { role: "user", parts: [{ text: "b" }] },
    ],
  });
  const declared = (parameters: JsonObject): JsonObject => ({
    tools: [{ functionDeclarations: [{ name: "f", description: "d", parameters }] }],
  });

  test("takes what is right", () => {
    expect(complaints(modelTurn({ text: "", thoughtSignature: "s" }))).toEqual([]);
  });

  test.each<readonly [string, JsonObject, RegExp]>([
    ["a model's turn first", { contents: [{ role: "model", parts: [{ text: "a" }] }] }, /alternate/u],
    ["an empty text", modelTurn({ text: "" }), /empty text/u],
    ["a call without a response", modelTurn({ functionCall: { name: "f", args: {} }, thoughtSignature: "s" }), /1 function calls have 0/u],
    ["a call without a signature", modelTurn({ functionCall: { name: "f", args: {} } }), /missing a thought_signature/u],
    ["an altered signature", modelTurn({ text: "a", thoughtSignature: "t" }), /not valid/u],
    ["a foreign keyword", declared({ type: "object", properties: { a: { type: "string", const: "x" } } }), /unknown keywords const/u],
    ["an enumeration of numbers", declared({ type: "object", properties: { a: { type: "integer", enum: [1] } } }), /STRING type/u],
    ["an empty object", declared({ type: "object", properties: {} }), /non-empty/u],
    ["a bad name", { tools: [{ functionDeclarations: [{ name: "a b", description: "d" }] }] }, /bad function name/u],
  ])("refuses %s", (_name, over, words) => {
    expect(complaints(over).join("\n")).toMatch(words);
  });
});
