import { describe, expect, test } from "vitest";
import type { SubmissionId } from "../../src/base/index.js";
import { answer } from "../agent/fixtures.js";
import { withLive } from "./live-bench.js";

const done = (text: string) => ({ type: "done", result: answer(text) }) as const;

describe("receipts", () => {
  test("are retrievable after reopen, with their end and the reply that was recorded with it", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.turn("a", "A");
      const second = await live.turn("b", "B");
      const known = await live.session.receipt(first.submission);
      expect(known).toMatchObject({ ok: true, value: { state: "settled", end: { status: "ok", reply: "A", usage: { inputTokens: 10 } } } });
      await live.session.close();
      const again = await bench.reopen();
      for (const [{ submission }, reply] of [
        [first, "A"],
        [second, "B"],
      ] as const) {
        const end = { status: "ok", reason: "done", reply };
        expect(await again.session.receipt(submission)).toEqual({ ok: true, value: { state: "settled", end } });
      }
      expect([again.changes(), again.rounds()]).toEqual([0, 0]);
    });
  });

  test("tell queued from running from settled while a process works", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a");
      const round = await live.nextRound();
      const second = await live.submit("b", { delivery: "follow-up" });
      const state = async (submission: SubmissionId): Promise<unknown> => {
        const found = await live.session.receipt(submission);
        return found.ok ? found.value.state : found.error.code;
      };
      expect([await state(first.submission), await state(second.submission)]).toEqual(["running", "queued"]);
      round.end(done("A"));
      (await live.nextRound()).end(done("B"));
      await second.settled;
      expect([await state(first.submission), await state(second.submission)]).toEqual(["settled", "settled"]);
    });
  });

  test("of work whose process ended are interrupted or queued, until the next input settles what was running", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a");
      await live.nextRound();
      const second = await live.submit("b", { delivery: "follow-up" });
      await live.crash();
      const again = await bench.reopen();
      expect(await again.session.receipt(first.submission)).toEqual({ ok: true, value: { state: "interrupted" } });
      expect(await again.session.receipt(second.submission)).toEqual({ ok: true, value: { state: "queued" } });
      expect(again.changes()).toBe(0);
      await again.submit("c");
      expect(await again.session.receipt(first.submission)).toMatchObject({
        value: { state: "settled", end: { status: "aborted", error: { code: "agent.interrupted" } } },
      });
      expect(await again.session.receipt(second.submission)).toEqual({ ok: true, value: { state: "queued" } });
    });
  });

  test("close fabricates no receipt for what an earlier process left open", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a");
      await live.nextRound();
      const second = await live.submit("b", { delivery: "follow-up" });
      await live.crash();
      const before = (await bench.entries()).length;
      const again = await bench.reopen();
      await again.session.backlog({ limit: 10 });
      await again.session.close();
      expect(await bench.entries()).toHaveLength(before);
      const later = await bench.reopen();
      expect(await later.session.receipt(first.submission)).toMatchObject({ value: { state: "interrupted" } });
      expect(await later.session.receipt(second.submission)).toMatchObject({ value: { state: "queued" } });
    });
  });

  test("nobody was ever given are unknown; asking changes nothing", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const unknown = { ok: false, error: { code: "receipt.unknown" } };
      expect(await live.session.receipt(bench.id as unknown as SubmissionId)).toMatchObject(unknown);
      await live.turn("a", "A");
      const changes = live.changes();
      expect(await live.session.receipt(bench.id as unknown as SubmissionId)).toMatchObject(unknown);
      expect(live.changes()).toBe(changes);
    });
  });

  test("inherited by a fork belong to its source, settle nothing there, and their keys are free", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a", { key: "k" });
      (await live.nextRound()).end(done("A"));
      await first.settled;
      const open = await live.submit("b");
      await live.nextRound();
      const forked = await bench.store.fork(bench.id);
      if (!forked.ok) throw new Error(forked.error.what);
      const fork = await bench.reopen(forked.value.id);
      for (const { submission } of [first, open]) {
        const told = await fork.session.receipt(submission);
        expect(told).toMatchObject({ ok: false, error: { code: "receipt.inherited" } });
        if (!told.ok) expect(told.error.what).toContain(bench.id);
      }
      const own = await fork.submit("other text", { key: "k" });
      expect(own.submission).not.toBe(first.submission);
      await fork.nextRound();
      expect(await live.session.receipt(open.submission)).toMatchObject({ value: { state: "running" } });
    });
  });

  test("cancelling an observation leaves work unchanged", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const seen: string[] = [];
      const cancel = live.session.observe((event) => seen.push(event.type));
      const stop = new AbortController();
      const { submission, settled } = await live.submit("a");
      const round = await live.nextRound();
      const at = await live.session.attach({ limit: 10 });
      if (!at.ok) throw new Error(at.error.what);
      const following = live.session.changes({ from: at.value.position, signal: stop.signal })[Symbol.asyncIterator]();
      const waiting = following.next();
      const changes = live.changes();
      cancel();
      stop.abort();
      expect(await waiting).toEqual({ done: true, value: undefined });
      expect([live.session.status().running, live.changes()]).toEqual([true, changes]);
      const count = seen.length;
      round.end(done("A"));
      expect(await settled).toMatchObject({ status: "ok", reply: "A" });
      expect(seen).toHaveLength(count);
      expect(await live.session.receipt(submission)).toMatchObject({ value: { state: "settled" } });
    });
  });

  test("an abort is recorded as a wish before anything is stopped", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const { settled } = await live.submit("a");
      await live.nextRound();
      expect(await live.session.abort()).toEqual({ ok: true, value: [] });
      expect(await settled).toMatchObject({ status: "aborted", reason: "abort" });
      const works = (await bench.entries()).flatMap((entry) => (entry.type === "work" ? [entry.state] : []));
      expect(works.indexOf("cancel-requested")).toBeGreaterThan(-1);
      expect(works.indexOf("cancel-requested")).toBeLessThan(works.lastIndexOf("settled"));
    });
  });
});
