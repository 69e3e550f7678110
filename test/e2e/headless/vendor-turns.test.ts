import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/index.js";
import { answer, type RecordedRequest } from "../../support/model-server.js";
import { type Api, APIS, type Item, itemsOf, refusalTo, systemOf } from "../../support/vendors/index.js";
import { eventsOfType, lastEvent, STACK, textOf } from "../support/smith.js";
import { createVendors, KEYS, lastAsked, MODELS, type Vendors } from "../support/vendors.js";

let here: Vendors;
beforeAll(async () => {
  here = await createVendors();
  here.file("a.txt", "alpha\n");
  here.file("b.txt", "beta\n");
});
afterAll(() => here.close());

const types = (items: readonly Item[]): readonly string[] => items.map(({ type }) => type);
const resultsIn = (request: RecordedRequest): readonly Extract<Item, { type: "result" }>[] =>
  itemsOf(request).filter((item) => item.type === "result");

/** The key of the list that holds a conversation. */
const LISTS: { readonly [A in Api]: string } = { chat: "messages", anthropic: "messages", responses: "input", google: "contents" };

/** What comes before the conversation, and its pieces, as bytes; where points of a cache stand is left out: they move on. */
function bytesOf(api: Api, { body }: RecordedRequest): { readonly before: string; readonly pieces: readonly string[] } {
  const { [LISTS[api]]: list, ...rest } = body;
  const bytes = (value: JsonValue): string => JSON.stringify(value, (key, part: JsonValue) => (key === "cache_control" ? undefined : part));
  return { before: bytes(rest), pieces: Array.isArray(list) ? list.map((piece: JsonValue) => bytes(piece)) : [] };
}

/** Every object below a value that has the key. */
function holders(value: JsonValue | undefined, key: string): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((part: JsonValue) => holders(part, key));
  if (!isJsonObject(value)) return [];
  return [...(key in value ? [value] : []), ...Object.values(value).flatMap((part) => holders(part, key))];
}

