import { describe, expect, test } from "vitest";
import { checkExtra, fitRequest } from "../../../src/provider/index.js";
import type { ImagePart, Message, ModelFacts, ProviderRequest, Sampling } from "../../../src/schema/index.js";
import { RESERVED_KEYS } from "../../../src/schema/index.js";
import type { CallId } from "../../../src/base/index.js";

const IMAGE: ImagePart = { mediaType: "image/png", base64: "AA==" };
const TOOL = { name: "read", description: "", parameters: {} };

const request = (facts: ModelFacts, more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  provider: "p",
  model: "m",
  endpoint: { baseUrl: "" },
  facts,
  system: "",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  stream: true,
  context: { cwd: "/" },
  ...more,
});

const fitted = (
  facts: ModelFacts,
  more: Partial<ProviderRequest>,
): { readonly request: ProviderRequest; readonly notes: readonly string[] } => {
  const found = fitRequest(request(facts, more));
  if (!found.ok) throw new Error(found.error.what);
  return { request: found.value.request, notes: found.value.notes.map(({ code }) => code) };
};

describe("images", () => {
  const call = "c" as CallId;
  const result = (images: readonly ImagePart[]): Message => ({
    role: "tool",
    call,
    providerId: "c",
    name: "read",
    text: "shot",
    isError: false,
    images,
  });
  const messages: readonly Message[] = [
    { role: "user", text: "look", images: [IMAGE, IMAGE] },
    { role: "assistant", text: "ok", toolCalls: [] },
    result([IMAGE]),
    { role: "user", text: "", images: [IMAGE] },
  ];

  test("go to a model that takes them as they are", () => {
    const asked = request({ images: true }, { messages });
    expect(fitRequest(asked)).toEqual({ ok: true, value: { request: asked, notes: [] } });
  });

  test("beyond the room of one request only the newest are shown, with words in the place of the others", () => {
    const many = Array.from({ length: 11 }, (): Message => ({ role: "user", text: "x", images: [IMAGE, IMAGE] }));
    const { request: made, notes } = fitted({ images: true }, { messages: many });
    expect(made.messages[0]).toEqual({ role: "user", text: "x\n[2 images left out: only the newest are sent]" });
    expect(made.messages.slice(1)).toEqual(many.slice(1));
    expect(notes).toEqual(["route.older-images-left-out"]);
    const large: ImagePart = { mediaType: "image/png", base64: "A".repeat(4 * 1024 * 1024) };
    const heavy = ["a", "b", "c"].map((text): Message => ({ role: "user", text, images: [large] }));
    const left = fitted({ images: true }, { messages: heavy }).request.messages;
    expect(left.map((message) => (message.role === "user" ? (message.images?.length ?? 0) : 0))).toEqual([0, 1, 1]);
    expect(left[2]).toBe(heavy[2]);
  });

  test.each<readonly [string, ModelFacts]>([
    ["does not take them", { images: false }],
    ["is not known to take them", {}],
  ])("become words in place for one that %s; other messages stay the same", (_name, facts) => {
    const { request: made, notes } = fitted(facts, { messages });
    expect(made.messages).toEqual([
      { role: "user", text: "look\n[2 images left out: this model does not take images]" },
      messages[1],
      {
        role: "tool",
        call,
        providerId: "c",
        name: "read",
        text: "shot\n[1 image left out: this model does not take images]",
        isError: false,
      },
      { role: "user", text: "[1 image left out: this model does not take images]" },
    ]);
    expect(made.messages[1]).toBe(messages[1]);
    expect(notes).toEqual(["route.images-left-out"]);
  });
});

describe("what the model cannot do without which the request is pointless fails before it is sent", () => {
  test.each<readonly [string, ModelFacts, Partial<ProviderRequest>, string]>([
    ["tools", { tools: false }, { tools: [TOOL] }, "route.no-tools"],
    [
      "a response format",
      { structuredOutput: false },
      { sampling: { responseFormat: { type: "json_object" } } },
      "route.no-response-format",
    ],
    ["a reserved field", {}, { sampling: { extra: { stream: false } } }, "route.reserved-key"],
  ])("%s", (_name, facts, more, code) => {
    expect(fitRequest(request(facts, more))).toMatchObject({ ok: false, error: { code, exit: 2 } });
  });

  test("the words for tools name the way out", () => {
    expect(fitRequest(request({ tools: false }, { tools: [TOOL] }))).toMatchObject({
      error: { next: "Leave them out with --no-tools, or choose another model with --model." },
    });
  });

  test("what is only unknown is tried", () => {
    expect(fitted({}, { tools: [TOOL], sampling: { responseFormat: {}, temperature: 1, maxTokens: 9 } }).notes).toEqual([]);
  });
});

describe("sampling", () => {
  test.each<readonly [string, ModelFacts, Sampling, Sampling, readonly string[]]>([
    [
      "is left out where it is refused",
      { sampling: false },
      { temperature: 0, topP: 0.5, stop: ["x"] },
      { stop: ["x"] },
      ["route.sampling-left-out"],
    ],
    ["stays where it is taken", { sampling: true }, { temperature: 0 }, { temperature: 0 }, []],
    [
      "asks for no longer answer than there can be",
      { outputTokens: 100 },
      { maxTokens: 101 },
      { maxTokens: 100 },
      ["route.answer-clipped"],
    ],
    ["may ask for the longest", { outputTokens: 100 }, { maxTokens: 100 }, { maxTokens: 100 }, []],
    [
      "both at once",
      { sampling: false, outputTokens: 5 },
      { topP: 1, maxTokens: 6 },
      { maxTokens: 5 },
      ["route.sampling-left-out", "route.answer-clipped"],
    ],
  ])("%s", (_name, ...[facts, sampling, expected, notes]) => {
    const found = fitted(facts, { sampling });
    expect([found.request.sampling, found.notes]).toEqual([expected, notes]);
  });
});

test("a level the dispatched model does not have is mapped to one it has", () => {
  expect(fitted({ thinking: ["low"] }, { thinking: "high" })).toMatchObject({
    request: { thinking: "low" },
    notes: ["route.thinking-degraded"],
  });
  expect(fitted({}, { thinking: "high" }).request).not.toHaveProperty("thinking");
});

test("nothing is copied where nothing changes, however long the conversation is", () => {
  const messages = Array.from({ length: 10_000 }, (_, n): Message => ({ role: "user", text: String(n) }));
  const asked = request({}, { messages, sampling: { temperature: 1 } });
  const found = fitRequest(asked);
  expect(found.ok && found.value.request).toBe(asked);
});

test.each(RESERVED_KEYS)("extra may not hold %s", (key) => {
  expect(checkExtra({ seed: 1, [key]: null })).toMatchObject({
    code: "route.reserved-key",
    exit: 2,
    what: expect.stringContaining(`"${key}"`) as unknown,
  });
});

test("extra may hold anything else", () => {
  expect([checkExtra(undefined), checkExtra({}), checkExtra({ seed: 1, provider: { order: ["a"] } })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
