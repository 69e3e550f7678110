import { afterEach, describe, expect, test } from "vitest";
import { err, ok } from "../../src/base/index.js";
import { createCooldowns } from "../../src/provider/cooldown.js";
import type { CredentialPort, Dispatch, ProviderEvent } from "../../src/provider/index.js";
import { respond, type RespondDeps } from "../../src/provider/respond.js";
import { diagnostic } from "../../src/schema/index.js";
import { createManualClock, type ManualClock } from "../support/manual-clock.js";
import { answer, type ModelServer, type Reply, sse, startModelServer } from "../support/model-server.js";
import { askedOf, collect, respondDeps, targetAt, testEngine, toyAdapter, toyEvents } from "./support.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const NOW = Date.UTC(2026, 0, 1);
const OK = sse([toyEvents("fine", "end")]);

async function serve(...script: readonly Reply[]): Promise<ModelServer> {
  const server = await startModelServer({ script: (_request, n) => script[n] ?? answer(500, "script used up") });
  open.push(server);
  return server;
}

const targetOf = (name: string, server: ModelServer, more: Partial<Dispatch> = {}): Dispatch =>
  targetAt(server.url, { ref: { provider: "toy", model: name }, bucket: name, ...more });

interface Flow {
  readonly clock: ManualClock;
  readonly abort: AbortController;
  readonly events: ProviderEvent[];
  readonly done: Promise<readonly ProviderEvent[]>;
}

function start(targets: readonly [Dispatch, ...Dispatch[]], more: Partial<RespondDeps> = {}): Flow {
  const clock = createManualClock(NOW);
  const abort = new AbortController();
  const events: ProviderEvent[] = [];
  const { credentials } = more;
  const engine = testEngine(credentials === undefined ? {} : { secret: (name) => credentials.value(name) });
  open.push(engine);
  const watched = async function* (): AsyncGenerator<ProviderEvent> {
    for await (const event of respond(respondDeps(engine, clock, more), askedOf(targets, { signal: abort.signal }))) {
      events.push(event);
      yield event;
    }
  };
  return { clock, abort, events, done: collect(watched()) };
}

const types = (events: readonly ProviderEvent[]): readonly string[] => events.map(({ type }) => type);