describe.each(APIS)("%s", (api) => {
  const say = (args: readonly string[], env: Readonly<Record<string, string>> = {}): ReturnType<Vendors["run"]> =>
    here.run(["eval", "--model", MODELS[api], ...args], { env });

  test("parallel calls run, results follow them, thinking goes back unaltered, and what was said before stays the same to the byte", async () => {
    const thinking = api !== "chat";
    here.script([
      {
        thinking: "Two files, both at once.",
        hidesThinking: true,
        text: "I read both.",
        calls: ["a.txt", "b.txt"].map((path) => ({ name: "read", args: { path } })),
      },
      { thinking: "That is all.", text: "alpha and beta" },
      { text: "still alpha and beta", usage: { input: 1000, cached: 900, output: 10 } },
    ]);
    const first = await here.run(["eval", "--model", `${MODELS[api]}:high`, "what do a and b say?"]);
    expect([first.status, first.stdout, first.stderr]).toEqual([0, "I read both.\nalpha and beta\n", ""]);
    const next = await here.run(["eval", "-c", "--json", "--model", `${MODELS[api]}:high`, "and now?"]);
    const [, second, third] = here.asked();
    if (second === undefined || third === undefined) throw new Error("three requests were expected");
    expect(resultsIn(third).map(({ text }) => text)).toEqual([expect.stringContaining("alpha"), expect.stringContaining("beta")]);
    const thoughts = itemsOf(third).filter((item) => item.type === "thinking" && item.text !== "");
    expect(thoughts.map((item) => ("text" in item ? item.text : ""))).toEqual(thinking ? ["Two files, both at once.", "That is all."] : []);
    const [before, after] = [bytesOf(api, second), bytesOf(api, third)];
    expect(after.before).toBe(before.before);
    expect(after.pieces.slice(0, before.pieces.length)).toEqual(before.pieces);
    expect(lastEvent(next.stdout)).toMatchObject({
      status: "ok",
      reply: "still alpha and beta",
      usage: { inputTokens: 1000, outputTokens: 10, cacheReadTokens: 900 },
    });
  });

  test("what a cache needs is in the request", async () => {
    here.script([{ text: "one" }, { text: "two" }]);
    await say(["first"]);
    await say(["-c", "second"]);
    const [one, two] = here.asked();
    if (api === "anthropic") {
      const points = holders(two?.body, "cache_control");
      expect(points.length).toBeGreaterThanOrEqual(2);
      expect(points.length).toBeLessThanOrEqual(4);
    } else if (api === "responses") {
      expect(textOf(one?.body["prompt_cache_key"])).not.toBe("");
      expect(two?.body["prompt_cache_key"]).toEqual(one?.body["prompt_cache_key"]);
    } else expect(holders(two?.body, "cache_control")).toEqual([]);
    expect(systemOf(two ?? { path: "", body: {} })).toBe(systemOf(one ?? { path: "", body: {} }));
  });

  test("arguments that are no object reach no tool; the model is told, and the history stays one the vendor takes", async () => {
    here.script([{ calls: [{ name: "read", args: api === "google" ? {} : '{"path": "a.tx' }] }, { text: "I was told" }]);
    const { status, stdout } = await say(["--json", "read it"]);
    expect(status).toBe(0);
    expect(eventsOfType(stdout, "tool_end")).toMatchObject([{ isError: true, mutation: "not-applied" }]);
    expect(resultsIn(lastAsked(here))).toHaveLength(1);
  });

  test("a whole answer instead of a stream is the same to everybody", async () => {
    here.script([
      { thinking: "I look.", text: "Looking.", calls: [{ name: "read", args: { path: "a.txt" } }] },
      { text: "alpha", usage: { input: 50, output: 7 } },
    ]);
    const { status, stdout, stderr } = await here.run(["eval", "--json", "--model", `${MODELS[api]}:high`, "read a"], {
      env: { SMITH_STREAM: "false" },
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(lastEvent(stdout)).toMatchObject({ status: "ok", usage: { inputTokens: 60, outputTokens: 12 } });
    expect(textOf(lastEvent(stdout)["reply"])).toContain("alpha");
    for (const { path, body } of here.asked()) {
      if (api === "google") expect(path).toMatch(/:generateContent$/u);
      else expect(body["stream"] ?? false).toBe(false);
    }
    expect(types(itemsOf(lastAsked(here)))).toEqual(["user", ...(api === "chat" ? [] : ["thinking"]), "assistant", "call", "result"]);
  });

  test("sampling, a response format and extra fields are sent in the vendor's words, extra last", async () => {
    here.script([{ text: '{"ok":true}' }]);
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"], additionalProperties: false };
    const { status } = await say(["answer in JSON"], {
      SMITH_TEMPERATURE: "0.25",
      SMITH_MAX_OUTPUT: "777",
      SMITH_STOP: "END",
      SMITH_RESPONSE_FORMAT: JSON.stringify({ type: "json_schema", json_schema: { name: "reply", strict: true, schema } }),
      SMITH_REQUEST_EXTRA: JSON.stringify(EXTRA[api]),
    });
    expect(status).toBe(0);
    const { body } = lastAsked(here);
    expect(body).toMatchObject(SAMPLED[api]);
    expect(JSON.stringify(body)).toContain('"ok":{"type":"boolean"}');
  });

  test.each(["off", "low", "high"] as const)(
    "thinking at level %s is asked for in the vendor's words, or the nearest the model has",
    async (level) => {
      here.script([{ text: "fine" }]);
      const { status, stderr } = await here.run(["eval", "--no-session", "--model", MODELS[api], "--thinking", level, "hello"]);
      expect(status).toBe(0);
      expect(lastAsked(here).body).toMatchObject(THINKING[api][level]);
      const isLess = level === "off" && (api === "responses" || api === "google");
      expect(stderr).toMatch(isLess ? /^note: .* at level low, not off/u : /^$/u);
    },
  );

  test.each([
    ["refusal", "I cannot help with that.", { status: "error", error: { code: "agent.refused" } }],
    ["filter", "Half of the", { status: "error", error: { code: "agent.refused" } }],
    ["limit", "Cut in the mid", { status: "limit", error: { code: "agent.output-limit" } }],
  ] as const)("an answer that ends by %s says so and keeps what was said and used", async (stop, text, end) => {
    here.script([{ text, stop }]);
    const { status, stdout, stderr } = await say(["--json", "hello"]);
    expect(status).toBe(1);
    expect(stderr).not.toMatch(STACK);
    expect(lastEvent(stdout)).toMatchObject({ ...end, reply: text, usage: { inputTokens: 10, outputTokens: 5 } });
  });

  test("a conversation that is too long for the model is told as that, once", async () => {
    here.script((request) => refusalTo(request, 400, OVERFLOWS[api]));
    const { status, stdout, stderr } = await say(["hello"]);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("error[provider.context-overflow]");
    expect(here.asked()).toHaveLength(1);
  });

  test("a key that is refused ends with status 3 and is told nowhere", async () => {
    here.script((request) => refusalTo(request, 401, `invalid key ${KEYS[api]}`));
    const { status, stdout, stderr } = await say(["--json", "hello"]);
    expect(status).toBe(3);
    expect(stdout + stderr).not.toContain(KEYS[api]);
    expect(lastEvent(stdout)).toMatchObject({ status: "error", error: { code: "provider.auth", exit: 3 } });
    expect(JSON.stringify(lastAsked(here).headers)).toContain(KEYS[api]);
  });

  test("a model that does not exist ends with status 2", async () => {
    here.script((request) => refusalTo(request, 404, "no such model"));
    expect((await say(["--no-session", "hello"])).status).toBe(2);
  });

  test("what is no answer at all is told as that", async () => {
    here.script(() => answer(200, "<!doctype html><title>Sign in</title>", { "content-type": "text/html" }));
    const { status, stderr } = await say(["--no-session", "hello"]);
    expect(status).toBe(1);
    expect(stderr).toContain("error[provider.protocol]");
  });
});

const EXTRA: { readonly [A in Api]: JsonObject } = {
  chat: { top_k: 40, temperature: 0.5 },
  anthropic: { top_k: 40, temperature: 0.5 },
  responses: { top_p: 0.5 },
  google: { generationConfig: { topK: 40, temperature: 0.5 } },
};
const SAMPLED: { readonly [A in Api]: JsonObject } = {
  chat: { top_k: 40, temperature: 0.5, stop: ["END"] },
  anthropic: { top_k: 40, temperature: 0.5, max_tokens: 777, stop_sequences: ["END"] },
  responses: { top_p: 0.5, max_output_tokens: 777 },
  google: { generationConfig: { topK: 40, temperature: 0.5, maxOutputTokens: 777, stopSequences: ["END"] } },
};
const THINKING: { readonly [A in Api]: { readonly [L in "off" | "low" | "high"]: JsonObject } } = {
  chat: { off: { reasoning_effort: "none" }, low: { reasoning_effort: "low" }, high: { reasoning_effort: "high" } },
  anthropic: {
    off: { thinking: { type: "disabled" } },
    low: { thinking: { type: "enabled", budget_tokens: 4096 } },
    high: { thinking: { type: "enabled", budget_tokens: 16000 } },
  },
  responses: { off: { reasoning: { effort: "low" } }, low: { reasoning: { effort: "low" } }, high: { reasoning: { effort: "high" } } },
  google: {
    off: { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    low: { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    high: { generationConfig: { thinkingConfig: { thinkingLevel: "high" } } },
  },
};
const OVERFLOWS: { readonly [A in Api]: string } = {
  chat: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  anthropic: "prompt is too long: 210000 tokens > 200000 maximum",
  responses: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  google: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
};
