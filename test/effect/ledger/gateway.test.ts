import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../../src/base/index.js";
import { err, InvariantError, ok } from "../../../src/base/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import type { Entry, EffectDoneEntry, EffectIntentEntry, FsReadInput, FsReadOutput } from "../../../src/schema/index.js";
import type { EffectContext, EffectReply, Facilities, Facility, FacilitySet, OwnedEffectGateway } from "../../../src/effect/index.js";
import { createEffectGateway } from "../../../src/effect/index.js";
import { contextFor, errorOf, realClock, testIds } from "../support.js";

const context = (extra: Partial<EffectContext> = {}): EffectContext => contextFor("/w", extra);
const refusal = diagnostic({ code: "grant.denied", what: "no", why: "no", next: "no" });
const applied: EffectReply<FsReadOutput> = { outcome: "applied", result: ok({ type: "binary", path: "t", totalBytes: 1 }) };

interface Log {
  readonly entries: Entry[];
  readonly commits: number[];
  readonly events: string[];
}

interface Fake {
  readonly run?: Facility<"fs.read">["run"];
  readonly authorize?: Facility<"fs.read">["authorize"];
  /** Number of the commit (from 1) that fails and all after it. */
  readonly failFrom?: number;
  readonly clock?: Clock;
  readonly redact?: Parameters<typeof createEffectGateway>[0]["redact"];
}

function open({ run, authorize, failFrom = Infinity, clock = realClock, redact }: Fake = {}): {
  readonly gateway: OwnedEffectGateway;
  readonly log: Log;
} {
  const log: Log = { entries: [], commits: [], events: [] };
  const unused: Facility<never> = { authorize: () => Promise.reject(new Error("unused")), run: () => Promise.reject(new Error("unused")) };
  const read: Facility<"fs.read"> = {
    authorize: authorize ?? ((input) => Promise.resolve(ok(input))),
    run: (input, given) => {
      log.events.push(`run ${input.path}`);
      return run === undefined ? Promise.resolve(applied) : run(input, given);
    },
  };
  const facilities: FacilitySet = {
    // Every other operation is unused.
    table: new Proxy({ "fs.read": read } as unknown as Facilities, {
      get: (table, op) => (op === "fs.read" ? table["fs.read"] : unused),
    }),
    close: () => {
      log.events.push("facilities closed");
      return Promise.resolve();
    },
    killNow: () => undefined,
  };
  const commit = (entries: readonly Entry[]): Promise<void> => {
    log.commits.push(entries.length);
    if (log.commits.length >= failFrom) return Promise.reject(new Error("disk full"));
    log.entries.push(...entries);
    for (const entry of entries) log.events.push(entry.type);
    return Promise.resolve();
  };
  return {
    gateway: createEffectGateway({ commit, ids: testIds(), clock, facilities, ...(redact === undefined ? {} : { redact }) }),
    log,
  };
}

const intents = (log: Log): readonly EffectIntentEntry[] => log.entries.filter((entry) => entry.type === "effect-intent");
const outcomes = (log: Log): readonly EffectDoneEntry[] => log.entries.filter((entry) => entry.type === "effect-done");

