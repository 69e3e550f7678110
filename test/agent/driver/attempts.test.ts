import { describe, expect, test } from "vitest";
import { createDriver, type DriverPorts, emptyState, type RoundEvent } from "../../../src/agent/index.js";
import { type AttemptFacts, diagnostic, type Entry, type ProviderError } from "../../../src/schema/index.js";
import { answer, dispatch, routing } from "../fixtures.js";
import { Bench, facts, flush, id, partial } from "../driver-bench.js";

const error: ProviderError = { class: "rate-limit", message: "slow down" };
const ended = {
  error: diagnostic({ code: "provider.rate-limit", what: "Slow down.", why: "w", next: "n" }),
  outcome: "not-applied",
} as const;
const other = { provider: "other", model: "small" };
const price = { input: 1, output: 10 };

const retry: RoundEvent = { type: "retry", attempt: 2, max: 3, reason: "slow down", delayMs: 4000, error, ended };
const failover: RoundEvent = { type: "failover", from: dispatch, to: other, reason: "slow down", until: 9, error, ended };
const attempt = (number: number, more: Partial<AttemptFacts> = {}): RoundEvent => {
  const { plugin, facts: known } = facts;
  return { type: "attempt", number, facts: { dispatch, plugin, routing, facts: known, ...more } };
};
const elsewhere: Partial<AttemptFacts> = {
  dispatch: other,
  plugin: "second",
  thinking: "low",
  routing: { connection: "b", because: "toy could not answer" },
  facts: { contextTokens: 100, price },
  sampling: { temperature: 0 },
};

/** A turn whose response is these events; what was on record when each was asked for. */
async function respond(
  events: readonly RoundEvent[],
  replaced: Partial<DriverPorts> = {},
): Promise<{ readonly bench: Bench; readonly seen: readonly (readonly string[])[] }> {
  const bench = new Bench();
  const seen: string[][] = [];
  const driver = createDriver(
    emptyState,
    bench.ports({
      async *respond() {
        await Promise.resolve();
        for (const event of events) {
          seen.push(bench.committed.filter(({ type }) => type === "request" || type.startsWith("effect")).map(words));
          yield event;
        }
      },
      ...replaced,
    }),
  );
  await driver.submit({ submission: id("a"), text: "a", delivery: "steer" });
  await driver.idle();
  await flush();
  return { bench, seen };
}

const words = (entry: Entry): string => {
  if (entry.type === "request") return `request ${String(entry.attempt)} ${entry.dispatch.model}`;
  if (entry.type === "effect-done") return `done ${entry.outcome}`;
  return entry.type === "effect-intent" ? `intent ${entry.plugin}` : entry.type;
};

const of = <Type extends Entry["type"]>(bench: Bench, type: Type): readonly Extract<Entry, { readonly type: Type }>[] =>
  bench.committed.filter((entry): entry is Extract<Entry, { readonly type: Type }> => entry.type === type);

describe("attempts of one response", () => {
  test("each is on record before it is asked to be sent, and the end of the one before it earlier still", async () => {
    const { seen, bench } = await respond([retry, attempt(2), failover, attempt(3, elsewhere), { type: "done", result: answer("hi") }]);
    const first = ["request 1 toy-1", "intent toy"];
    const second = [...first, "done not-applied", "request 2 toy-1", "intent toy"];
    const third = [...second, "done not-applied", "request 3 small", "intent second"];
    expect(seen).toEqual([first, second.slice(0, 3), second, third.slice(0, 6), third]);
    expect(of(bench, "effect-done").map(({ outcome }) => outcome)).toEqual(["not-applied", "not-applied", "applied"]);
    expect(bench.ends()).toEqual(["a ok/done"]);
  });

  test("attempts share what was asked and tell apart where it went; the answer names the one that gave it", async () => {
    const { bench } = await respond([failover, attempt(2, elsewhere), { type: "done", result: answer("hi") }]);
    const [first, second] = of(bench, "request");
    const { plugin, ...recorded } = elsewhere;
    expect(second).toMatchObject({ ...recorded, attempt: 2 });
    expect(of(bench, "effect-intent").at(-1)?.plugin).toBe(plugin);
    expect(first).toMatchObject({ routing, facts: {}, attempt: 1 });
    const { id: _1, time: _2, request: _3, dispatch: _4, attempt: _5, routing: _6, facts: _7, ...shared } = first ?? {};
    expect(second).toMatchObject(shared);
    expect(first?.request).not.toBe(second?.request);
    const [said] = of(bench, "assistant");
    expect(said).toMatchObject({ dispatch: other, request: second?.request, cost: (10 * 1 + 5 * 10) / 1e6 });
    const intents = of(bench, "effect-intent");
    expect(intents.map(({ cause }) => cause)).toEqual([first?.request, second?.request]);
    expect(new Set(intents.map(({ effect }) => effect)).size).toBe(2);
    const started = bench.events.flatMap((event) => (event.type === "response-started" ? [[event.model.model, event.contextLimit]] : []));
    expect(started).toEqual([
      ["toy-1", undefined],
      ["small", 100],
    ]);
    expect(bench.events.flatMap((event) => (event.type === "progress" ? [event.event.type] : []))).toEqual(["failover"]);
  });

  test.each([
    ["while it waits, nothing is left to be ended", [retry], 1],
    ["after another began, that one's end is not known", [retry, attempt(2)], 2],
    ["after two targets were passed over, each attempt has one end", [failover, failover, attempt(2, elsewhere)], 2],
  ] as const)("aborted %s", async (_, events, ends) => {
    const { bench } = await respond([...events, { type: "aborted", partial: partial("") }]);
    expect(of(bench, "effect-done").map(({ outcome }) => outcome)).toEqual(["not-applied", "unknown"].slice(0, ends));
    expect(of(bench, "effect-intent").map(({ effect }) => effect)).toEqual(of(bench, "effect-done").map(({ effect }) => effect));
    expect(bench.ends()).toEqual(["a aborted/abort"]);
  });

  test("a record that fails ends the turn, and nothing more is asked of the provider", async () => {
    const asked: number[] = [];
    const bench = new Bench();
    let closed = false;
    const driver = createDriver(
      emptyState,
      bench.ports({
        async *respond() {
          await Promise.resolve();
          try {
            asked.push(1);
            bench.failFrom = bench.asked;
            yield retry;
            asked.push(2);
            yield attempt(2);
          } finally {
            closed = true;
          }
        },
      }),
    );
    await driver.submit({ submission: id("a"), text: "a", delivery: "steer" });
    await driver.idle();
    await flush();
    expect([asked, closed]).toEqual([[1], true]);
    expect(bench.ends()).toEqual(["a error/storage"]);
  });

  test("what a cut response was charged for is kept, with its words or without", async () => {
    const facts: Partial<AttemptFacts> = { facts: { price } };
    const { bench } = await respond([
      retry,
      attempt(2, facts),
      { type: "aborted", partial: { ...partial(""), usage: { inputTokens: 5, outputTokens: 1 } } },
    ]);
    expect(of(bench, "assistant")).toMatchObject([{ text: "", stop: "aborted", usage: { inputTokens: 5 }, cost: 15 / 1e6 }]);
    const end = bench.events.find((event) => event.type === "turn-ended");
    expect(end?.type === "turn-ended" && end.end.spend).toEqual({ usage: { inputTokens: 5, outputTokens: 1 }, cost: 15 / 1e6 });
  });
});
