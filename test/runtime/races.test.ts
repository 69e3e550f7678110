import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/schema/index.js";
import type { StateDeclaration } from "../../src/runtime/session/scoped-state.js";
import { answer } from "../agent/fixtures.js";
import { bound, gate, type Live, withLive } from "./live-bench.js";
import { onDisk } from "./faulty-disk.js";

const note: StateDeclaration = {
  owner: "core",
  key: "note",
  version: 1,
  scope: "session",
  fork: "fresh",
  retention: "session",
  maxBytes: 100,
};

const refusing =
  (type: Entry["type"]) =>
  (entries: readonly Entry[]): ReturnType<typeof bound> | undefined =>
    entries.some((entry) => entry.type === type) ? bound() : undefined;

/** Storage fails under a commit that is not the driver's, so that the driver does not know of it. */
async function failUnseen({ session }: Live): Promise<void> {
  const cell = session.state.declare(note);
  if (!cell.ok) throw new Error(cell.error.what);
  expect(await cell.value.put("x")).toMatchObject({ ok: false });
}

describe("admission over a bound", () => {
  test("two refused inputs of one tick are refused alone: nothing is sealed, nothing is opened again", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      let reopened = 0;
      live.knobs.beforeOpen = async () => {
        reopened += 1;
        await Promise.resolve();
      };
      live.knobs.refuse = refusing("submission");
      const refused = await Promise.all([live.session.submit({ text: "b" }), live.session.submit({ text: "c" })]);
      expect(refused).toMatchObject([
        { ok: false, error: { code: "session.limit" } },
        { ok: false, error: { code: "session.limit" } },
      ]);
      live.knobs.refuse = () => undefined;
      await live.turn("d", "D");
      expect(reopened).toBe(0);
    });
  });

  test("a name that was refused is not recorded later", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      live.knobs.refuse = refusing("session-info");
      expect(await live.session.rename("refused")).toMatchObject({ ok: false });
      live.knobs.refuse = () => undefined;
      await live.session.close();
      const again = await bench.reopen();
      again.knobs.refuse = refusing("session-info");
      expect(await again.session.rename("refused too")).toMatchObject({ ok: false });
      again.knobs.refuse = () => undefined;
      await again.turn("b", "B");
      expect(again.session.status().name).toBe("a");
      const names = (await bench.entries()).flatMap((entry) => (entry.type === "session-info" ? [entry.name] : []));
      expect(names).toEqual(["a"]);
    });
  });
});

describe("storage that fails while a turn runs and somebody else notices", () => {
  test("the turn ends as failed storage and its request is aborted before the next one begins", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      const first = await live.submit("a");
      await live.nextRound();
      disk.fault = { error: "ENOSPC" };
      await failUnseen(live);
      disk.fault = undefined;
      const second = await live.submit("b");
      expect(live.signals[0]?.aborted).toBe(true);
      expect(await first.settled).toMatchObject({ status: "error", reason: "storage" });
      const told = live.events.flatMap((event) => (event.type === "run_start" || event.type === "run_end" ? [event.type] : []));
      expect(told).toEqual(["run_start", "run_end", "run_start"]);
      (await live.nextRound()).end({ type: "done", result: answer("B") });
      expect(await second.settled).toMatchObject({ status: "ok" });
      expect(await live.session.receipt(first.submission)).toMatchObject({ value: { state: "settled", end: { status: "aborted" } } });
    });
  });
});

describe("what is read while the file is opened again", () => {
  test("waits for the file: a page holds its history, a receipt its end, a state its value", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      const first = await live.turn("a", "A");
      const cell = live.session.state.declare(note);
      if (!cell.ok) throw new Error(cell.error.what);
      await cell.value.put("kept");
      disk.fault = { error: "ENOSPC" };
      expect((await live.session.submit({ text: "b" })).ok).toBe(false);
      disk.fault = undefined;
      const opening = gate();
      live.knobs.beforeOpen = opening.pass;
      const submitted = live.session.submit({ text: "c" });
      await opening.reached;
      const reading = Promise.all([live.session.backlog({ limit: 10 }), live.session.receipt(first.submission), cell.value.get()]);
      opening.open();
      const [page, , state] = await reading;
      expect(page.events.flatMap((event) => (event.type === "user" ? [event.text] : []))).toContain("a");
      expect(state).toMatchObject({ value: { value: "kept" } });
      expect((await submitted).ok).toBe(true);
    });
  });
});

describe("a receipt", () => {
  test("settles when the session closes before its submission could end", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.submit("a");
      await live.nextRound();
      const waiting = await live.submit("b", { delivery: "follow-up", key: "k" });
      await live.crash();
      const again = await bench.reopen();
      again.knobs.refuse = refusing("queue");
      const receipt = await again.submit("b", { key: "k" });
      expect([receipt.submission, receipt.queued]).toEqual([waiting.submission, true]);
      await again.session.close();
      expect(await receipt.settled).toMatchObject({ status: "aborted", error: { code: "session.closed" } });
      expect((await bench.entries()).filter((entry) => entry.type === "receipt" && entry.submission === waiting.submission)).toEqual([]);
    });
  });
});
