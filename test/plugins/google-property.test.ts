import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plan } from "../../plugins/provider-google/request/plan.js";
import { FOREIGN_SIGNATURE } from "../../plugins/provider-google/request/replay.js";
import { apiSchema } from "../../plugins/provider-google/request/schema.js";
import type { JsonObject, JsonValue, Message, ModelFacts, ProviderRequest, ThinkingPart } from "../../src/plugin/sdk.js";
import { schemaComplaints, validate } from "../support/strict-google.js";

type Assistant = Extract<Message, { role: "assistant" }>;
type Call = Assistant["toolCalls"][number];

const MODEL = "gemini-3.8-flash";
const SIGNATURES = ["c2lnbmF0dXJlLW9uZQ==", "c2lnbmF0dXJlLXR3bw==", "c2lnLzM+"];

const words = fc.oneof(fc.constant(""), fc.string({ maxLength: 12 }), fc.constant("naïve 🙂 text"));
const signature = fc.option(fc.constantFrom(...SIGNATURES), { nil: undefined });
const name = fc.oneof(fc.constantFrom("read", "shell", "mcp__a__b"), fc.string({ minLength: 1, maxLength: 80 }));
const id = fc.oneof(fc.constantFrom("call_1", "toolu_01AbC", "call|x/y=", ""), fc.string({ maxLength: 90 }));
const image = fc.record({ mediaType: fc.constantFrom("image/png", "image/webp"), base64: fc.constant("AAAA") });
const images = fc.option(fc.array(image, { maxLength: 2 }), { nil: undefined });
const defined = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;

const thinking: fc.Arbitrary<ThinkingPart> = fc
  .record({
    text: words,
    signature,
    kind: fc.constantFrom("thought", "text", "reasoning", undefined),
    id: fc.constantFrom("0", "2", "900", "not a number", undefined),
    after: fc.option(fc.record({ text: fc.nat(14), calls: fc.nat(4) }), { nil: undefined }),
  })
  .map((part) => defined(part) as ThinkingPart);

const callOf = fc.record({ providerId: id, name, argsText: fc.constantFrom("{}", '{"path":"a"}', '{"path":', "null", "[1]"), signature });

interface Round {
  readonly user: string;
  readonly images: Extract<Message, { role: "user" }>["images"];
  readonly text: string;
  readonly thinking: readonly ThinkingPart[];
  readonly calls: readonly Omit<Call, "call">[];
  readonly from: Assistant["from"];
  /** Which calls have a result, in which order, and what happens to the turn beside. */
  readonly answered: readonly number[];
  readonly isError: boolean;
  readonly skipUser: boolean;
}

const round: fc.Arbitrary<Round> = fc.record({
  user: words,
  images: images,
  text: words,
  thinking: fc.array(thinking, { maxLength: 3 }),
  calls: fc.array(callOf, { maxLength: 3 }) as fc.Arbitrary<Round["calls"]>,
  from: fc.constantFrom(
    { provider: "google", model: MODEL },
    { provider: "google", model: `models/${MODEL}` },
    { provider: "google", model: "gemini-2.5-pro" },
    { provider: "anthropic", model: "claude" },
    undefined,
  ),
  answered: fc.array(fc.nat(3), { maxLength: 4 }),
  isError: fc.boolean(),
  skipUser: fc.boolean(),
});

function messagesOf(rounds: readonly Round[]): readonly Message[] {
  return rounds.flatMap((one, at) => {
    const calls = one.calls.map((call, place) => defined({ ...call, call: `${String(at)}-${String(place)}` }) as unknown as Call);
    const results = one.answered.map((place): Message => {
      const call = calls[place];
      return defined({
        role: "tool",
        call: call?.call ?? "stray",
        providerId: call?.providerId ?? "stray",
        name: call?.name ?? "stray tool",
        text: one.text,
        isError: one.isError,
        images: one.images,
      }) as unknown as Message;
    });
    const user = defined({ role: "user", text: one.user, images: one.images }) as Message;
    const assistant = defined({ role: "assistant", text: one.text, thinking: one.thinking, toolCalls: calls, from: one.from }) as Message;
    return [...(one.skipUser ? [] : [user]), assistant, ...results];
  });
}

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>(
    { type: "string", format: "uri", pattern: "^a", minLength: 1, default: "x", examples: ["a"] },
    { type: ["string", "null"], enum: ["a", "", null] },
    { const: "fixed" },
    { type: "integer", exclusiveMinimum: 0, enum: [1, 2], multipleOf: 2 },
    { type: "number", minimum: 0, const: 1.5 },
    { enum: [true, false] },
    {},
    { $ref: "#/$defs/node" },
    { $ref: "#/definitions/missing" },
    { $ref: "#" },
    { type: "object", properties: {}, additionalProperties: { type: "string" } },
    { type: "object", propertyNames: { pattern: "a" }, additionalProperties: false },
    { type: "array" },
    { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], uniqueItems: true },
    { type: ["integer", "string"], description: "either" },
    { anyOf: [{ type: "null" }, { type: "string" }], title: "T" },
    { oneOf: [{ type: "object", properties: { a: { const: 1 } }, required: ["a", "gone"] }, { type: "null" }] },
    { allOf: [{ $ref: "#/$defs/node" }, { required: ["more"], properties: { more: true } }] },
    { if: { type: "string" }, then: {}, else: {}, not: { type: "null" }, readOnly: true },
  ),
);
const schema: fc.Arbitrary<JsonObject> = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b", "$ref", "__proto__"), tie("node"), { maxKeys: 3 }),
      required: fc.constantFrom<readonly string[]>(["a"], ["a", "z"], []),
    }) as fc.Arbitrary<JsonObject>,
    fc.record({ type: fc.constant("array"), items: tie("node"), minItems: fc.nat(3) }) as fc.Arbitrary<JsonObject>,
    fc.record({
      anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
      $schema: fc.constant("draft-07"),
    }) as fc.Arbitrary<JsonObject>,
  ),
})).node;
const document = schema.map((one): JsonObject => ({
  ...one,
  $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: { type: "string" } }, required: ["next"] } },
}));

