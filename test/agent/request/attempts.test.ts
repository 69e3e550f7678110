import { describe, expect, test } from "vitest";
import { type Available, reconstructRequest } from "../../../src/agent/index.js";
import { endAttempt, prepareAttempt } from "../../../src/agent/request/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { answer, routing, sha256 } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";
import { play, reopened, type StoredWalk, value, withStore } from "../stored.js";

const available: Available = {
  tools: [],
  providers: [
    { id: "toy", plugin: "toy" },
    { id: "other", plugin: "second" },
  ],
};
const error = diagnostic({ code: "provider.rate-limit", what: "Slow down.", why: "w", next: "n" });
const second = {
  dispatch: { provider: "other", model: "small" },
  plugin: "second",
  thinking: "low",
  routing: { connection: "b", via: ["group main"], because: "toy could not answer" },
  facts: { contextTokens: 100 },
  sampling: { temperature: 0.5 },
} as const;

/** A failover, one record after the other, as far as `steps` go. */
function failover(walk: StoredWalk, steps: number): void {
  walk.say("go");
  let attempt: Parameters<typeof endAttempt>[1] | undefined;
  const all: readonly (() => void)[] = [
    () => (attempt = walk.prepare()),
    () => attempt && walk.take(endAttempt(walk.state, attempt, { error, outcome: "not-applied" }, walk.mint())),
    () => {
      if (attempt === undefined) return;
      const next = prepareAttempt(walk.state, attempt.shared, { number: 2, facts: second }, walk.mint());
      walk.take(next);
      attempt = next;
    },
    () => attempt && walk.take(endAttempt(walk.state, attempt, { error, outcome: "unknown" }, walk.mint())),
    () => {
      if (attempt === undefined) return;
      const next = prepareAttempt(walk.state, attempt.shared, { number: 3, facts: { ...second, routing } }, walk.mint());
      walk.take(next);
    },
  ];
  for (const step of all.slice(0, steps)) step();
}

describe("a process that ends in the middle of a failover", () => {
  test.each([0, 1, 2, 3, 4, 5])(
    "after %d records goes on with each effect ended once, and every request rebuilt as sent",
    async (steps) => {
      await withStore(async (store, ids) => {
        const id = await play(store, ids, async (walk) => {
          failover(walk, steps);
          return (await walk.written()).writer.id;
        });
        await reopened(store, id, ids, async (walk) => {
          walk.input({ type: "work-resumed", available });
          const open = steps % 2;
          expect(walk.types().filter((type) => type === "effect-done")).toHaveLength(open);
          expect(walk.entries.filter(({ type }) => type === "effect-done")).toMatchObject(
            Array.from({ length: open }, () => ({ outcome: "unknown" })),
          );
          expect(walk.requests).toEqual([{ type: "start-round" }]);
          walk.round(answer("done"));
          expect(pairingProblem(walk.sent)).toBeUndefined();
          expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "ok" } }]);
          await walk.written();
          const requests = Math.ceil(steps / 2) + 1;
          for (let number = 1; number <= requests; number += 1) {
            const found = value(await reconstructRequest(walk.writer, number, sha256));
            expect(found).toMatchObject({ verified: "yes", messages: [{ role: "user", text: "go" }] });
          }
          const live = await walk.writer.live();
          expect([live.effects.size, live.works.size]).toEqual([0, 0]);
        });
      });
    },
  );

  test("a request says where each of its attempts went and why", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        failover(walk, 3);
        await walk.written();
        const { request } = value(await reconstructRequest(walk.writer, 2, sha256));
        const { plugin: _, ...recorded } = second;
        expect(request).toMatchObject({ ...recorded, attempt: 2 });
      });
    });
  });
});

describe("what a vendor wants back", () => {
  test("signatures, kinds, ids and places of thinking and calls are part of what is sent, digested and rebuilt", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        const thinking = [{ text: "hm", signature: "s", kind: "redacted", id: "rs_1", after: { text: 2, calls: 1 } }];
        const call = { ...walk.call("read"), signature: "thought" };
        walk
          .say("go")
          .round({ ...answer("on", [call]), thinking })
          .settle("read")
          .prepare();
        await walk.written();
        const found = value(await reconstructRequest(walk.writer, 2, sha256));
        expect(found.verified).toBe("yes");
        expect(found.messages).toEqual(walk.sent);
        expect(found.messages[1]).toMatchObject({ thinking, toolCalls: [{ signature: "thought" }] });
      });
    });
  });
});
