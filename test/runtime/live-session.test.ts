import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CallId, err, type SubmissionId } from "../../src/base/index.js";
import { openSession } from "../../src/runtime/session/file/index.js";
import { diagnostic, type Entry } from "../../src/schema/index.js";
import type { SessionStore } from "../../src/session/index.js";
import { answer, outcome, toolCall } from "../agent/fixtures.js";
import { type Gate, gate, type Live, type LiveBench, withLive } from "./live-bench.js";

let unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const done = (text: string) => ({ type: "done", result: answer(text) }) as const;
const read = { ...toolCall("read"), call: "00000000-0000-7000-8000-00000000ca11" as CallId };
const refusal = { type: "failed", error: { class: "auth", message: "no" }, partial: { ...answer(""), stop: "failed" } } as const;
const endsTurn = (entries: readonly Entry[]): boolean => entries.some((entry) => entry.type === "receipt");

/** Holds the change that ends a turn, and all after it, until the gate opens. */
function holdEnd(live: Live): Gate {
  const held = gate();
  let isHeld = false;
  live.knobs.beforeCommit = async (entries) => {
    isHeld ||= endsTurn(entries);
    if (isHeld) await held.pass();
  };
  return held;
}

const conversation = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => {
    if (entry.type === "user-message") return [`${entry.source} ${entry.text}`];
    return entry.type === "assistant" ? [entry.text] : [];
  });

const isWritable = async ({ store, id }: LiveBench): Promise<boolean> => {
  const opened = await store.open(id, "write");
  if (!opened.ok) return false;
  await opened.value.close();
  return opened.value.access === "write";
};

const notices = (live: Live): readonly string[] => live.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));

/** A file whose process ended while `b` waited behind the turn of `a`. */
async function withQueued(bench: LiveBench, key?: string): Promise<SubmissionId> {
  const live = bench.create();
  await live.submit("a");
  await live.nextRound();
  const { submission } = await live.submit("b", { delivery: "follow-up", ...(key === undefined ? {} : { key }) });
  await live.crash();
  return submission;
}

describe("closing", () => {
  test("waits for the end of a turn that is still being written, and then lets the file go", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const receipt = await live.submit("a");
      const held = holdEnd(live);
      (await live.nextRound()).end(done("A"));
      await held.reached;
      const closed = live.session.close();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(live.isClosed()).toBe(false);
      held.open();
      await closed;
      expect(await receipt.settled).toMatchObject({ status: "ok", reply: "A" });
      expect(conversation(await bench.entries())).toEqual(["prompt a", "A"]);
      expect(await isWritable(bench)).toBe(true);
    });
  });

  test("what a failed turn left does not begin a turn in a session that closes", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.submit("a");
      const round = await live.nextRound();
      const left = await live.submit("b", { delivery: "follow-up" });
      const held = holdEnd(live);
      round.end(refusal);
      await held.reached;
      const closed = live.session.close();
      held.open();
      await closed;
      expect(await left.settled).toMatchObject({ status: "aborted", reason: "abort" });
      // Nothing was said, but what was used is kept.
      expect([live.rounds(), conversation(await bench.entries())]).toEqual([1, ["prompt a", ""]]);
    });
  });

  test("aborts a turn that runs, and records its end before the file is closed", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const receipt = await live.submit("a");
      await live.nextRound();
      await live.session.close();
      expect(await receipt.settled).toMatchObject({ status: "aborted" });
      expect((await bench.entries()).filter((entry) => entry.type === "receipt")).toMatchObject([{ status: "aborted" }]);
    });
  });

  test("while the first input makes its file: the input is refused, nothing runs, the file is let go", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const making = gate();
      live.knobs.beforeCreate = making.pass;
      const submitted = live.session.submit({ text: "a" });
      await making.reached;
      const closed = live.session.close();
      making.open();
      expect(await submitted).toMatchObject({ ok: false, error: { code: "session.closed" } });
      await closed;
      expect([live.rounds(), conversation(await bench.entries())]).toEqual([0, []]);
      expect(await isWritable(bench)).toBe(true);
    });
  });

  test("after it everything that writes is refused, and taking back says no", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const { submission, settled } = await live.submit("a");
      (await live.nextRound()).end(done("A"));
      await settled;
      await live.session.close();
      expect(await live.session.submit({ text: "b" })).toMatchObject({ ok: false, error: { code: "session.closed" } });
      expect((await live.session.rename("n")).ok).toBe(false);
      expect(await live.session.withdraw(submission)).toBe(false);
      expect(await live.session.abort()).toEqual({ ok: true, value: [] });
    });
  });

  test("a file that is just being made is closed, not leaked", async () => {
    await withLive(async (bench) => {
      const making = gate();
      const store: SessionStore = Object.assign(Object.create(bench.store) as SessionStore, {
        create: async (options: { readonly id?: typeof bench.id }) => {
          await making.pass();
          return await bench.store.create(options);
        },
      });
      const file = openSession({ type: "new", id: bench.id, store, path: "", temporary: false, name: undefined });
      const writer = file.writer();
      await making.reached;
      const closed = file.close(true);
      making.open();
      await closed;
      expect((await writer).state()).toBe("closed");
      expect(await isWritable(bench)).toBe(true);
    });
  });
});

