import { describe, expect, test } from "vitest";

import type { EntryId, SubmissionId } from "../../../src/base/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { rowText } from "../../../src/tui/text/index.js";
import { TranscriptRows, TranscriptStore } from "../../../src/tui/transcript/index.js";
import { answer, type BareEvent, fakeId, FakeSession } from "../../support/fake-session.js";

const session = new FakeSession();
const NOW = new Date(2026, 10, 30, 10, 30).getTime();

function texts(events: readonly BareEvent[], { width = 90, expanded = false } = {}): readonly string[] {
  const store = new TranscriptStore();
  for (const event of events) store.apply({ ...event, session: session.id, time: NOW }, 0);
  const rows = new TranscriptRows(store, undefined, () => undefined);
  rows.look({ width, expanded, tick: 0, now: 0 });
  const out: string[] = [];
  for (let seq = store.first; seq < store.end; seq += 1) out.push(...rows.rows(seq).map((line) => rowText(line).trimEnd()));
  return out.filter((line) => line !== "");
}

type Fields<Type extends BareEvent["type"]> = Partial<Extract<BareEvent, { readonly type: Type }>>;

const retry = (fields: Fields<"retry"> = {}): BareEvent => ({
  type: "retry",
  attempt: 2,
  max: 3,
  reason: "HTTP 429: slow down",
  failure: "rate-limit",
  delayMs: 3000,
  ...fields,
});

const failover = (fields: Fields<"failover">): BareEvent => ({
  type: "failover",
  from: { provider: "anthropic", model: "claude" },
  to: { provider: "openai", model: "gpt" },
  reason: "HTTP 500: oops",
  ...fields,
});

const ended = (fields: Fields<"run_end"> = {}): BareEvent => ({
  type: "run_end",
  status: "ok",
  reason: "done",
  reply: "",
  receipt: fakeId<SubmissionId>(),
  ...fields,
});

describe("an answer that took more than one attempt", () => {
  test("has one row above it, and nothing before it came", () => {
    expect(texts([retry()])).toEqual([]);
    expect(texts([retry(), { type: "assistant_delta", text: "Hi" }, { type: "assistant_delta", text: " you" }, answer("Hi you")])).toEqual([
      "   · answered at the 2nd try: rate limited, waited 3 s",
      "   Hi you",
    ]);
  });

  test("names each reason once and adds the waits up", () => {
    const tries = [retry(), retry({ attempt: 3 }), retry({ attempt: 4, failure: "overloaded", delayMs: 8000 })];
    expect(texts([...tries, answer("Hi")])[0]).toBe("   · answered at the 4th try: rate limited, server overloaded, waited 14 s");
  });

  test("of a failure without a kind the server's words are told, on one line", () => {
    const { failure: _, ...bare } = retry({ reason: "it\nbroke", delayMs: 0 }) as Extract<BareEvent, { readonly type: "retry" }>;
    expect(texts([bare, answer("Hi")])[0]).toBe("   · answered at the 2nd try: it broke");
  });

  test("leaves nothing when it never came", () => {
    expect(texts([retry(), ended({ status: "aborted", reason: "abort" }), answer("next")])).toEqual(["   ■ stopped", "   next"]);
  });
});

describe("an answer of another model", () => {
  test.each<[string, Fields<"failover">, string]>([
    [
      "a rate limit",
      { failure: "rate-limit", until: NOW + 720_000 },
      "rate limited by anthropic/claude until 10:42, continuing on openai/gpt",
    ],
    [
      "another day",
      { failure: "quota", until: NOW + 86_400_000 },
      "anthropic/claude is out of quota until Dec 1 10:30, continuing on openai/gpt",
    ],
    ["overload", { failure: "overloaded" }, "anthropic/claude is overloaded, continuing on openai/gpt"],
    ["anything else", { failure: "transport" }, "anthropic/claude could not answer (HTTP 500: oops), continuing on openai/gpt"],
    ["no kind but a time", { until: NOW + 9000 }, "rate limited by anthropic/claude until 10:30:09, continuing on openai/gpt"],
  ])("is announced with the reason: %s", (_name, fields, text) => {
    expect(texts([failover(fields), answer("Hi")], { width: 100 })).toEqual([`   ■ ${text}`, "   Hi"]);
  });

  test("tells no more of the attempts before", () => {
    expect(texts([retry(), failover({ failure: "overloaded" }), answer("Hi")])).toHaveLength(2);
  });
});

describe("what is not asked of a model", () => {
  const note = (fields: Fields<"error"> = {}): BareEvent => ({
    type: "error",
    diagnostic: diagnostic({
      code: "route.thinking-degraded",
      what: "a/b is asked to think at level high, not max.",
      why: "The levels it has are low, high.",
      next: "Choose one of them.",
      severity: "warning",
    }),
    ...fields,
  });

  test("is one calm row with as much as there is room for; the rest unfolds", () => {
    expect(texts([note()])).toEqual(["   ■ a/b is asked to think at level high, not max. The levels it has are low, high."]);
    expect(texts([note()], { width: 70 })).toEqual(["   ■ a/b is asked to think at level high, not max. · ctrl+o"]);
    expect(texts([note()], { expanded: true })).toEqual([
      "   ■ a/b is asked to think at level high, not max.",
      "     The levels it has are low, high.",
      "     Choose one of them.",
    ]);
  });

  test("a warning of another kind keeps what to do next in sight", () => {
    const other = diagnostic({ code: "session.damaged", what: "w", why: "y", next: "n", severity: "warning" });
    expect(texts([note({ diagnostic: other })])).toEqual(["   ⚠ w", "     y", "   → n"]);
  });
});

describe("the end of a turn", () => {
  test.each<[string, Fields<"run_end">, string]>([
    ["tokens and cost", { usage: { inputTokens: 12_300, outputTokens: 340 }, cost: 0.04 }, "   · 12k tokens in, 340 out · $0.04"],
    [
      "what came from a cache",
      { usage: { inputTokens: 900, outputTokens: 5, cacheReadTokens: 800 } },
      "   · 900 tokens in (800 from cache), 5 out",
    ],
    ["that not all is priced", { cost: 0.04, unpriced: 1 }, "   · $0.04+"],
    ["one side alone", { usage: { outputTokens: 7 } }, "   · 7 tokens out"],
  ])("says what it took: %s", (_name, fields, text) => {
    expect(texts([ended(fields)])).toEqual([text]);
  });

  test("says nothing of what is not known", () => {
    expect(texts([ended()])).toEqual([]);
    expect(texts([ended({ unpriced: 2 })])).toEqual([]);
  });

  test("an error of it comes before", () => {
    const error = diagnostic({ code: "provider.failed", what: "no", why: "", next: "" });
    expect(texts([ended({ status: "error", reason: "provider", error, cost: 1 })])).toEqual(["   ✗ no", "   · $1.00"]);
  });
});

test("an answer that is only read back has no attempts", () => {
  expect(texts([{ type: "user", entry: fakeId<EntryId>(), text: "q", source: "prompt" }, answer("Hi")])).toEqual([" › q", "   Hi"]);
});
