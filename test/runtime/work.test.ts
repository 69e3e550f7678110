import { describe, expect, test } from "vitest";
import type { CallId, EffectId, EntryId, WorkId } from "../../src/base/index.js";
import type { Available } from "../../src/agent/index.js";
import type { EffectIntentEntry, Entry } from "../../src/schema/index.js";
import { answer, outcome, toolCall } from "../agent/fixtures.js";
import { openedWriter } from "../session/support/store.js";
import { type LiveBench, withLive } from "./live-bench.js";

const done = (text: string) => ({ type: "done", result: answer(text) }) as const;
const call = "00000000-0000-7000-8000-00000000ca11" as CallId;
const effect = "00000000-0000-7000-8000-0000000effec" as EffectId;
const shell = { ...toolCall("shell"), call };
const id = (index: number): EntryId => `00000000-0000-7000-9000-${String(index).padStart(12, "0")}` as EntryId;

/** What the interrupted turn needs. */
const able: Available = { tools: [{ name: "shell", plugin: "tool-shell" }], providers: [{ id: "toy", plugin: "toy" }] };

const conversation = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.type === "user-message" || (entry.type === "assistant" && entry.text !== "") ? [entry.text] : []));

/** A file whose process ended while a command of the turn `a` ran. */
async function interrupted(bench: LiveBench): Promise<void> {
  const live = bench.create();
  live.knobs.dispatch = async () => await new Promise(() => undefined);
  await live.submit("a");
  (await live.nextRound()).end({ type: "done", result: answer("", [shell]) });
  await new Promise<void>((resolve) => {
    live.session.observe((event) => {
      if (event.type === "tool_start") resolve();
    });
    if (live.events.some((event) => event.type === "tool_start")) resolve();
  });
  const work = (await bench.entries()).find((entry) => entry.type === "work")?.work as WorkId;
  await live.crash();
  const writer = await openedWriter(bench.store, bench.id);
  const intent: EffectIntentEntry = {
    type: "effect-intent",
    id: id(1),
    time: 5,
    effect,
    work,
    cause: call,
    operation: "process.run",
    plugin: "tool-shell",
    generation: 1,
    input: { command: "make deploy" },
  };
  await writer.commit({ entries: [intent] }).durable;
  await writer.close();
}

describe("interrupted work", () => {
  test("is gone on with at a wish: nothing is run again, its open call says what is known, the next request follows", async () => {
    await withLive(async (bench) => {
      await interrupted(bench);
      const live = await bench.reopen();
      live.knobs.available = able;
      let runs = 0;
      live.knobs.dispatch = async () => {
        runs += 1;
        return await Promise.resolve(outcome("again"));
      };
      const resumed = await live.session.resumeWork();
      if (!resumed.ok) throw new Error(resumed.error.what);
      const round = await live.nextRound();
      expect(await live.session.receipt(resumed.value.submission)).toMatchObject({ value: { state: "running" } });
      round.end(done("A"));
      expect(await resumed.value.settled).toMatchObject({ status: "ok", reply: "A" });
      const entries = await bench.entries();
      expect(conversation(entries)).toEqual(["a", "A"]);
      expect(entries.filter((entry) => entry.type === "tool-result")).toMatchObject([{ call, mutation: "unknown" }]);
      expect(entries.filter((entry) => entry.type === "submission")).toMatchObject([{ submission: resumed.value.submission }]);
      expect(runs).toBe(0);
    });
  });

  test("missing execution dependencies block continuation without silent rebinding or erasing durable state", async () => {
    await withLive(async (bench) => {
      await interrupted(bench);
      const live = await bench.reopen();
      live.knobs.available = { ...able, providers: [] };
      const blocked = { ok: false, error: { code: "agent.work-blocked" } };
      expect(await live.session.resumeWork()).toMatchObject(blocked);
      expect(live.rounds()).toBe(0);
      expect((await bench.entries()).findLast((entry) => entry.type === "work")).toMatchObject({ state: "blocked" });
      await live.session.close();
      const again = await bench.reopen();
      again.knobs.available = able;
      expect((await again.session.resumeWork()).ok).toBe(true);
      (await again.nextRound()).end(done("A"));
    });
  });

  test("without any there is nothing to go on with, and nothing is written", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const changes = live.changes();
      expect(await live.session.resumeWork()).toMatchObject({ ok: false, error: { code: "agent.nothing-interrupted" } });
      expect(live.changes()).toBe(changes);
    });
  });

  test("shows its unknown effects in the first page and in no later event", async () => {
    await withLive(async (bench) => {
      await interrupted(bench);
      const live = await bench.reopen();
      const page = await live.session.backlog({ limit: 10 });
      expect(page.events.filter((event) => event.type === "unknown_effect")).toMatchObject([
        { effect, operation: "process.run", summary: expect.stringContaining("make deploy") as string },
      ]);
      await live.submit("b");
      expect(live.events.filter((event) => event.type === "unknown_effect")).toEqual([]);
    });
  });

  test("tells its unknown effects with the first input to a frontend that reads no page", async () => {
    await withLive(async (bench) => {
      await interrupted(bench);
      const live = await bench.reopen();
      await live.submit("b");
      expect(live.events.filter((event) => event.type === "unknown_effect")).toHaveLength(1);
    });
  });
});