describe("aborting", () => {
  test("while input is being admitted ends the turn that it begins", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const making = gate();
      live.knobs.beforeCreate = making.pass;
      const submitted = live.submit("a");
      await making.reached;
      const aborted = live.session.abort();
      making.open();
      expect(await (await submitted).settled).toMatchObject({ status: "aborted", reason: "abort" });
      expect(await aborted).toEqual({ ok: true, value: [] });
      expect(live.session.status().running).toBe(false);
    });
  });

  test("two steers come back though the batch completes meanwhile; later input is a turn that abort does not wait for", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const tool = gate();
      live.knobs.dispatch = async () => {
        await tool.pass();
        return outcome("content");
      };
      const first = await live.submit("a");
      (await live.nextRound()).end({ type: "done", result: answer("", [read]) });
      await tool.reached;
      const steers = [await live.submit("b"), await live.submit("c")];
      const recording = gate();
      live.knobs.beforeCommit = recording.pass;
      const aborted = live.session.abort();
      await recording.reached;
      const late = live.submit("d");
      tool.open();
      recording.open();
      expect(await aborted).toMatchObject({ ok: true, value: [{ text: "b" }, { text: "c" }] });
      expect(await first.settled).toMatchObject({ status: "aborted" });
      for (const steer of steers) expect(await steer.settled).toMatchObject({ status: "aborted" });
      const round = await live.nextRound();
      expect(live.session.status()).toMatchObject({ running: true, queue: [] });
      round.end(done("D"));
      expect(await (await late).settled).toMatchObject({ status: "ok", reply: "D" });
      expect(conversation(await bench.entries()).filter((line) => line !== "")).toEqual(["prompt a", "steer d", "D"]);
    });
  });
});

describe("deadline", () => {
  test("while the model is looked up ends the turn as limit/deadline, and what waited is told", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      live.knobs.limits = { stallThreshold: 3, deadlineMs: 1000 };
      live.knobs.facts = async (signal) =>
        await new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            resolve(err(diagnostic({ code: "provider.failed", what: "cut", why: "cut", next: "again" })));
          });
        });
      const receipt = await live.submit("a");
      const queued = await live.submit("b");
      await live.clock.sleeping();
      await live.clock.advance(1000);
      expect(await receipt.settled).toMatchObject({ status: "limit", reason: "deadline", error: { exit: 124 } });
      expect(await queued.settled).toMatchObject({ status: "aborted" });
      expect(live.rounds()).toBe(0);
    });
  });

  test("of a turn that ended in time stops nothing later", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      live.knobs.limits = { stallThreshold: 3, deadlineMs: 1000 };
      const first = await live.submit("a");
      (await live.nextRound()).end(done("A"));
      await first.settled;
      await live.clock.advance(900);
      const second = await live.submit("b");
      const round = await live.nextRound();
      await live.clock.advance(900);
      round.end(done("B"));
      expect(await second.settled).toMatchObject({ status: "ok", reply: "B" });
    });
  });
});

