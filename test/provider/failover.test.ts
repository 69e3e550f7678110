import { describe, expect, test } from "vitest";
import { createCooldowns, orderTargets } from "../../src/provider/cooldown.js";
import { decide, type Situation } from "../../src/provider/failover.js";
import type { Dispatch } from "../../src/provider/index.js";
import { RETRY_POLICY } from "../../src/provider/retry.js";
import type { ProviderError } from "../../src/schema/index.js";
import { targetAt } from "./support.js";

const NOW = Date.UTC(2026, 0, 1);
const target = (name: string, more: Partial<Dispatch> = {}): Dispatch =>
  targetAt(`http://${name}.test`, { ref: { provider: "p", model: name }, bucket: name, ...more });
const A = target("a");
const B = target("b");

const situation = (kind: ProviderError["class"], more: Partial<Situation> = {}): Situation => ({
  targets: [A, B],
  at: 0,
  asked: A,
  error: { class: kind, message: "no" },
  tries: new Map([[0, 1]]),
  givenUp: new Set(),
  delivered: false,
  hasOtherKey: false,
  random: 0.5,
  now: NOW,
  cooldowns: createCooldowns(),
  ...more,
});
const words = (given: Situation): string => {
  const decided = decide(given, RETRY_POLICY);
  if (decided.type === "retry") return `retry after ${String(decided.delayMs)}`;
  return decided.type === "failover" ? `to ${String(decided.to)}` : "fail";
};

describe("what is done about an error, with another target at hand", () => {
  test.each<readonly [ProviderError["class"], string, string]>([
    ["rate-limit", "to 1", "to 1"],
    ["overloaded", "retry after 625", "to 1"],
    ["transport", "retry after 625", "to 1"],
    ["quota", "to 1", "to 1"],
    ["auth", "to 1", "to 1"],
    ["not-found", "to 1", "to 1"],
    ["context-overflow", "fail", "fail"],
    ["invalid", "fail", "fail"],
    ["content-filter", "fail", "fail"],
    ["plugin", "fail", "fail"],
    ["protocol", "fail", "fail"],
  ])("%s: first %s, after three attempts %s", (kind, first, third) => {
    expect(words(situation(kind))).toBe(first);
    expect(words(situation(kind, { tries: new Map([[0, 3]]) }))).toBe(third);
    expect(words(situation(kind, { delivered: true }))).toBe("fail");
  });
});

describe("what is done about an error without another target", () => {
  test.each<readonly [ProviderError["class"], string]>([
    ["rate-limit", "retry after 625"],
    ["overloaded", "retry after 625"],
    ["transport", "retry after 625"],
    ["quota", "fail"],
    ["auth", "fail"],
    ["not-found", "fail"],
  ])("%s: %s", (kind, expected) => {
    expect(words(situation(kind, { targets: [A] }))).toBe(expected);
  });

  test("waits grow and are bounded", () => {
    const policy = { ...RETRY_POLICY, attempts: 9 };
    const waits = [1, 2, 3, 4, 5, 6].map((tries) => {
      const decided = decide(situation("transport", { targets: [A], tries: new Map([[0, tries]]), random: 0 }), policy);
      return decided.type === "retry" ? decided.delayMs : decided.type;
    });
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });
});

describe("the server's word on waiting", () => {
  const asking = (ms: number, more: Partial<Situation> = {}): Situation => ({
    ...situation("overloaded", more),
    error: { class: "overloaded", message: "busy.", retryAfterMs: ms },
  });

  test("is a minimum, up to the longest wait", () => {
    expect(words(asking(60_000, { targets: [A] }))).toBe("retry after 60000");
    expect(words(asking(100, { targets: [A] }))).toBe("retry after 625");
  });

  test("above it the target is given up: another one is asked, or it ends and says until when", () => {
    expect(words(asking(60_001))).toBe("to 1");
    expect(decide(asking(7_200_000, { targets: [A] }), RETRY_POLICY)).toMatchObject({
      type: "fail",
      error: { message: "busy. The server asks to wait 2 hours (until 2026-01-01T02:00:00Z)." },
    });
  });
});