describe("order of a call", () => {
  test("intent, facility, outcome, reply; the records name each other and their cause", async () => {
    const { gateway, log } = open();
    expect(await gateway.call("fs.read", { path: "t" }, context())).toBe(applied);
    expect(log.events).toEqual(["effect-intent", "run t", "effect-done"]);
    const [intent] = intents(log);
    expect(intent).toMatchObject({
      operation: "fs.read",
      plugin: "acme.test",
      generation: 1,
      cause: context().cause,
      input: { path: "t" },
    });
    expect(outcomes(log)).toMatchObject([
      { effect: intent?.effect, outcome: "applied", output: { type: "binary", path: "t", totalBytes: 1 } },
    ]);
  });

  test("calls of one turn share their commits", async () => {
    const { gateway, log } = open();
    await Promise.all(["a", "b", "c"].map((path) => gateway.call("fs.read", { path }, context())));
    expect(log.commits).toEqual([3, 3]);
  });

  test("a refusal is recorded as intent and outcome in one commit, and nothing runs", async () => {
    const { gateway, log } = open({ authorize: () => Promise.resolve(err(refusal)) });
    expect(await gateway.call("fs.read", { path: "t" }, context())).toEqual({ outcome: "not-applied", result: err(refusal) });
    expect(log.commits).toEqual([2]);
    expect(log.events).toEqual(["effect-intent", "effect-done"]);
    expect(outcomes(log)).toMatchObject([{ outcome: "not-applied", error: refusal, output: null }]);
  });

  test("what is recorded and run is the narrowed input", async () => {
    const { gateway, log } = open({ authorize: (input) => Promise.resolve(ok({ ...input, path: `/real/${input.path}` })) });
    await gateway.call("fs.read", { path: "t" }, context());
    expect([intents(log)[0]?.input, log.events[1]]).toEqual([{ path: "/real/t" }, "run /real/t"]);
  });

  test("secrets are replaced in input, output and error, and in the reply", async () => {
    const redact: Fake["redact"] = (value) => JSON.parse(JSON.stringify(value).replaceAll("s3cret", "***")) as typeof value;
    const error = diagnostic({ code: "fs.failed", what: "s3cret", why: "s3cret", next: "x" });
    const { gateway, log } = open({ redact, run: () => Promise.resolve({ outcome: "unknown", result: err(error) }) });
    const reply = await gateway.call("fs.read", { path: "s3cret" }, context());
    expect(errorOf(reply.result).what).toBe("***");
    expect(JSON.stringify(log.entries)).not.toContain("s3cret");
  });

  test("a fault of a facility is an unknown outcome; a bug of ours is recorded and thrown on", async () => {
    const broken = open({ run: () => Promise.reject(new Error("EIO")) });
    const reply = await broken.gateway.call("fs.read", { path: "t" }, context());
    expect([reply.outcome, errorOf(reply.result).code]).toEqual(["unknown", "effect.crashed"]);
    const bug = open({ run: () => Promise.reject(new InvariantError("ours")) });
    await expect(bug.gateway.call("fs.read", { path: "t" }, context())).rejects.toThrow("ours");
    expect(outcomes(bug.log)).toMatchObject([{ outcome: "unknown" }]);
  });

  test("progress after the end of the run is not passed on", async () => {
    const seen: string[] = [];
    const late: ((text: string) => void)[] = [];
    const { gateway } = open({
      run: (_input, { onProgress }) => {
        onProgress?.("during");
        if (onProgress !== undefined) late.push(onProgress);
        return Promise.resolve(applied);
      },
    });
    await gateway.call("fs.read", { path: "t" }, context({ onProgress: (text) => seen.push(text) }));
    late[0]?.("after");
    expect([late.length, seen]).toEqual([1, ["during"]]);
  });
});

