import { afterEach, describe, expect, test } from "vitest";
import { ok } from "../../src/base/index.js";
import type { BodyEnd, HttpBody, HttpEngine, ProviderAdapter, ProviderEvent } from "../../src/provider/index.js";
import { respond } from "../../src/provider/respond.js";
import { createDirectAdapter } from "../support/direct-adapter.js";
import { createManualClock, type ManualClock } from "../support/manual-clock.js";
import { answer, hang, type ModelServer, type Reply, sse, startModelServer } from "../support/model-server.js";
import { ask, askedWith, collect, requestTo, respondDeps, targetAt, testEngine, toyAdapter, toyEvents, toyProvider } from "./support.js";

const containing = (text: string): unknown => expect.stringContaining(text);
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function serve(script: readonly Reply[] | ((n: number) => Reply)): Promise<ModelServer> {
  const server = await startModelServer({ script: typeof script === "function" ? (_request, n) => script(n) : script });
  open.push(server);
  return server;
}

function engineWith(options: Parameters<typeof testEngine>[0] = {}): HttpEngine {
  const engine = testEngine(options);
  open.push(engine);
  return engine;
}

interface Flow {
  readonly events: ProviderEvent[];
  readonly clock: ManualClock;
  readonly abort: AbortController;
  readonly done: Promise<readonly ProviderEvent[]>;
}

/** Starts a response whose waits a manual clock holds; the exchange itself runs on the machine's clock. */
function start(url: string, adapter: ProviderAdapter = toyAdapter()): Flow {
  const clock = createManualClock();
  const abort = new AbortController();
  const events: ProviderEvent[] = [];
  const watched = async function* (): AsyncGenerator<ProviderEvent> {
    for await (const event of respond(respondDeps(engineWith(), clock), askedWith(adapter, requestTo(url), abort.signal))) {
      events.push(event);
      yield event;
    }
  };
  return { events, clock, abort, done: collect(watched()) };
}

/** A time of a server whose clock is years behind the test's. */
const dateAt = (minute: number, second: number): string => new Date(Date.UTC(2020, 0, 1, 0, minute, second)).toUTCString();
const RETRY_AFTER_3S = answer(429, "slow down", { "retry-after": "3" });
const empty = { thinking: [], toolCalls: [] };

