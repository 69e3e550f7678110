import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProviderAdapter } from "../../src/provider/index.js";
import type { ProviderRequest } from "../../src/schema/index.js";
import type { Grants } from "../../src/effect/index.js";
import { type HostOptions, openStage, type Stage } from "./stage.js";

const NO_GRANTS: Grants = {
  fsRead: [],
  fsWrite: [],
  search: [],
  process: [],
  processEnv: [],
  net: [],
  evaluate: false,
  vcs: false,
  state: [],
  ui: [],
  secrets: [],
  mcp: [],
  agent: false,
};

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

/** Each event's data is `{"t": text}`; the state counts them. */
const TOY = `import { definePlugin } from "smith:sdk";
export default definePlugin({ providers: { toy: {
  plan: (request) => ({ type: "http", method: "POST", url: request.endpoint.baseUrl + "/chat", headers: { authorization: "Bearer {secret:KEY}" },
    body: JSON.stringify({ model: request.model, say: request.messages.length }), framing: "sse", merge: ["t", 0] }),
  fail: (head, body) => ({ class: head.status === 429 ? "rate-limit" : "invalid", message: body, status: head.status }),
  open: () => ({ count: 0 }),
  events: (batch, state) => ({ deltas: batch.map(({ data }) => ({ type: "text", text: JSON.parse(data).t })), state: { count: state.count + batch.length } }),
  close: (outcome, state) => [{ type: "usage", usage: { outputTokens: state.count } }, { type: "end", stop: outcome === "complete" ? "stop" : "limit" }],
  models: (endpoint) => ({ type: "http", method: "GET", url: endpoint.baseUrl + "/models", headers: {}, framing: "json" }),
  parseModels: (bodies) => bodies.flatMap((body) => JSON.parse(body)).map((model) => ({ ref: { provider: "toy", model }, contextTokens: 1000 })),
} } });`;

const request: ProviderRequest = {
  provider: "toy",
  model: "m",
  facts: {},
  stream: true,
  endpoint: { baseUrl: "http://127.0.0.1:1" },
  system: "s",
  messages: [{ role: "user", text: "hä 😀" }],
  tools: [],
  context: { cwd: "/work" },
};
const ok = { status: 200, headers: {} };
const event = (value: unknown) => ({ data: JSON.stringify(value) });

async function adapterOf(source: string): Promise<{ adapter: ProviderAdapter; codes: () => string[] }> {
  const { lease, diagnostics } = await stage.host({ modules: { p: source }, tools: { p: [] }, providers: { p: ["toy"] } });
  const adapter = lease.provider("toy");
  if (adapter === undefined) throw new Error("no adapter");
  return { adapter, codes: () => diagnostics.map(({ code }) => code) };
}
const ANYWHERE: Grants["net"] = [{ origin: "*", methods: ["GET", "POST"], private: true }];
const withNet = (net: Grants["net"]): HostOptions => ({
  modules: { p: TOY },
  tools: { p: [] },
  providers: { p: ["toy"] },
  manifests: { p: { grants: { ...NO_GRANTS, net } } },
});
const toyWith = (member: string) => `export default { providers: { toy: { ${member} } } };`;