describe("when the store fails", () => {
  test("an intent that cannot be recorded stops the effect", async () => {
    const { gateway, log } = open({ failFrom: 1 });
    const reply = await gateway.call("fs.read", { path: "t" }, context());
    expect([reply.outcome, errorOf(reply.result).code, log.events, gateway.isSealed()]).toEqual([
      "not-applied",
      "effect.intent-unrecorded",
      [],
      false,
    ]);
  });

  test("an outcome that cannot be recorded is told with what is known, and seals the gateway", async () => {
    const { gateway, log } = open({ failFrom: 2 });
    const reply = await gateway.call("fs.read", { path: "t" }, context());
    expect([reply.outcome, errorOf(reply.result).code]).toEqual(["applied", "effect.outcome-unrecorded"]);
    expect(errorOf(reply.result).what).toContain("it was applied");
    const next = await gateway.call("fs.read", { path: "u" }, context());
    expect([next.outcome, errorOf(next.result).code, gateway.isSealed()]).toEqual(["not-applied", "effect.sealed", true]);
    expect([log.events, log.commits.length]).toEqual([["effect-intent", "run t"], 2]);
  });

  test("whenever it fails: no run without a durable intent, at most one outcome each, none without its intent", async () => {
    const arbitrary = fc.record({
      failFrom: fc.integer({ min: 1, max: 12 }),
      calls: fc.array(fc.record({ denied: fc.boolean(), wait: fc.nat(3), aborted: fc.boolean() }), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ failFrom, calls }) => {
        const durableAtRun: boolean[] = [];
        const made = open({
          failFrom,
          authorize: async (input: FsReadInput) => {
            const call = calls[Number(input.path)];
            for (let turn = 0; turn < (call?.wait ?? 0); turn += 1) await new Promise((resolve) => setImmediate(resolve));
            return call?.denied === true ? err(refusal) : ok(input);
          },
          run: async ({ path }) => {
            durableAtRun.push(intents(made.log).some(({ input }) => JSON.stringify(input) === JSON.stringify({ path })));
            await new Promise((resolve) => setImmediate(resolve));
            return applied;
          },
        });
        const { gateway, log } = made;
        const replies = await Promise.all(
          calls.map(({ aborted }, index) =>
            gateway.call("fs.read", { path: String(index) }, context(aborted ? { signal: AbortSignal.abort() } : {})),
          ),
        );
        expect(durableAtRun.every(Boolean)).toBe(true);
        const begun = intents(log).map(({ effect }) => effect);
        const ended = outcomes(log).map(({ effect }) => effect);
        expect(new Set(begun).size).toBe(begun.length);
        expect(new Set(ended).size).toBe(ended.length);
        expect(ended.every((effect) => begun.includes(effect))).toBe(true);
        const ran = new Set(log.events.filter((event) => event.startsWith("run ")));
        for (const [index, reply] of replies.entries()) expect(reply.outcome === "applied").toBe(ran.has(`run ${index}`));
        if (begun.length > ended.length) expect(gateway.isSealed()).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

describe("abort and close", () => {
  const untilAborted: Fake["run"] = (_input, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        resolve({ outcome: "unknown", result: err(diagnostic({ code: "x.aborted", what: "x", why: "x", next: "x" })) });
      });
    });

  test("an aborted call is not recorded before its intent and not run after it", async () => {
    const early = open();
    expect(errorOf((await early.gateway.call("fs.read", { path: "t" }, context({ signal: AbortSignal.abort() }))).result).code).toBe(
      "effect.aborted",
    );
    expect(early.log.commits).toEqual([]);
    const controller = new AbortController();
    const late = open();
    const call = late.gateway.call("fs.read", { path: "t" }, context({ signal: controller.signal }));
    await new Promise((resolve) => process.nextTick(resolve));
    controller.abort();
    expect((await call).outcome).toBe("not-applied");
    expect(late.log.events).toEqual(["effect-intent", "effect-done"]);
  });

  test("close aborts what runs, waits for its outcome to be recorded, and refuses what comes after", async () => {
    const { gateway, log } = open({ run: untilAborted });
    const call = gateway.call("fs.read", { path: "t" }, context());
    while (!log.events.includes("run t")) await new Promise((resolve) => setImmediate(resolve));
    await gateway.close();
    expect(log.events).toEqual(["effect-intent", "run t", "effect-done", "facilities closed"]);
    expect((await call).outcome).toBe("unknown");
    expect(errorOf((await gateway.call("fs.read", { path: "u" }, context())).result).code).toBe("effect.closed");
  });

  test("an effect that does not obey holds the close for two seconds and no longer", async () => {
    const slept: number[] = [];
    const clock: Clock = {
      ...realClock,
      sleep: (ms) => {
        slept.push(ms);
        return Promise.resolve();
      },
    };
    const release: (() => void)[] = [];
    const run: Fake["run"] = () =>
      new Promise((resolve) => {
        release.push(() => {
          resolve(applied);
        });
      });
    const { gateway, log } = open({ run, clock });
    const call = gateway.call("fs.read", { path: "t" }, context());
    while (release.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await gateway.close();
    expect([slept, log.events.at(-1)]).toEqual([[2000], "facilities closed"]);
    release[0]?.();
    expect((await call).outcome).toBe("applied");
  });
});