describe("a response", () => {
  test("text as it comes, then one terminal event with the whole", async () => {
    const server = await serve([sse([toyEvents("one", "two", "call c1 read {}", "end", "late")])]);
    expect(await ask(engineWith(), toyAdapter(), requestTo(server.url))).toEqual([
      { type: "text", text: "onetwo" },
      {
        type: "done",
        result: {
          text: "onetwo",
          thinking: [],
          toolCalls: [{ call: "00000000-0000-7000-8000-000000000001", providerId: "c1", name: "read", argsText: "{}", args: {} }],
          stop: "tool-use",
        },
      },
    ]);
  });

  test("the first bytes go out at once, while the stream goes on", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const server = await serve([sse([toyEvents("first"), gate, toyEvents("second", "end")])]);
    const stream = respond(respondDeps(engineWith(), createManualClock()), askedWith(toyAdapter(), requestTo(server.url)));
    expect((await stream.next()).value).toEqual({ type: "text", text: "first" });
    go();
    expect((await stream.next()).value).toEqual({ type: "text", text: "second" });
  });

  test("from the head to the first delta there is no turn of the event loop, when the bytes are there", async () => {
    let turns = 0;
    let turning = true;
    const count = (): void => {
      turns += 1;
      if (turning) setImmediate(count);
    };
    const end: BodyEnd = { outcome: "complete" };
    const body: HttpBody = {
      read: async () => new TextEncoder().encode(toyEvents("first")),
      end,
      cancel: () => undefined,
      release: () => undefined,
    };
    const engine: HttpEngine = {
      exchange: async () => {
        setImmediate(count);
        return ok({ head: { status: 200, headers: {} }, body, redact: (text) => text });
      },
      close: () => undefined,
    };
    const stream = respond(respondDeps(engine, createManualClock()), askedWith(toyAdapter(), requestTo("http://h.test")));
    expect((await stream.next()).value).toEqual({ type: "text", text: "first" });
    turning = false;
    expect(turns).toBe(0);
    await stream.return();
  });

  test("provider-4 d: the terminal marker ends it although the connection stays open", async () => {
    const server = await serve([sse([toyEvents("a", "end")], "hang")]);
    expect((await ask(engineWith(), toyAdapter(), requestTo(server.url))).at(-1)).toEqual({
      type: "done",
      result: { text: "a", ...empty, stop: "stop" },
    });
  });

  describe("a whole answer whose connection stays open", () => {
    const closing = createDirectAdapter("toy", { ...toyProvider, close: () => [{ type: "end", stop: "stop" }] });
    const done = (text: string): unknown => ({ type: "done", result: { text, ...empty, stop: "stop" } });

    test("is waited with for a moment of silence, not for the end of the body", async () => {
      const server = await serve([sse([toyEvents("a", "whole")], "hang")]);
      const flow = start(server.url, closing);
      await flow.clock.sleeping();
      await flow.clock.advance(2_000);
      expect((await flow.done).at(-1)).toEqual(done("a"));
    });

    test("goes on with whatever comes in that moment, which is then waited for as before", async () => {
      let go = (): void => undefined;
      const gate = new Promise<void>((resolve) => (go = resolve));
      let goOn = (): void => undefined;
      const second = new Promise<void>((resolve) => (goOn = resolve));
      const server = await serve([sse([toyEvents("a", "whole"), gate, toyEvents("b"), second, toyEvents("c", "end")])]);
      const flow = start(server.url, closing);
      await flow.clock.sleeping();
      await flow.clock.advance(1_999);
      go();
      while (flow.events.length < 2) await new Promise(setImmediate);
      expect(flow.clock.pending).toEqual([]);
      await flow.clock.advance(100_000);
      goOn();
      expect((await flow.done).at(-1)).toEqual(done("abc"));
    });

    test("leaves no wait behind when the body ends by itself", async () => {
      const server = await serve([sse([toyEvents("a", "whole")])]);
      const flow = start(server.url, closing);
      expect((await flow.done).at(-1)).toEqual(done("a"));
      expect(flow.clock.pending).toEqual([]);
    });
  });

  test("an answer without a network goes the same way", async () => {
    const adapter = createDirectAdapter("local", {
      ...toyProvider,
      plan: () => ({
        type: "local",
        deltas: [
          { type: "text", text: "here" },
          { type: "end", stop: "stop" },
        ],
      }),
    });
    expect(await ask(engineWith(), adapter, requestTo(""))).toEqual([
      { type: "text", text: "here" },
      { type: "done", result: { text: "here", ...empty, stop: "stop" } },
    ]);
  });

  test("a server that answers with one JSON object instead of a stream is decoded too", async () => {
    const json = createDirectAdapter("j", {
      ...toyProvider,
      events: (batch, state) => ({
        deltas: [
          { type: "text", text: batch.map(({ data }) => data).join("|") },
          { type: "end", stop: "stop" },
        ],
        state,
      }),
    });
    const server = await serve([answer(200, { a: 1 }), sse(['{"b":', "2}"])]);
    expect((await ask(engineWith(), json, requestTo(server.url)))[0]).toEqual({ type: "text", text: '{"a":1}' });
    expect((await ask(engineWith(), json, requestTo(server.url)))[0]).toEqual({ type: "text", text: '{"b":2}' });
  });

  test("leaving it early closes the connection", async () => {
    const server = await serve([sse([toyEvents("a")], "hang")]);
    const stream = respond(respondDeps(engineWith(), createManualClock()), askedWith(toyAdapter(), requestTo(server.url)));
    for await (const event of stream) {
      expect(event).toEqual({ type: "text", text: "a" });
      break;
    }
    await server.requests[0]?.closed;
  });
});