describe("requests", () => {
  test("a plan comes back whole, its body as text of its own", async () => {
    const { adapter } = await adapterOf(TOY);
    expect(await adapter.plan(request)).toEqual({
      type: "http",
      method: "POST",
      url: "http://127.0.0.1:1/chat",
      headers: { authorization: "Bearer {secret:KEY}" },
      body: `{"model":"m","say":1}`,
      framing: "sse",
      merge: ["t", 0],
    });
  });

  test.each([
    ["nothing", []],
    ["another server", [{ origin: "https://api.example.com", methods: ["GET", "POST"], private: true }]],
    ["reading only", [{ origin: "http://127.0.0.1:1", methods: [], private: true }]],
  ])("a plan that leads outside of the plugin's grants is refused before anything is sent: it has %s", async (_has, net) => {
    const { lease } = await stage.host(withNet(net));
    const plan = await lease.provider("toy")?.plan(request);
    expect(plan).toMatchObject({ type: "local", deltas: [{ type: "error", error: { class: "plugin" } }] });
    expect(JSON.stringify(plan)).toContain("may not send POST to http://127.0.0.1:1");
  });

  test("headers that a person configured are not for the plugin: one may be the key", async () => {
    const told = `({ endpoint }) => ({ type: "http", method: "GET", url: "http://127.0.0.1:1/" + Object.keys(endpoint), headers: {}, framing: "json" })`;
    const { adapter } = await adapterOf(toyWith(`plan: ${told}, models: (endpoint) => (${told})({ endpoint })`));
    const endpoint = { baseUrl: "http://127.0.0.1:1", profile: "x", headers: { authorization: "Bearer sk-live-AAA111" } };
    const url = "http://127.0.0.1:1/baseUrl,profile";
    expect(await adapter.plan({ ...request, endpoint })).toMatchObject({ url });
    expect((await adapter.models?.(endpoint))?.plans).toMatchObject([{ url }]);
  });

  test("what the user's policy takes away is taken from providers too, also where models are listed", async () => {
    const made = await stage.host({ ...withNet(ANYWHERE), more: { denied: () => ["net"] } });
    expect(await made.lease.provider("toy")?.plan(request)).toMatchObject({ type: "local" });
    expect((await made.lease.provider("toy")?.models?.({ baseUrl: "http://127.0.0.1:1" }))?.plans).toMatchObject([{ type: "local" }]);
  });

  test("a conversation of several megabytes fits", async () => {
    const { adapter } = await adapterOf(
      toyWith(`plan: (r) => ({ type: "http", method: "POST", url: "u", headers: {}, framing: "sse", body: JSON.stringify(r.messages) })`),
    );
    const messages = Array.from({ length: 40 }, () => ({ role: "user" as const, text: "ä".repeat(100_000) }));
    const plan = await adapter.plan({ ...request, messages });
    expect(plan.type === "http" && plan.body === JSON.stringify(messages)).toBe(true);
  });

  test.each([
    ["throws", `plan() { throw new Error("no model " + 7); }`, /failed in plan\. Error: no model 7\nat plan \(p\/index\.js/u],
    ["returns a promise", `async plan() { return {}; }`, /provider functions are synchronous/u],
    [
      "answers with the wrong shape",
      `plan: () => ({ type: "http", method: "PUT", url: "u", headers: {}, framing: "sse" })`,
      /plan\.method must be one of GET, POST, got "PUT"/u,
    ],
    [
      "answers with a header that is no text",
      `plan: () => ({ type: "http", method: "GET", url: "u", headers: { a: 1 }, framing: "sse" })`,
      /plan\.headers\.a must be a string/u,
    ],
    ["is missing", ``, /not a function/u],
  ])("a plan that %s is a local answer that says so", async (_name, member, words) => {
    const { adapter } = await adapterOf(toyWith(member));
    const plan = await adapter.plan(request);
    expect(plan).toMatchObject({
      type: "local",
      deltas: [{ type: "error", error: { class: "plugin", message: expect.stringMatching(words) as string } }],
    });
  });

  test("errors of the server are worded by the plugin; one without words leaves them to the status", async () => {
    const own = await adapterOf(TOY);
    expect(await own.adapter.fail({ status: 429, headers: {} }, "slow")).toEqual({ class: "rate-limit", message: "slow", status: 429 });
    const none = await adapterOf(toyWith(""));
    expect(await none.adapter.fail({ status: 401, headers: {} }, "")).toBeUndefined();
  });

  test("model lists are planned and read; a plugin without any lists nothing", async () => {
    const own = await adapterOf(TOY);
    const listing = await own.adapter.models?.({ baseUrl: "http://h" });
    expect(listing?.plans).toEqual([{ type: "http", method: "GET", url: "http://h/models", headers: {}, framing: "json" }]);
    expect(await listing?.parse([`["a"]`])).toEqual([{ ref: { provider: "toy", model: "a" }, contextTokens: 1000 }]);
    await expect(listing?.parse(["no json"])).rejects.toThrow(/failed in parseModels/u);
    const none = await (await adapterOf(toyWith(""))).adapter.models?.({ baseUrl: "http://h" });
    expect([none?.plans, await none?.parse([""])]).toEqual([[{ type: "local", deltas: [] }], []]);
  });

  test("several listings are planned at once, four at most", async () => {
    const plan = `{ type: "http", method: "GET", url: endpoint.baseUrl + "/props", headers: {}, framing: "json" }`;
    const two = await (await adapterOf(toyWith(`models: (endpoint) => [${plan}, ${plan}],`))).adapter.models?.({ baseUrl: "http://h" });
    expect(two?.plans.map((one) => (one.type === "http" ? one.url : one.type))).toEqual(["http://h/props", "http://h/props"]);
    const five = await (
      await adapterOf(toyWith(`models: (endpoint) => Array(5).fill(${plan}),`))
    ).adapter.models?.({ baseUrl: "http://h" });
    expect(five?.plans).toMatchObject([{ type: "local", deltas: [{ type: "error", error: { class: "plugin" } }] }]);
  });
});

describe("decoders", () => {
  test("batches are decoded in order with the attempt's state", async () => {
    const { adapter } = await adapterOf(TOY);
    const decoder = adapter.open(ok);
    const pushed = [decoder.push([event({ t: "a" }), event({ t: "b" })]), decoder.push([event({ t: "ü\u0000\ud800" })])];
    const closed = decoder.close("complete");
    expect(await Promise.all(pushed)).toEqual([
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      [{ type: "text", text: "ü\u0000\ud800" }],
    ]);
    expect(await closed).toEqual([
      { type: "usage", usage: { outputTokens: 3 } },
      { type: "end", stop: "stop" },
    ]);
    decoder.release();
    decoder.release();
  });

  test("attempts beside each other keep apart", async () => {
    const { adapter } = await adapterOf(TOY);
    const [left, right] = [adapter.open(ok), adapter.open(ok)];
    await Promise.all([left.push([event({ t: "l" })]), right.push([event({ t: "r" }), event({ t: "r" })])]);
    expect((await Promise.all([left.close("complete"), right.close("truncated")])).map(([usage]) => usage)).toEqual([
      { type: "usage", usage: { outputTokens: 1 } },
      { type: "usage", usage: { outputTokens: 2 } },
    ]);
  });

  test("a batch over a megabyte is decoded in parts, in order", async () => {
    const { adapter } = await adapterOf(TOY);
    const batch = Array.from({ length: 30 }, (_, index) => event({ t: `${index}${"x".repeat(100_000)}` }));
    const deltas = await adapter.open(ok).push(batch);
    expect(deltas.map((delta) => (delta.type === "text" ? Number.parseInt(delta.text, 10) : -1))).toEqual(batch.map((_, index) => index));
  });

  test.each([
    ["throws", `events() { throw new TypeError("odd"); }`, /failed in events\. TypeError: odd/u],
    [
      "yields what is no delta",
      `events: () => ({ deltas: [{ type: "text", text: 1 }], state: 0 })`,
      /events\[0\]\.text must be a string, got 1/u,
    ],
    [
      "yields an unknown field",
      `events: () => ({ deltas: [{ type: "text", text: "", html: "" }], state: 0 })`,
      /events\[0\]\.html must be absent/u,
    ],
    ["yields an unknown type", `events: () => ({ deltas: [{ type: "image" }], state: 0 })`, /events\[0\]\.type must be one of/u],
    ["loops", `events() { for (;;); }`, /ran for .* without yielding in events/u],
    ["could not open", `open() { throw new Error("no"); }, events: () => ({ deltas: [], state: 0 })`, /failed in open\. Error: no/u],
  ])("a decoder that %s ends with that error, said again for what follows", async (_name, member, words) => {
    const { adapter } = await adapterOf(toyWith(member));
    const decoder = adapter.open(ok);
    const failure = [{ type: "error", error: { class: "plugin", message: expect.stringMatching(words) as string } }];
    expect(await decoder.push([event({ t: "a" })])).toEqual(failure);
    expect(await decoder.push([event({ t: "b" })])).toEqual(failure);
    expect(await decoder.close("complete")).toEqual(failure);
  });

  test("a decoder whose guest died with another attempt says so instead of decoding without state", async () => {
    const { adapter, codes } = await adapterOf(
      TOY.replace("events: (batch, state) => (", "events: (batch, state) => { if (batch[0].data === 'loop') for (;;); return (").replace(
        "batch.length } }),",
        "batch.length } }); },",
      ),
    );
    const [victim, culprit] = [adapter.open(ok), adapter.open(ok)];
    expect(await victim.push([event({ t: "a" })])).toHaveLength(1);
    await culprit.push([{ data: "loop" }]);
    expect(await victim.push([event({ t: "b" })])).toMatchObject([
      { type: "error", error: { message: expect.stringContaining("decoder of this attempt is gone") as string } },
    ]);
    expect(await adapter.open(ok).push([event({ t: "new" })])).toEqual([{ type: "text", text: "new" }]);
    expect(codes()).toEqual(["plugin.destroyed"]);
  });

  test("at least 5,000 deltas a second are decoded", async () => {
    const { adapter } = await adapterOf(TOY);
    const decoder = adapter.open(ok);
    const batch = Array.from({ length: 50 }, (_, index) => event({ id: "chatcmpl-1", object: "chunk", index, t: " token" }));
    for (let round = 0; round < 20; round += 1) await decoder.push(batch);
    const started = performance.now();
    let count = 0;
    for (let round = 0; round < 100; round += 1) count += (await decoder.push(batch)).length;
    const perSecond = count / ((performance.now() - started) / 1_000);
    expect(perSecond).toBeGreaterThan(5_000);
  });
});