describe("failover", () => {
  test("tells servers with one model apart by the connections a person named", async () => {
    const [a, b] = [await serve(answer(429, "slow down", { "retry-after": "90" })), await serve(OK)];
    const [event, attempt] = await start([
      targetOf("m", a, { connection: "home", bucket: "a" }),
      targetOf("m", b, { connection: "lab", bucket: "b" }),
    ]).done;
    expect(event).toMatchObject({
      type: "failover",
      from: { provider: "toy", model: "m", connection: "home" },
      to: { provider: "toy", model: "m", connection: "lab" },
    });
    expect(attempt).toMatchObject({ to: { routing: { because: expect.stringMatching(/^home\/m could not answer/u) as string } } });
  });

  test("a rate limit goes to the next target at once, which is told why; its account cools until Retry-After", async () => {
    const [a, b] = [await serve(answer(429, "slow down", { "retry-after": "90" })), await serve(OK)];
    const cooldowns = createCooldowns();
    const events = await start([targetOf("a", a), targetOf("b", b)], { cooldowns }).done;
    const until = NOW + 90_000;
    expect(events.slice(0, 2)).toEqual([
      {
        type: "failover",
        from: { provider: "toy", model: "a" },
        to: { provider: "toy", model: "b" },
        reason: "slow down",
        until,
        error: { class: "rate-limit", status: 429, message: "slow down", retryAfterMs: 90_000, url: `${a.url}/toy` },
      },
      {
        type: "attempt",
        number: 2,
        to: targetOf("b", b, {
          routing: { connection: "toy", because: "toy/a could not answer (rate-limit, HTTP 429) until 2026-01-01T00:01:30Z" },
        }),
      },
    ]);
    expect(types(events)).toEqual(["failover", "attempt", "text", "done"]);
    expect([cooldowns.until("a", NOW), cooldowns.until("b", NOW)]).toEqual([until, undefined]);
  });

  test("a rate limit that says nothing cools for a minute; a success ends what cooled", async () => {
    const [a, b] = [await serve(answer(429, "x"), OK), await serve(OK)];
    const cooldowns = createCooldowns();
    await start([targetOf("a", a), targetOf("b", b)], { cooldowns }).done;
    expect(cooldowns.until("a", NOW)).toBe(NOW + 60_000);
    await start([targetOf("a", a)], { cooldowns }).done;
    expect(cooldowns.until("a", NOW)).toBeUndefined();
  });

  test("what is transient is retried first; numbers of attempts go on over targets", async () => {
    const [a, b] = [await serve(), await serve(OK)];
    const { done, clock } = start([targetOf("a", a), targetOf("b", b)]);
    for (const delay of [625, 1125]) {
      await clock.sleeping();
      await clock.advance(delay);
    }
    const events = await done;
    expect(types(events)).toEqual(["retry", "attempt", "retry", "attempt", "failover", "attempt", "text", "done"]);
    expect(events.flatMap((event) => (event.type === "attempt" ? [[event.number, event.to.ref.model]] : []))).toEqual([
      [2, "a"],
      [3, "a"],
      [4, "b"],
    ]);
    expect([a.requests.length, b.requests.length]).toEqual([3, 1]);
  });

  test.each([
    [402, "quota"],
    [401, "auth"],
    [404, "not-found"],
  ])("status %i is not retried before it: %s", async (status, named) => {
    const [a, b] = [await serve(answer(status, "no")), await serve(OK)];
    const events = await start([targetOf("a", a), targetOf("b", b)]).done;
    expect(events[0]).toMatchObject({ type: "failover", error: { class: named } });
    expect([a.requests.length, b.requests.length]).toEqual([1, 1]);
  });

  test.each([400, 422])("status %i never goes elsewhere", async (status) => {
    const [a, b] = [await serve(answer(status, "no")), await serve(OK)];
    expect(types(await start([targetOf("a", a), targetOf("b", b)]).done)).toEqual(["failed"]);
    expect(b.requests).toEqual([]);
  });

  test.each([
    ["text", toyEvents("half")],
    ["thinking", toyEvents("think hm")],
    ["a tool call", toyEvents("call c1 shell {}")],
  ])("after %s nothing goes elsewhere", async (_name, body) => {
    const [a, b] = [await serve(sse([body], "destroy")), await serve(OK)];
    expect(types(await start([targetOf("a", a), targetOf("b", b)]).done).at(-1)).toBe("failed");
    expect([a.requests.length, b.requests.length]).toEqual([1, 0]);
  });

  test("an error inside a 200 stream counts like the status", async () => {
    const [a, b] = [await serve(sse([toyEvents("fail rate-limit")])), await serve(OK)];
    expect(types(await start([targetOf("a", a), targetOf("b", b)]).done)).toEqual(["failover", "attempt", "text", "done"]);
  });

  test("a wait of a day fails over; when nothing is left it says until when, and who else is left alone", async () => {
    const day = answer(429, "limit.", { "retry-after": "86400" });
    const [a, b] = [await serve(day), await serve(day)];
    const events = await start([targetOf("a", a), targetOf("b", b)]).done;
    expect(events.at(-1)).toMatchObject({
      type: "failed",
      error: {
        class: "rate-limit",
        message: "limit. The server asks to wait 24 hours (until 2026-01-02T00:00:00Z). toy/a is rate limited until 2026-01-02T00:00:00Z.",
      },
    });
  });

  test("a target that cannot be prepared is passed over without a word of an attempt", async () => {
    const [a, c] = [await serve(answer(404, "gone")), await serve(OK)];
    const targets = [targetOf("a", a), targetOf("b", a), targetOf("c", c)] as const;
    const asked = askedOf(targets);
    const prepare: typeof asked.prepare = async (dispatch, signal) =>
      dispatch.ref.model === "b" ? err({ class: "transport", message: "no list" }) : await asked.prepare(dispatch, signal);
    const engine = testEngine();
    open.push(engine);
    const events = await collect(respond(respondDeps(engine, createManualClock()), { ...asked, prepare }));
    expect(types(events)).toEqual(["failover", "attempt", "text", "done"]);
    expect(events[0]).toMatchObject({ from: { model: "a" }, to: { model: "c" } });
  });

  test("the first target that cannot be prepared is passed over too, whatever keeps it: the others can answer", async () => {
    const b = await serve(OK);
    const asked = askedOf([targetOf("a", b), targetOf("b", b)]);
    const prepare: typeof asked.prepare = async (dispatch, signal) =>
      dispatch.ref.model === "a" ? err({ class: "invalid", message: "no list" }) : await asked.prepare(dispatch, signal);
    const engine = testEngine();
    open.push(engine);
    const events = await collect(respond(respondDeps(engine, createManualClock()), { ...asked, prepare }));
    expect(types(events)).toEqual(["failover", "attempt", "text", "done"]);
    expect(events[0]).toMatchObject({ from: { model: "a" }, to: { model: "b" }, reason: "no list" });
  });

  test("the only target that cannot be prepared is the end, and is prepared once", async () => {
    const a = await serve(OK);
    const asked = askedOf([targetOf("a", a)]);
    let times = 0;
    const prepare: typeof asked.prepare = async () => {
      times += 1;
      return err({ class: "transport", message: "no list" });
    };
    const engine = testEngine();
    open.push(engine);
    const events = await collect(respond(respondDeps(engine, createManualClock()), { ...asked, prepare }));
    expect(events).toMatchObject([{ type: "failed", error: { message: "no list" } }]);
    expect(times).toBe(1);
  });

  test("when no other can be prepared the error is the one there was, with the reason", async () => {
    const a = await serve(answer(404, "gone"));
    const asked = askedOf([targetOf("a", a), targetOf("b", a)]);
    const prepare: typeof asked.prepare = async (dispatch, signal) =>
      dispatch.ref.model === "b" ? err({ class: "transport", message: "no list" }) : await asked.prepare(dispatch, signal);
    const engine = testEngine();
    open.push(engine);
    expect(await collect(respond(respondDeps(engine, createManualClock()), { ...asked, prepare }))).toMatchObject([
      { type: "failed", error: { class: "not-found", message: "gone toy/b could not be asked: no list" } },
    ]);
  });

  test("what preparing learned of a target is what its attempt carries", async () => {
    const a = await serve(answer(503, "x"), OK);
    const { done, clock } = startWith(targetOf("", a, { needsModel: true }));
    await clock.sleeping();
    await clock.advance(625);
    expect((await done)[1]).toMatchObject({ type: "attempt", to: { ref: { model: "found" }, needsModel: false } });
  });

  function startWith(target: Dispatch): Pick<Flow, "clock" | "done"> {
    const clock = createManualClock(NOW);
    const engine = testEngine();
    open.push(engine);
    const asked = askedOf([target]);
    const prepare: typeof asked.prepare = (dispatch, signal) =>
      asked.prepare(dispatch.needsModel ? { ...dispatch, ref: { provider: "toy", model: "found" }, needsModel: false } : dispatch, signal);
    return { clock, done: collect(respond(respondDeps(engine, clock), { ...asked, prepare })) };
  }

  test("an abort while a target is prepared ends it at once", async () => {
    const a = await serve(answer(404, "gone"));
    const abort = new AbortController();
    const asked = askedOf([targetOf("a", a), targetOf("b", a)], { signal: abort.signal });
    const prepare: typeof asked.prepare = (dispatch, signal) => {
      if (dispatch.ref.model === "a") return asked.prepare(dispatch, signal);
      abort.abort();
      return new Promise(() => undefined);
    };
    const engine = testEngine();
    open.push(engine);
    expect(types(await collect(respond(respondDeps(engine, createManualClock()), { ...asked, prepare })))).toEqual(["aborted"]);
  });
});

