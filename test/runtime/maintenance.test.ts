import { describe, expect, test } from "vitest";
import type { CallId, EffectId, EntryId, SessionId, WorkId } from "../../src/base/index.js";
import { openedWriter } from "../session/support/store.js";
import { type LiveBench, withLive } from "./live-bench.js";
import { storedAt, valueOf, valuesOf } from "./stored.js";

const effect = "00000000-0000-7000-8000-0000000effec" as EffectId;
const id = (index: number): EntryId => `00000000-0000-7000-9000-${String(index).padStart(12, "0")}` as EntryId;

/** A session with one turn that nobody has open. */
async function recorded(bench: LiveBench): Promise<void> {
  const live = bench.create();
  await live.turn("a", "A");
  await live.session.close();
}

/** An effect that was begun by a process that is gone. */
async function leaveEffect(bench: LiveBench): Promise<void> {
  const writer = await openedWriter(bench.store, bench.id);
  const work = (await bench.entries()).find((entry) => entry.type === "work")?.work as WorkId;
  const cause = id(7) as unknown as CallId;
  const shared = { effect, work, cause, operation: "process.run", plugin: "tool-shell", generation: 1, input: { command: "make" } };
  await writer.commit({ entries: [{ type: "effect-intent", id: id(1), time: 1, ...shared }] }).durable;
  await writer.close();
}

describe("maintenance of stored sessions", () => {
  test("forks, also from a session that is being written, and names the new one", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { maintenance, inspection } = storedAt(bench.dir);
      const made = valueOf(await maintenance.fork(bench.id, { name: "try" }));
      expect(made.id).not.toBe(bench.id);
      const summaries = [];
      for await (const summary of inspection.list({ name: "try" })) summaries.push(summary);
      expect(summaries).toMatchObject([{ id: made.id, origin: bench.id }]);
      await live.turn("b", "B");
      const fork = await bench.reopen(made.id);
      await fork.turn("c", "C");
      const texts = (await bench.entries()).flatMap((entry) => (entry.type === "user-message" ? [entry.text] : []));
      expect(texts).toEqual(["a", "b"]);
    });
  });

  test("forks at an entry", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const at = (await bench.entries()).findLast((entry) => entry.type === "assistant")?.id as EntryId;
      await live.turn("b", "B");
      const { maintenance, inspection } = storedAt(bench.dir);
      const made = valueOf(await maintenance.fork(bench.id, { at }));
      const entries = await valuesOf(inspection.entries(made.id, { branch: "selected", types: new Set(["user-message"]) }));
      expect(entries).toMatchObject([{ text: "a", inherited: true }]);
    });
  });

  test("renames by a record at the end of the branch", async () => {
    await withLive(async (bench) => {
      await recorded(bench);
      const { maintenance } = storedAt(bench.dir);
      expect(await maintenance.rename(bench.id, "better")).toEqual({ ok: true, value: undefined });
      const again = await bench.reopen();
      await again.session.backlog({ limit: 1 });
      expect(again.session.status().name).toBe("better");
      await again.turn("b", "B");
    });
  });

  test("records a word on an unknown effect, once, and never runs anything", async () => {
    await withLive(async (bench) => {
      await recorded(bench);
      await leaveEffect(bench);
      const { maintenance } = storedAt(bench.dir);
      const said = await maintenance.reconcile(bench.id, "ffec", { outcome: "not-applied", note: "looked" });
      expect(said).toEqual({ ok: true, value: { effect, operation: "process.run" } });
      expect((await bench.entries()).filter((entry) => entry.type === "reconciled")).toMatchObject([
        { effect, outcome: "not-applied", note: "looked" },
      ]);
      const before = (await bench.entries()).length;
      expect(await maintenance.reconcile(bench.id, "ffec", { outcome: "not-applied" })).toMatchObject({
        ok: false,
        error: { code: "agent.effect-said" },
      });
      expect(await maintenance.reconcile(bench.id, "beef", { outcome: "applied" })).toMatchObject({
        ok: false,
        error: { code: "agent.effect-unknown" },
      });
      expect(await bench.entries()).toHaveLength(before);
      expect(await maintenance.reconcile(bench.id, "ffec", { outcome: "not-applied", note: "looked again" })).toMatchObject({ ok: true });
      expect((await bench.entries()).filter((entry) => entry.type === "reconciled")).toMatchObject([
        { note: "looked" },
        { note: "looked again" },
      ]);
    });
  });

  test("takes the lock: what changes a session another process writes is refused with exit 4, and nothing changed", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const before = await bench.entries();
      const { maintenance } = storedAt(bench.dir);
      const busy = { ok: false, error: { code: "session.busy", exit: 4 } };
      expect(await maintenance.rename(bench.id, "x")).toMatchObject(busy);
      expect(await maintenance.remove(bench.id)).toMatchObject(busy);
      expect(await maintenance.repair(bench.id)).toMatchObject(busy);
      expect(await maintenance.reconcile(bench.id, "ffec", { outcome: "applied" })).toMatchObject(busy);
      expect(await bench.entries()).toEqual(before);
    });
  });

  test("lets go of the lock afterwards, also when it refused", async () => {
    await withLive(async (bench) => {
      await recorded(bench);
      const { maintenance } = storedAt(bench.dir);
      await maintenance.rename(bench.id, "x");
      await maintenance.reconcile(bench.id, "beef", { outcome: "applied" });
      const again = await bench.reopen();
      await again.turn("b", "B");
      await again.session.close();
      expect(await maintenance.remove(bench.id)).toEqual({ ok: true, value: undefined });
      expect(await maintenance.remove(bench.id)).toMatchObject({ ok: false, error: { code: "session.unknown" } });
    });
  });

  test("imports what was dumped, ids and order kept; a taken id needs asNew", async () => {
    await withLive(async (bench) => {
      await recorded(bench);
      const { maintenance, inspection } = storedAt(bench.dir);
      const lines = await valuesOf(inspection.dump(bench.id));
      const feed = async function* (): AsyncGenerator<string> {
        await Promise.resolve();
        yield* lines;
      };
      expect((await maintenance.import(feed(), { asNew: false })).ok).toBe(false);
      const made = valueOf(await maintenance.import(feed(), { asNew: true }));
      expect(made.id).not.toBe(bench.id);
      const ids = async (session: SessionId): Promise<readonly EntryId[]> =>
        (await valuesOf(inspection.entries(session, { branch: "selected" }))).map((entry) => entry.id);
      expect(await ids(made.id)).toEqual(await ids(bench.id));
      await maintenance.remove(bench.id);
      const same = valueOf(await maintenance.import(feed(), { asNew: true }));
      expect(same.id).toBe(bench.id);
    });
  });

  test("of a session that is not there says so", async () => {
    await withLive(async (bench) => {
      const { maintenance } = storedAt(bench.dir);
      const unknown = { ok: false, error: { code: "session.unknown" } };
      expect(await maintenance.rename(bench.id, "x")).toMatchObject(unknown);
      expect(await maintenance.fork(bench.id)).toMatchObject(unknown);
      expect(await maintenance.repair(bench.id)).toMatchObject(unknown);
    });
  });
});