describe("explicit reconciliation", () => {
  test("records a person's word on an unknown effect: a new record, never a rewrite, never a re-run", async () => {
    await withLive(async (bench) => {
      await interrupted(bench);
      const live = await bench.reopen();
      expect(await live.session.unknownEffects()).toMatchObject([{ effect, operation: "process.run", plugin: "tool-shell" }]);
      const before = (await bench.entries()).length;
      expect(await live.session.reconcile("effec", { outcome: "applied", note: "seen" })).toEqual({ ok: true, value: effect });
      const entries = await bench.entries();
      expect(entries.slice(before)).toMatchObject([{ type: "reconciled", effect, outcome: "applied", note: "seen" }]);
      expect(await live.session.unknownEffects()).toEqual([]);
      expect(live.rounds()).toBe(0);
    });
  });

  test("two words of one tick: the second knows of the first", async () => {
    await withLive(async (bench) => {
      await interrupted(bench);
      const live = await bench.reopen();
      const word = { outcome: "applied" } as const;
      expect(await Promise.all([live.session.reconcile("effec", word), live.session.reconcile("effec", word)])).toMatchObject([
        { ok: true },
        { ok: false, error: { code: "agent.effect-said" } },
      ]);
      expect((await bench.entries()).filter(({ type }) => type === "reconciled")).toHaveLength(1);
    });
  });

  test("refuses what there is no such effect of", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      expect(await live.session.reconcile("beef", { outcome: "applied" })).toMatchObject({
        ok: false,
        error: { code: "agent.effect-unknown" },
      });
    });
  });

  test("is not asked of effects the running turn has begun", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.submit("a");
      await live.nextRound();
      expect(await live.session.unknownEffects()).toEqual([]);
    });
  });
});

describe("navigation and context edits", () => {
  test("input after navigating continues the selected entry; the branch that was left is kept", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      await live.turn("b", "B");
      const to = (await bench.entries()).find((entry) => entry.type === "assistant")?.id;
      expect(await live.session.navigate(to)).toEqual({ ok: true, value: undefined });
      const receipt = await live.submit("c");
      const round = await live.nextRound();
      expect(round.texts).toEqual(["a", "c"]);
      round.end(done("C"));
      await receipt.settled;
      expect(conversation(await bench.entries())).toEqual(["a", "A", "b", "B", "c", "C"]);
      await live.session.close();
      const again = await bench.reopen();
      const page = await again.session.backlog({ limit: 10 });
      expect(page.events.flatMap((event) => (event.type === "user" ? [event.text] : []))).toEqual(["a", "c"]);
    });
  });

  test("only while nothing runs", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.submit("a");
      await live.nextRound();
      const refused = { ok: false, error: { code: "agent.turn-running" } };
      const target = (await bench.entries()).find((entry) => entry.type === "user-message")?.id as EntryId;
      expect(await live.session.navigate(undefined)).toMatchObject(refused);
      expect(await live.session.editContext([{ target, operation: "omit" }])).toMatchObject(refused);
    });
  });

  test("an edit changes what the next request holds, and raw history stays; an invalid batch changes nothing", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const target = (await bench.entries()).find((entry) => entry.type === "user-message")?.id as EntryId;
      const changes = live.changes();
      expect(
        await live.session.editContext([
          { target, operation: "replace", text: "z" },
          { target: id(77), operation: "omit" },
        ]),
      ).toMatchObject({ ok: false, error: { code: "agent.edit-target" } });
      expect(live.changes()).toBe(changes);
      expect(await live.session.editContext([{ target, operation: "replace", text: "z" }])).toEqual({ ok: true, value: undefined });
      await live.submit("b");
      expect((await live.nextRound()).texts).toEqual(["z", "b"]);
      expect(conversation(await bench.entries()).slice(0, 2)).toEqual(["a", "A"]);
    });
  });

  test("a leaf that is not in the session is refused", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      expect(await live.session.navigate(id(99))).toMatchObject({ ok: false, error: { code: "agent.leaf-unknown" } });
    });
  });
});