describe("which target takes over", () => {
  const C = target("c");

  test("one in a cooling bucket is skipped, and told of when none is left", () => {
    const cooldowns = createCooldowns();
    cooldowns.start("b", NOW + 5000);
    expect(words(situation("not-found", { targets: [A, B, C], cooldowns }))).toBe("to 2");
    expect(decide(situation("not-found", { cooldowns }), RETRY_POLICY)).toMatchObject({
      error: { message: "no p/b is rate limited until 2026-01-01T00:00:05Z." },
    });
    expect(words(situation("not-found", { cooldowns, now: NOW + 5000 }))).toBe("to 1");
  });

  test("a rate limit of an account does not go to another model of the same account", () => {
    const cooldowns = createCooldowns();
    cooldowns.start("a", NOW + 60_000);
    expect(words(situation("rate-limit", { targets: [A, target("a2", { bucket: "a" })], cooldowns }))).toBe("retry after 625");
  });

  test("one that was left for its rate limit is asked again once that is over, never more often than the policy says", () => {
    const tries = new Map([
      [0, 1],
      [1, 3],
    ]);
    const failedB = situation("transport", { at: 1, asked: B, tries });
    expect(words(failedB)).toBe("to 0");
    expect(words({ ...failedB, tries: new Map([...tries, [0, 3]]) })).toBe("fail");
  });

  test("one that was given up is not asked", () => {
    expect(words(situation("auth", { givenUp: new Set([1]) }))).toBe("fail");
  });

  test.each<readonly [string, number | undefined, number | undefined, string]>([
    ["larger", 1000, 2000, "to 1"],
    ["equal", 1000, 1000, "fail"],
    ["of unknown size", 1000, undefined, "fail"],
    ["larger than who knows", undefined, 2000, "fail"],
  ])("a conversation that is too long goes to a model whose window is %s: %s, %s", (_name, one, other, expected) => {
    const sized = (of: Dispatch, tokens: number | undefined): Dispatch => ({
      ...of,
      facts: tokens === undefined ? {} : { contextTokens: tokens },
    });
    expect(words(situation("context-overflow", { targets: [A, sized(B, other)], asked: sized(A, one) }))).toBe(expected);
  });

  test("all attempts together are bounded", () => {
    expect(
      words(
        situation("transport", {
          tries: new Map([
            [0, 1],
            [2, RETRY_POLICY.totalAttempts - 1],
          ]),
        }),
      ),
    ).toBe("fail");
  });
});

describe("cooldowns", () => {
  test("last until their end, never shorter than known, and end with a success", () => {
    const cooldowns = createCooldowns();
    cooldowns.start("a", 100);
    cooldowns.start("a", 50);
    expect([cooldowns.until("a", 99), cooldowns.until("a", 100), cooldowns.until("b", 0)]).toEqual([100, undefined, undefined]);
    cooldowns.clear("a");
    expect(cooldowns.until("a", 0)).toBeUndefined();
  });
});

describe("the order of targets now", () => {
  const names = (targets: readonly Dispatch[]): string => targets.map(({ ref }) => ref.model).join(" ");

  test("is theirs while nothing cools, by the same reference", () => {
    const targets = [A, B] as const;
    expect(orderTargets(targets, createCooldowns(), NOW)).toBe(targets);
  });

  test("puts what cools last, the soonest free first, and says why another is first", () => {
    const cooldowns = createCooldowns();
    cooldowns.start("a", NOW + 60_000);
    cooldowns.start("b", NOW + 30_000);
    const ordered = orderTargets([A, B, target("c")], cooldowns, NOW);
    expect(names(ordered)).toBe("c b a");
    expect(ordered[0].routing).toEqual({ connection: "toy", because: "p/a is rate limited until 2026-01-01T00:01:00Z" });
  });

  test("leaves a single one where it is", () => {
    const cooldowns = createCooldowns();
    cooldowns.start("a", NOW + 60_000);
    expect(names(orderTargets([A], cooldowns, NOW))).toBe("a");
  });

  test("says that it was the soonest free when all cool", () => {
    const cooldowns = createCooldowns();
    cooldowns.start("a", NOW + 30_000);
    cooldowns.start("b", NOW + 60_000);
    const ordered = orderTargets([A, B], cooldowns, NOW);
    expect(names(ordered)).toBe("a b");
    expect(ordered[0].routing.because).toBe("all others are rate limited for longer");
  });
});