/** Keys of which each refusal gives the next. */
function keys(...values: readonly string[]): CredentialPort & { readonly refusals: string[] } {
  const refusals: string[] = [];
  return {
    refusals,
    has: () => true,
    ready: async () => ok(undefined),
    value: () => values[Math.min(refusals.length, values.length - 1)],
    refused: (name) => {
      refusals.push(name);
    },
  };
}

describe("keys", () => {
  const withKey = (server: ModelServer): Dispatch => targetOf("a", server, { endpoint: { baseUrl: server.url, credential: "KEY" } });

  test("one that is refused is renewed once, and the attempt is announced like any other", async () => {
    const server = await serve(answer(401, "expired"), OK);
    const credentials = keys("old-key-1", "new-key-2");
    const events = await start([withKey(server)], { credentials }).done;
    expect(types(events)).toEqual(["retry", "attempt", "text", "done"]);
    expect(events[0]).toMatchObject({ attempt: 2, delayMs: 0, error: { class: "auth" } });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer old-key-1", "Bearer new-key-2"]);
    expect(credentials.refusals).toEqual(["KEY"]);
  });

  test("when the next one is refused as well it is told", async () => {
    const server = await serve(answer(401, "expired"), answer(401, "expired"));
    const events = await start([withKey(server)], { credentials: keys("one-key-1", "two-key-2", "three-key") }).done;
    expect(types(events)).toEqual(["retry", "attempt", "failed"]);
    expect(server.requests).toHaveLength(2);
  });

  test("one that stays the same is not sent again", async () => {
    const server = await serve(answer(401, "no"));
    const credentials = keys("the-key-1");
    expect(await start([withKey(server)], { credentials }).done).toMatchObject([{ type: "failed", error: { class: "auth", status: 401 } }]);
    expect(credentials.refusals).toEqual(["KEY"]);
  });

  test("a key that somebody else renewed in the meantime is not reported as refused", async () => {
    let value = "old-key-1";
    const refusals: string[] = [];
    const credentials: CredentialPort = { ...keys(), value: () => value, refused: (name) => void refusals.push(name) };
    const server = await startModelServer({
      script: (_request, n) => {
        value = "new-key-2";
        return n === 0 ? answer(401, "expired") : OK;
      },
    });
    open.push(server);
    expect(types(await start([withKey(server)], { credentials }).done)).toEqual(["retry", "attempt", "text", "done"]);
    expect(refusals).toEqual([]);
  });

  test("one that cannot be had is an auth error in the words of who keeps it, and nothing is sent", async () => {
    const server = await serve();
    const why = diagnostic({
      code: "credential.command",
      what: "The command failed.",
      why: "It ended with 1.",
      next: "Run it by hand.",
      exit: 3,
    });
    const credentials: CredentialPort = { ...keys("x"), ready: async () => err(why) };
    expect(await start([withKey(server)], { credentials }).done).toMatchObject([
      { type: "failed", error: { class: "auth", message: "The command failed. It ended with 1. Run it by hand." } },
    ]);
    expect(server.all).toEqual([]);
  });

  test("an abort does not wait for a key", async () => {
    const server = await serve();
    const credentials: CredentialPort = { ...keys("x"), ready: () => new Promise(() => undefined) };
    const { abort, done } = start([withKey(server)], { credentials });
    abort.abort();
    expect(types(await done)).toEqual(["aborted"]);
  });
});

test("an adapter is asked for each attempt", async () => {
  const server = await serve(answer(503, "x"), OK);
  const prepared: string[] = [];
  const asked = askedOf([targetOf("a", server)], { adapter: toyAdapter() });
  const prepare: typeof asked.prepare = (dispatch, signal) => {
    prepared.push(dispatch.ref.model);
    return asked.prepare(dispatch, signal);
  };
  const clock = createManualClock();
  const engine = testEngine();
  open.push(engine);
  const done = collect(respond(respondDeps(engine, clock), { ...asked, prepare }));
  await clock.sleeping();
  await clock.advance(625);
  await done;
  expect(prepared).toEqual(["a", "a"]);
});