describe("deduplication keys", () => {
  test("the same key twice at once is one submission", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const [one, two] = await Promise.all([live.submit("a", { key: "k" }), live.submit("a", { key: "k" })]);
      expect(two.submission).toBe(one.submission);
      (await live.nextRound()).end(done("A"));
      expect(await Promise.all([one.settled, two.settled])).toMatchObject([{ reply: "A" }, { reply: "A" }]);
      expect((await bench.entries()).filter((entry) => entry.type === "submission")).toHaveLength(1);
    });
  });

  test("with other text it is a conflict that changes nothing", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = live.submit("a", { key: "k" });
      const conflict = { ok: false, error: { code: "runtime.key-conflict" } };
      expect(await live.session.submit({ text: "b", key: "k" })).toMatchObject(conflict);
      const { settled } = await first;
      (await live.nextRound()).end(done("A"));
      await settled;
      const before = live.changes();
      expect(await live.session.submit({ text: "b", key: "k" })).toMatchObject(conflict);
      expect(live.changes()).toBe(before);
    });
  });

  test("after a reopen it names the original receipt; other text is a conflict before anything is written", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a", { key: "k" });
      (await live.nextRound()).end(done("A"));
      await first.settled;
      await live.session.close();
      const again = await bench.reopen();
      expect(await again.session.submit({ text: "b", key: "k" })).toMatchObject({ ok: false, error: { code: "runtime.key-conflict" } });
      expect(again.changes()).toBe(0);
      const receipt = await again.submit("a", { key: "k" });
      expect([receipt.submission, await receipt.settled]).toMatchObject([first.submission, { status: "ok", reason: "done" }]);
      expect(again.rounds()).toBe(0);
    });
  });

  test("of an interrupted turn it gives the receipt that recovery wrote", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a", { key: "k" });
      await live.nextRound();
      await live.crash();
      const again = await bench.reopen();
      const receipt = await again.submit("a", { key: "k" });
      expect([receipt.submission, await receipt.settled]).toMatchObject([first.submission, { error: { code: "agent.interrupted" } }]);
      expect(again.rounds()).toBe(0);
    });
  });

  test("of input that still waits it begins the turn that the input waited for", async () => {
    await withLive(async (bench) => {
      const submission = await withQueued(bench, "k");
      const again = await bench.reopen();
      const receipt = await again.submit("b", { key: "k" });
      expect([receipt.submission, receipt.queued]).toEqual([submission, true]);
      (await again.nextRound()).end(done("B"));
      expect(await receipt.settled).toMatchObject({ status: "ok", reply: "B" });
    });
  });
});

describe("storage that fails", () => {
  // 0 prelude, 1 admission, 2 request, 3 response with a call, 4 its result, 5 request, 6 the end.
  test.each([0, 1])("at change %i: the input is refused, and no end is told of a turn that never began", async (index) => {
    await withLive(async (bench) => {
      const live = bench.create();
      live.knobs.failFrom = index;
      expect(await live.session.submit({ text: "a" })).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
      expect(await live.session.submit({ text: "b" })).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
      expect([live.rounds(), live.session.status().running]).toEqual([0, false]);
      expect(live.events.filter((event) => event.type === "run_end")).toEqual([]);
      await live.session.close();
    });
  });

  test.each([2, 3, 4, 5, 6])(
    "at change %i: the receipt is error/storage, nothing runs after it, later input is refused as long as the disk is full",
    async (index) => {
      await withLive(async (bench) => {
        const live = bench.create();
        live.knobs.failFrom = index;
        const receipt = await live.submit("a");
        if (index > 2) (await live.nextRound()).end({ type: "done", result: answer("", [read]) });
        if (index > 5) (await live.nextRound()).end(done("A"));
        expect(await receipt.settled).toMatchObject({ status: "error", reason: "storage", error: { code: "agent.storage" } });
        expect(live.changes()).toBe(index + 1);
        expect(live.rounds()).toBe(index > 5 ? 2 : index > 2 ? 1 : 0);
        expect(live.session.status().running).toBe(false);
        // The file is opened again and one change is tried; nothing of it is admitted.
        expect(await live.session.submit({ text: "b" })).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
        expect(live.changes()).toBe(index + 2);
        await live.session.close();
        expect(conversation(await bench.entries())).not.toContain("prompt b");
      });
    },
  );

  test.each(["abort", "withdraw", "the turn"])("in %s: whoever waits behind the turn hears of it too", async (what) => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a");
      const round = await live.nextRound();
      const queued = await live.submit("b");
      live.knobs.failFrom = live.changes();
      if (what === "abort") expect(await live.session.abort()).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
      else if (what === "withdraw") expect(await live.session.withdraw(queued.submission)).toBe(false);
      else round.end(refusal);
      for (const { settled } of [first, queued]) expect(await settled).toMatchObject({ status: "error", reason: "storage" });
      await live.session.close();
    });
  });

  test("a name that cannot be recorded is refused and not shown", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const { settled } = await live.submit("a");
      (await live.nextRound()).end(done("A"));
      await settled;
      live.knobs.failFrom = live.changes();
      expect(await live.session.rename("other")).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
      expect(live.session.status().name).toBe("a");
    });
  });
});

