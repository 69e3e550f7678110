import { describe, expect, test } from "vitest";
import type { EntryId } from "../../src/base/index.js";
import type { Entry } from "../../src/schema/index.js";
import { answer } from "../agent/fixtures.js";
import { type LiveBench, withLive } from "./live-bench.js";

const done = (text: string) => ({ type: "done", result: answer(text) }) as const;
const conflict = { ok: false, error: { code: "runtime.key-conflict" } };

const submissions = async (bench: LiveBench): Promise<readonly Entry[]> =>
  (await bench.entries()).filter((entry) => entry.type === "submission");

describe("deduplicated admission", () => {
  test("repeated keys recover the original submission across restart, also when it was the first of many", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a", { key: "k" });
      (await live.nextRound()).end(done("A"));
      await first.settled;
      for (let index = 0; index < 40; index += 1) {
        const other = await live.submit(`other ${String(index)}`, { key: `k${String(index)}` });
        (await live.nextRound()).end(done("B"));
        await other.settled;
      }
      await live.session.close();
      const again = await bench.reopen();
      const repeated = await again.submit("a", { key: "k" });
      expect([repeated.submission, await repeated.settled]).toMatchObject([first.submission, { status: "ok", reply: "A" }]);
      expect([again.changes(), again.rounds()]).toEqual([0, 0]);
    });
  });

  test("in one process the receipt of a repeated key has the whole end", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a", { key: "k" });
      (await live.nextRound()).end(done("A"));
      const end = await first.settled;
      const repeated = await live.submit("a", { key: "k" });
      expect([repeated.submission, await repeated.settled]).toEqual([first.submission, end]);
    });
  });

  test("while the first runs the second waits for the same end", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a", { key: "k" });
      const round = await live.nextRound();
      const repeated = await live.submit("a", { key: "k" });
      expect(repeated).toMatchObject({ submission: first.submission, queued: false });
      round.end(done("A"));
      expect(await repeated.settled).toMatchObject({ status: "ok", reply: "A" });
      expect([live.rounds(), (await submissions(bench)).length]).toEqual([1, 1]);
    });
  });

  test("conflicting reuse creates no work: other text, at once and across restart", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const [first, other] = await Promise.all([live.submit("a", { key: "k" }), live.session.submit({ text: "b", key: "k" })]);
      expect(other).toMatchObject(conflict);
      (await live.nextRound()).end(done("A"));
      await first.settled;
      await live.session.close();
      const again = await bench.reopen();
      expect(await again.session.submit({ text: "b", key: "k" })).toMatchObject(conflict);
      expect([again.changes(), (await submissions(bench)).length]).toEqual([0, 1]);
    });
  });

  test("conflicting reuse creates no work: an explicitly different destination", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const root = (await bench.entries()).find((entry) => entry.type === "user-message");
      const leaf = (await bench.entries()).findLast((entry) => entry.type === "assistant");
      if (root === undefined || leaf === undefined) throw new Error("nothing was said");
      const second = await live.submit("b", { key: "k", destination: leaf.id });
      (await live.nextRound()).end(done("B"));
      await second.settled;
      const changes = live.changes();
      expect(await live.session.submit({ text: "b", key: "k", destination: root.id })).toMatchObject(conflict);
      for (const extra of [{}, { destination: leaf.id }]) {
        expect((await live.submit("b", { key: "k", ...extra })).submission).toBe(second.submission);
      }
      expect(live.changes()).toBe(changes);
    });
  });

  test("the leaf somebody saw before a restart stays the destination of a repeated key, though a name was recorded on it", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      await live.session.close();
      const leaf = (await bench.entries()).findLast((entry) => entry.type === "assistant")?.id;
      if (leaf === undefined) throw new Error("nothing was said");
      const again = await bench.reopen();
      // The name is recorded on the branch, after the leaf that was seen, before the first input is.
      const [renamed, first] = await Promise.all([again.session.rename("other"), again.submit("b", { key: "k", destination: leaf })]);
      expect(renamed.ok).toBe(true);
      const [, entry] = await submissions(bench);
      expect(entry).toMatchObject({ submission: first.submission, destination: expect.not.stringContaining(leaf) as string });
      await again.session.close();
      const later = await bench.reopen();
      const repeated = await later.submit("b", { key: "k", destination: leaf });
      expect([repeated.submission, later.changes()]).toEqual([first.submission, 0]);
    });
  });

  test("a failed admission leaves its key free", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      live.knobs.failFrom = 1;
      expect(await live.session.submit({ text: "a", key: "k" })).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
      live.knobs.failFrom = Number.POSITIVE_INFINITY;
      const receipt = await live.submit("other", { key: "k" });
      (await live.nextRound()).end(done("A"));
      expect(await receipt.settled).toMatchObject({ status: "ok" });
    });
  });
});

describe("the destination of input", () => {
  test("must be the selected leaf: anything else is refused before anything is written", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const entries = await bench.entries();
      const root = entries.find((entry) => entry.type === "user-message");
      if (root === undefined) throw new Error("nothing was said");
      const refused = { ok: false, error: { code: "submission.not-selected" } };
      const changes = live.changes();
      expect(await live.session.submit({ text: "b", destination: root.id })).toMatchObject(refused);
      expect(live.changes()).toBe(changes);
      await live.session.close();
      const again = await bench.reopen();
      expect(await again.session.submit({ text: "b", destination: bench.id as unknown as EntryId })).toMatchObject(refused);
      expect(again.changes()).toBe(0);
      expect(await submissions(bench)).toHaveLength(1);
    });
  });

  test("of a session without a file cannot be named", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      expect(await live.session.submit({ text: "a", destination: bench.id as unknown as EntryId })).toMatchObject({
        ok: false,
        error: { code: "submission.not-selected" },
      });
      expect((await bench.store.open(bench.id, "read")).ok).toBe(false);
    });
  });
});