const facts = fc.constantFrom<ModelFacts>(
  {},
  { images: true, hints: { thinking: "level", signatures: "demanded", schema: "json", "result-images": true, "format-with-tools": true } },
  { images: true, hints: { thinking: "budget", signatures: "demanded" } },
);

const request = fc
  .record({
    rounds: fc.array(round, { maxLength: 5 }),
    facts,
    tools: fc.uniqueArray(fc.record({ name, description: words, parameters: document }), { maxLength: 3, selector: (tool) => tool.name }),
    stop: fc.array(fc.constant("x"), { maxLength: 8 }),
    format: fc.option(document, { nil: undefined }),
    thinking: fc.constantFrom("off", "minimal", "max", undefined),
    last: fc.constantFrom("go on", ""),
  })
  .map(({ rounds, facts: known, tools, stop, format, thinking: level, last }): ProviderRequest => {
    return defined({
      provider: "google",
      model: MODEL,
      endpoint: { baseUrl: "" },
      facts: known,
      system: "",
      messages: [...messagesOf(rounds), { role: "user", text: last }],
      tools,
      sampling: defined({
        stop,
        responseFormat: format === undefined ? undefined : { type: "json_schema", json_schema: { schema: format } },
      }),
      thinking: level,
      stream: true,
      context: { cwd: "/work" },
    }) as ProviderRequest;
  });

const bodyOf = (asked: ProviderRequest): string => {
  const planned = plan(asked);
  return planned.type === "http" ? (planned.body ?? "") : "";
};

describe("whatever a session holds", () => {
  test("the request is one a strict server takes", () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(validate(bodyOf(asked), { demandsSignatures: true, signatures: new Set([...SIGNATURES, FOREIGN_SIGNATURE]) })).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  test("a signature goes back to the model that made it, on the call it came with, and nowhere else", () => {
    fc.assert(
      fc.property(request, (asked) => {
        const own = asked.messages.filter(
          (message): message is Assistant =>
            message.role === "assistant" && message.from?.provider === "google" && message.from.model.endsWith(MODEL),
        );
        const body = JSON.parse(bodyOf(asked)) as { contents: readonly { parts: readonly JsonObject[] }[] };
        const sent = body.contents
          .flatMap(({ parts }) => parts)
          .filter((part) => part["thoughtSignature"] !== undefined && part["thoughtSignature"] !== FOREIGN_SIGNATURE);
        const onCalls = sent.filter((part) => part["functionCall"] !== undefined).map((part) => part["thoughtSignature"]);
        expect(onCalls).toEqual(own.flatMap(({ toolCalls }) => toolCalls.flatMap((call) => call.signature ?? [])));
        const said = own.filter(({ text, toolCalls }) => text !== "" || toolCalls.length > 0);
        const onOthers = sent.filter((part) => part["functionCall"] === undefined).map((part) => part["thoughtSignature"]);
        expect(onOthers).toEqual(said.flatMap((message) => (message.thinking ?? []).flatMap((part) => part.signature ?? [])));
      }),
      { numRuns: 1000 },
    );
  });

  test("all of a text is said, in order", () => {
    fc.assert(
      fc.property(request, (asked) => {
        const body = JSON.parse(bodyOf(asked)) as { contents: readonly { role: string; parts: readonly JsonObject[] }[] };
        const texts = body.contents
          .filter(({ role }) => role === "model")
          .flatMap(({ parts }) =>
            parts.flatMap((part) => (part["thought"] !== true && typeof part["text"] === "string" ? [part["text"]] : [])),
          );
        expect(texts.join("")).toBe(asked.messages.flatMap((message) => (message.role === "assistant" ? message.text : [])).join(""));
      }),
      { numRuns: 1000 },
    );
  });

  test.each(["reduced", "json"] as const)("a schema in the form %j has nothing that is refused", (form) => {
    fc.assert(
      fc.property(document, (one) => {
        expect(schemaComplaints(apiSchema(one, form) as JsonValue, form, "schema")).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