describe("names", () => {
  test("one given to a resumed session before any input is in the file at once", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const { settled } = await live.submit("a");
      (await live.nextRound()).end(done("A"));
      await settled;
      await live.session.close();
      const again = await bench.reopen();
      expect(await again.session.rename("other")).toMatchObject({ ok: true });
      expect(again.session.status().name).toBe("other");
      await again.session.close();
      const names = (await bench.entries()).flatMap((entry) => (entry.type === "session-info" ? [entry.name] : []));
      expect(names.at(-1)).toBe("other");
      expect(again.rounds()).toBe(0);
    });
  });

  test("one given to a new session waits for its first input and makes no file", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      expect(await live.session.rename("mine")).toMatchObject({ ok: true });
      expect((await bench.store.open(bench.id, "read")).ok).toBe(false);
      await live.submit("a");
      const names = (await bench.entries()).flatMap((entry) => (entry.type === "session-info" ? [entry.name] : []));
      expect(names).toEqual(["mine"]);
    });
  });
});

describe("input that an earlier process left waiting", () => {
  test("is shown after the first backlog and can be taken back before any input", async () => {
    await withLive(async (bench) => {
      const submission = await withQueued(bench);
      const live = await bench.reopen();
      await live.session.backlog({ limit: 50 });
      expect(live.session.status().queue).toEqual([{ submission, delivery: "follow-up", text: "b" }]);
      expect(await live.session.withdraw(submission)).toBe(true);
      expect(live.session.status().queue).toEqual([]);
      expect(await live.session.withdraw(submission)).toBe(false);
      expect([live.rounds(), notices(live)]).toEqual([0, []]);
      await live.session.close();
      const later = await bench.reopen();
      await later.session.backlog({ limit: 50 });
      expect(later.session.status().queue).toEqual([]);
    });
  });

  test("a withdrawal of what nobody sent starts nothing and writes nothing", async () => {
    await withLive(async (bench) => {
      await withQueued(bench);
      const live = await bench.reopen();
      expect(await live.session.withdraw("other" as SubmissionId)).toBe(false);
      expect(live.changes()).toBe(0);
    });
  });

  test("is delivered after the first turn, and a notice says so when it is", async () => {
    await withLive(async (bench) => {
      await withQueued(bench);
      const live = await bench.reopen();
      const { settled } = await live.submit("c");
      const first = await live.nextRound();
      expect(notices(live)).toEqual([]);
      first.end(done("C"));
      (await live.nextRound()).end(done("B"));
      await settled;
      expect(notices(live)).toEqual(['Queued in an earlier run and delivered in this one: "b"']);
      expect(live.session.status().queue).toEqual([]);
      expect(conversation(await bench.entries())).toEqual(["prompt a", "prompt c", "C", "follow-up b", "B"]);
    });
  });
});

describe("observers", () => {
  test("one that throws is reported and keeps nothing from the others, the turn and the receipt", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const fault = new TypeError("observer");
      live.session.observe(() => {
        throw fault;
      });
      const after: string[] = [];
      live.session.observe((event) => after.push(event.type));
      const { settled } = await live.submit("a");
      (await live.nextRound()).end(done("A"));
      expect(await settled).toMatchObject({ status: "ok", reply: "A" });
      expect(after).toEqual(live.events.map((event) => event.type));
      expect(after.at(-1)).toBe("run_end");
      expect(live.faults).toEqual(after.map(() => fault));
    });
  });

  test("input after a turn whose end is still being written: the first run ends before the second begins", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const first = await live.submit("a");
      const held = holdEnd(live);
      (await live.nextRound()).end(done("A"));
      await held.reached;
      const second = live.submit("b");
      held.open();
      const { queued, settled } = await second;
      expect([queued, await first.settled]).toMatchObject([false, { status: "ok" }]);
      (await live.nextRound()).end(done("B"));
      await settled;
      const runs = live.events.flatMap((event) => (event.type === "run_start" || event.type === "run_end" ? [event.type] : []));
      expect(runs).toEqual(["run_start", "run_end", "run_start", "run_end"]);
    });
  });
});