describe("retry", () => {
  test("three attempts in all, waits that grow, the last error is told", async () => {
    const server = await serve(() => answer(500, "down"));
    const { done, clock, events } = start(server.url);
    await clock.sleeping();
    const error = { class: "overloaded", message: "down", status: 500, url: `${server.url}/toy` };
    expect(events).toEqual([{ type: "retry", attempt: 2, max: 3, reason: "down", delayMs: 625, error }]);
    await clock.advance(625);
    await clock.sleeping();
    expect(events.at(-1)).toEqual({ type: "retry", attempt: 3, max: 3, reason: "down", delayMs: 1125, error });
    await clock.advance(1125);
    expect((await done).at(-1)).toEqual({
      type: "failed",
      error,
      partial: { text: "", ...empty, stop: "failed" },
    });
    expect(server.requests).toHaveLength(3);
  });

  test("an attempt is sent only when the event after its announcement is asked for", async () => {
    const server = await serve([answer(503, "busy"), sse([toyEvents("end")])]);
    const clock = createManualClock();
    const stream = respond(respondDeps(engineWith(), clock), askedWith(toyAdapter(), requestTo(server.url)));
    expect((await stream.next()).value).toMatchObject({ type: "retry" });
    const announced = stream.next();
    await clock.sleeping();
    await clock.advance(625);
    expect((await announced).value).toEqual({ type: "attempt", number: 2, to: targetAt(server.url) });
    expect(server.requests).toHaveLength(1);
    expect((await stream.next()).value).toMatchObject({ type: "done" });
    expect(server.requests).toHaveLength(2);
  });

  test("a second attempt that succeeds is the answer", async () => {
    const server = await serve([answer(503, "busy"), sse([toyEvents("ok", "end")])]);
    const { done, clock } = start(server.url);
    await clock.sleeping();
    await clock.advance(625);
    expect((await done).map((event) => event.type)).toEqual(["retry", "attempt", "text", "done"]);
  });

  test.each([
    ["seconds", RETRY_AFTER_3S, 3000],
    ["part of a second", answer(429, "x", { "retry-after": "2.5" }), 2500],
    ["milliseconds", answer(429, "x", { "retry-after-ms": "1500", "retry-after": "9" }), 1500],
    ["an HTTP date, counted from the answer's own", answer(503, "x", { date: dateAt(3, 0), "retry-after": dateAt(3, 4) }), 4000],
    ["an HTTP date that is over", answer(503, "x", { date: dateAt(3, 4), "retry-after": dateAt(3, 0) }), 625],
    ["nonsense", answer(503, "x", { "retry-after": "soon" }), 625],
    ["no header", answer(529, "x"), 625],
    ["less than the backoff", answer(429, "x", { "retry-after": "0" }), 625],
  ])("provider-6: Retry-After is a minimum: %s", async (_name, reply, delayMs) => {
    const server = await serve([reply, sse([toyEvents("end")])]);
    const { done, clock, events } = start(server.url);
    await clock.sleeping();
    expect(events[0]).toMatchObject({ type: "retry", delayMs });
    await clock.advance(delayMs - 1);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await done;
    expect(server.requests).toHaveLength(2);
  });

  test("provider-6: a wait of a day ends it and says until when", async () => {
    const server = await serve([answer(429, "quota", { "retry-after": "86400" })]);
    const events = await start(server.url).done;
    expect(events).toMatchObject([
      {
        type: "failed",
        error: {
          class: "rate-limit",
          retryAfterMs: 86_400_000,
          message: "quota The server asks to wait 24 hours (until 2026-01-02T00:00:00Z).",
        },
      },
    ]);
  });

  test("provider-6: a quota that is used up is told at once, with the words of the server", async () => {
    const server = await serve([answer(402, "insufficient credit")]);
    expect(await start(server.url).done).toMatchObject([{ type: "failed", error: { class: "quota", message: "insufficient credit" } }]);
    expect(server.requests).toHaveLength(1);
  });

  test("provider-6: an abort ends the wait at once", async () => {
    const server = await serve([RETRY_AFTER_3S]);
    const { done, clock, abort } = start(server.url);
    await clock.sleeping();
    abort.abort();
    expect((await done).map((event) => event.type)).toEqual(["retry", "aborted"]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([400, 401, 404, 422])("status %i is told at once", async (status) => {
    const server = await serve([answer(status, "no")]);
    expect(await start(server.url).done).toMatchObject([{ type: "failed", error: { status, message: "no" } }]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["text", toyEvents("half")],
    ["a tool call", toyEvents("call c1 shell {}")],
  ])("provider-4 a, b: nothing is asked again once there was %s, and no call survives", async (_name, body) => {
    const server = await serve([sse([body])]);
    const [last] = (await start(server.url).done).slice(-1);
    expect(last).toMatchObject({
      type: "failed",
      error: { class: "transport", message: "The stream ended before the answer was complete." },
      partial: { toolCalls: [], stop: "failed" },
    });
    expect(server.requests).toHaveLength(1);
  });

  test("an error inside the stream before any content is retried by its class", async () => {
    const server = await serve([sse([toyEvents("fail overloaded")]), sse([toyEvents("end")])]);
    const { done, clock } = start(server.url);
    await clock.sleeping();
    await clock.advance(625);
    expect((await done).map((event) => event.type)).toEqual(["retry", "attempt", "done"]);
  });

  test("provider-4 f: an empty body with status 200 is retried, then told", async () => {
    const server = await serve(() => sse([]));
    const { done, clock } = start(server.url);
    for (const delay of [625, 1125]) {
      await clock.sleeping();
      await clock.advance(delay);
    }
    expect((await done).at(-1)).toMatchObject({ type: "failed", error: { class: "transport" } });
    expect(server.requests).toHaveLength(3);
  });

  test("a refused connection is tried three times", async () => {
    const server = await startModelServer({ script: [] });
    await server.close();
    const { done, clock } = start(server.url);
    for (const delay of [625, 1125]) {
      await clock.sleeping();
      await clock.advance(delay);
    }
    const events = await done;
    expect(events.map((event) => event.type)).toEqual(["retry", "attempt", "retry", "attempt", "failed"]);
    expect(events.at(-1)).toMatchObject({ error: { class: "transport", url: `${server.url}/toy` } });
  });
});

describe("answers that are none", () => {
  const page = "<!doctype html><html><head><title>Sign in</title></head></html>";
  test.each<readonly [string, Reply, object]>([
    [
      "an HTML page with status 200",
      { headers: { "content-type": "text/html" }, pieces: [page] },
      {
        class: "protocol",
        message: 'HTTP 200: an HTML page "Sign in" came back, not an answer. Check the base URL, and any proxy on the way.',
      },
    ],
    ["an HTML page said to be a stream", sse([page]), { class: "protocol" }],
    ["other text", sse(["hello there"]), { class: "protocol", message: "The answer is no event stream; it begins with: hello there" }],
    [
      "a redirect",
      answer(308, "", { location: "https://x.test/v1" }),
      { class: "invalid", status: 308, message: containing("https://x.test/v1") },
    ],
    [
      "a redirect to a login, whose ticket is nobody's business",
      answer(302, "", { location: "/login?token=geheim-1&next=%2F" }),
      { class: "invalid", message: containing("/login?token=redacted&next=%2F") },
    ],
    [
      "a page with a status that refuses, which no plugin is asked about",
      answer(404, page, { "content-type": "text/html" }),
      { class: "not-found", status: 404, message: containing('an HTML page "Sign in"') },
    ],
    ["a compressed body", { headers: { "content-encoding": "br" }, pieces: ["x"] }, { class: "protocol", message: containing("(br)") }],
    ["a body over the bound", sse([toyEvents("end".repeat(400_000))]), { class: "protocol" }],
  ])("%s", async (_name, reply, error) => {
    const server = await serve([reply]);
    const events = await ask(engineWith({ bounds: { bodyBytes: 1_000_000 } }), toyAdapter(), requestTo(server.url));
    expect(events.at(-1)).toMatchObject({ type: "failed", error });
    expect(server.requests).toHaveLength(1);
  });

  test("control characters and secrets of an error text are taken out", async () => {
    const server = await serve([answer(400, "bad \u001b[31mkey sk-live-9")]);
    const engine = engineWith({ secrets: { KEY: "sk-live-9" } });
    const [event] = await ask(engine, toyAdapter(), requestTo(server.url, { endpoint: { baseUrl: server.url, credential: "KEY" } }));
    expect(event).toMatchObject({ error: { message: "bad  [31mkey [redacted]" } });
  });
});

describe("abort", () => {
  test.each<readonly [string, Reply, string]>([
    ["before the head", hang(), ""],
    ["in the stream", sse([toyEvents("half")], "hang"), "half"],
  ])("%s: one aborted event with what there is", async (_name, reply, text) => {
    const server = await serve([reply]);
    const { done, abort, events } = start(server.url);
    await server.request(0);
    while (text !== "" && events.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect((await done).at(-1)).toEqual({ type: "aborted", partial: { text, ...empty, stop: "aborted" } });
    await server.requests[0]?.closed;
  });

  test("does not wait for a plugin that never answers", async () => {
    const stuck: ProviderAdapter = { ...toyAdapter(), plan: () => new Promise(() => undefined) };
    const { done, abort } = start("http://127.0.0.1:1", stuck);
    abort.abort();
    expect((await done).map((event) => event.type)).toEqual(["aborted"]);
  });

  test("before the start nothing is asked", async () => {
    const server = await serve([]);
    const flow = start(server.url);
    flow.abort.abort();
    expect((await flow.done).map((event) => event.type)).toEqual(["aborted"]);
    expect(server.requests).toEqual([]);
  });
});

describe("plugin faults are an error of the response, never a throw", () => {
  const fault = (): never => {
    throw new Error("boom");
  };
  test.each<readonly [string, Partial<typeof toyProvider>]>([
    ["planning", { plan: fault }],
    ["opening", { open: fault }],
    ["decoding", { events: fault }],
    ["closing", { close: fault }],
  ])("%s", async (_name, broken) => {
    const server = await serve([sse([toyEvents("a")])]);
    const events = await ask(engineWith(), createDirectAdapter("x", { ...toyProvider, ...broken }), requestTo(server.url));
    expect(events.at(-1)).toMatchObject({ type: "failed", error: { class: "plugin", message: containing("boom") } });
  });

  test("an error that it cannot class is classed by its status", async () => {
    const server = await serve([answer(404, "x")]);
    const events = await ask(engineWith(), createDirectAdapter("x", { ...toyProvider, fail: fault }), requestTo(server.url));
    expect(events).toMatchObject([{ type: "failed", error: { class: "not-found", message: "HTTP 404: x" } }]);
  });

  test.each([
    [408, "transport"],
    [500, "transport"],
    [503, "overloaded"],
    [402, "quota"],
    [403, "auth"],
    [429, "rate-limit"],
    [418, "invalid"],
  ])("without words of the plugin, status %i is of class %s, and what the server said is kept", async (status, named) => {
    const server = await serve([answer(status, "said")]);
    const { fail: _, ...wordless } = toyProvider;
    const events = await ask(engineWith(), createDirectAdapter("x", wordless), requestTo(server.url), { policy: { attempts: 1 } });
    expect(events.at(-1)).toMatchObject({ type: "failed", error: { class: named, status, message: `HTTP ${String(status)}: said` } });
  });

  test("a plan for another origin is refused: the key stays here", async () => {
    const server = await serve([]);
    const stray = createDirectAdapter("x", { ...toyProvider, plan: () => toyProvider.plan(requestTo(server.url)) });
    const refused = await ask(engineWith(), stray, requestTo("http://127.0.0.1:9/v1"));
    expect(refused).toMatchObject([
      { type: "failed", error: { class: "plugin", message: containing("this connection is for http://127.0.0.1:9") } },
    ]);
    expect(server.all).toEqual([]);
  });
});

test("an answer over the bound is not asked for again, whatever its decoder calls the cut", async () => {
  const server = await serve(() => sse([": nothing said\n\n".repeat(1000)]));
  const cut = { type: "error", error: { class: "transport", message: "cut" } } as const;
  const adapter = createDirectAdapter("toy", { ...toyProvider, close: () => [cut] });
  const events = await ask(engineWith({ bounds: { bodyBytes: 1000 } }), adapter, requestTo(server.url));
  expect(events).toMatchObject([{ type: "failed", error: { class: "protocol", message: containing("larger than 1000 bytes") } }]);
  expect(server.requests).toHaveLength(1);
});
