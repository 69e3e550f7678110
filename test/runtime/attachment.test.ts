import { describe, expect, test } from "vitest";
import type { CallId, EntryId, Result } from "../../src/base/index.js";
import type { Attachment, ChangeBatch, RuntimeSession } from "../../src/runtime/index.js";
import { countingFrom, ObserverSession } from "../../src/runtime/session/index.js";
import type { Diagnostic, Position, SmithEvent, UserMessageEntry } from "../../src/schema/index.js";
import type { SessionStore, SessionWriter } from "../../src/session/index.js";
import { answer, outcome, toolCall } from "../agent/fixtures.js";
import { created, depsFor, openedReader, withStore } from "../session/support/store.js";
import { createManualClock } from "../support/manual-clock.js";
import { type LiveBench, withLive } from "./live-bench.js";

const value = <T>(result: Result<T, Diagnostic> | undefined): T => {
  if (result?.ok !== true) throw new Error(result === undefined ? "nothing came" : result.error.what);
  return result.value;
};

/** What a view of the transcript is made of, without where it was read from. */
const told = (events: readonly SmithEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type === "user" || event.type === "assistant") return [`${event.type} ${event.text}`];
    return event.type === "tool_start" || event.type === "tool_end" ? [`${event.type} ${event.name}`] : [];
  });

const observerOf = async (store: SessionStore, id: LiveBench["id"]): Promise<ObserverSession> => {
  const reader = await openedReader(store, id);
  return new ObserverSession({
    reader,
    counting: countingFrom(await reader.live()),
    status: {
      running: false,
      access: "read",
      mode: "read-only",
      model: { provider: "p", model: "m" },
      modelSource: "test",
      queue: [],
      statusItems: [],
      owner: { pid: 7, host: "here", startedAt: 0, version: "0" },
    },
    toolDefinition: () => undefined,
    clock: createManualClock(),
    owner: () => Promise.resolve(undefined),
    reopen: async () => await store.open(id, "read"),
    onObserverFault: () => undefined,
    onClosed: () => undefined,
  });
};

/** Takes batches until one reaches `seq`. */
async function batchesUntil(session: RuntimeSession, from: Position, seq: number): Promise<readonly ChangeBatch[]> {
  const stop = new AbortController();
  const batches: ChangeBatch[] = [];
  for await (const item of session.changes({ from, signal: stop.signal })) {
    batches.push(value(item));
    if ((batches.at(-1)?.position.seq ?? 0) >= seq) stop.abort();
  }
  return batches;
}

const read = { ...toolCall("read"), call: "00000000-0000-7000-8000-00000000ca11" as CallId };

const COMMITS = 2000;
const EVERY = 125;

/** Commits numbered messages one after the other, without waiting for readers. */
async function talk(writer: SessionWriter, ids: ReturnType<typeof depsFor>["ids"], count: number): Promise<void> {
  let parent = writer.leaf();
  for (let index = 0; index < count; index += 1) {
    const entry: UserMessageEntry = {
      type: "user-message",
      id: ids.next<EntryId>(),
      time: 1,
      source: "prompt",
      text: String(index),
      ...(parent === undefined ? {} : { parent }),
    };
    parent = entry.id;
    await writer.commit({ entries: [entry], leaf: entry.id }).published;
  }
}

describe("attaching", () => {
  test(
    "under a committing writer gives page and changes without gap or repeat, for consumers fast and slow",
    { timeout: 60_000 },
    async () => {
      await withStore(async (store, dir) => {
        const { ids } = depsFor(dir);
        const writer = await created(store);
        const talking = talk(writer, ids, COMMITS);
        const session = await observerOf(store, writer.id);
        const follow = async (isSlow: boolean): Promise<readonly string[]> => {
          const { position, events } = value(await session.attach({ limit: COMMITS }));
          const texts = [...told(events)];
          const stop = new AbortController();
          let last = position.seq;
          for await (const item of session.changes({ from: position, signal: stop.signal })) {
            const batch = value(item);
            expect(batch.position.seq).toBe(last + 1);
            last = batch.position.seq;
            texts.push(...told(batch.events));
            // A slow one lets the writer run far ahead between two of its steps.
            if (isSlow && last % EVERY === 0) await talking;
            if (last === COMMITS) stop.abort();
          }
          return texts;
        };
        const seen = [follow(false), follow(true)];
        await talking;
        const expected = Array.from({ length: COMMITS }, (_, index) => `user ${String(index)}`);
        for (const texts of await Promise.all(seen)) expect(texts).toEqual(expected);
        await session.close();
        await writer.close();
      });
    },
  );

  test("is the same for the writer's own session and for an observer", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const observer = await observerOf(bench.store, bench.id);
      const views: Attachment[] = [value(await live.session.attach({ limit: 10 })), value(await observer.attach({ limit: 10 }))];
      expect(views[0]).toEqual(views[1]);
      const from = views[0]?.position;
      if (from === undefined) throw new Error("no position");
      const receipt = await live.submit("b");
      (await live.nextRound()).end({ type: "done", result: answer("", [read]) });
      live.knobs.dispatch = async () => await Promise.resolve(outcome("content"));
      (await live.nextRound()).end({ type: "done", result: answer("B") });
      await receipt.settled;
      const { position } = value(await live.session.attach({ limit: 1 }));
      const both = [await batchesUntil(live.session, from, position.seq), await batchesUntil(observer, from, position.seq)];
      expect(both[0]).toEqual(both[1]);
      const all = both[0]?.flatMap(({ events }) => events) ?? [];
      expect(told(all)).toEqual(["user b", "assistant ", "tool_start read", "tool_end read", "assistant B"]);
      expect(all.every((event) => event.position !== undefined)).toBe(true);
      await observer.close();
    });
  });

  test("page and changes together are the transcript that a later page shows whole", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { position, events } = value(await live.session.attach({ limit: 100 }));
      await live.turn("b", "B");
      await live.turn("c", "C");
      const end = value(await live.session.attach({ limit: 100 }));
      const later = await batchesUntil(live.session, position, end.position.seq);
      expect([...told(events), ...later.flatMap((batch) => told(batch.events))]).toEqual(told(end.events));
      expect(told(end.events)).toHaveLength(6);
    });
  });

  test("to a session without a file waits for its first change and misses nothing of it", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const { position, events } = value(await live.session.attach({ limit: 10 }));
      expect([position, events]).toEqual([{ session: bench.id, epoch: 0, seq: 0 }, []]);
      const stop = new AbortController();
      const following = live.session.changes({ from: position, signal: stop.signal })[Symbol.asyncIterator]();
      const first = following.next();
      await live.submit("a");
      expect(told(value((await first).value as Result<ChangeBatch, Diagnostic>).events)).toEqual(["user a"]);
      stop.abort();
      expect(await following.next()).toMatchObject({ done: true });
    });
  });

  test("as of a position does not show what is committed while the page is read", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const attaching = live.session.attach({ limit: 10 });
      await live.turn("b", "B");
      const page = value(await attaching);
      expect(told(page.events)).toEqual(["user a", "assistant A"]);
    });
  });

  test("gives earlier pages on the branch of their boundary, also when another branch is selected by then", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      await live.turn("b", "B");
      const { next, events } = value(await live.session.attach({ limit: 2 }));
      expect(told(events)).toEqual(["user b", "assistant B"]);
      if (next === undefined) throw new Error("there is more");
      expect(await live.session.navigate(undefined)).toEqual({ ok: true, value: undefined });
      expect(told((await live.session.backlog({ limit: 2, before: next })).events)).toEqual(["user a", "assistant A"]);
      expect(value(await live.session.attach({ limit: 10 })).events).toEqual([]);
    });
  });
});

describe("positions", () => {
  test("continue after the session was reopened by another process", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { position } = value(await live.session.attach({ limit: 10 }));
      await live.turn("b", "B");
      await live.session.close();
      const again = await bench.reopen();
      const end = value(await again.session.attach({ limit: 10 }));
      const missed = await batchesUntil(again.session, position, end.position.seq);
      expect(missed.flatMap((batch) => told(batch.events))).toEqual(["user b", "assistant B"]);
    });
  });

  test.each([
    ["another session", { session: "01900000-0000-7000-8000-0000000000ff" }],
    ["another epoch", { epoch: 3 }],
    ["a change that was never stored", { seq: 9_999 }],
    ["no change that there can be", { seq: -1 }],
  ])("of %s end with an error instead of skipping history", async (_, other) => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { position } = value(await live.session.attach({ limit: 10 }));
      const observer = await observerOf(bench.store, bench.id);
      for (const session of [live.session, observer]) {
        const items: unknown[] = [];
        const from = { ...position, ...other } as Position;
        for await (const item of session.changes({ from, signal: new AbortController().signal })) items.push(item);
        expect(items).toMatchObject([{ ok: false, error: { code: "session.position-foreign" } }]);
      }
      await observer.close();
    });
  });

  test("of changes that are not acknowledged are not given out", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { position } = value(await live.session.attach({ limit: 10 }));
      live.knobs.failFrom = live.changes();
      expect((await live.session.submit({ text: "b" })).ok).toBe(false);
      const page = value(await live.session.attach({ limit: 10 }));
      expect([page.position, told(page.events)]).toEqual([position, ["user a", "assistant A"]]);
    });
  });
});

describe("following", () => {
  test("ends when the session is closed", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { position } = value(await live.session.attach({ limit: 10 }));
      const following = live.session.changes({ from: position, signal: new AbortController().signal })[Symbol.asyncIterator]();
      const waiting = following.next();
      await live.session.close();
      expect(await waiting).toMatchObject({ done: true });
    });
  });

  test("says when another branch was selected: views of two branches are not mixed silently", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { position } = value(await live.session.attach({ limit: 10 }));
      await live.session.navigate(undefined);
      await live.turn("b", "B");
      const end = value(await live.session.attach({ limit: 10 }));
      expect(told(end.events)).toEqual(["user b", "assistant B"]);
      const events = (await batchesUntil(live.session, position, end.position.seq)).flatMap((batch) => batch.events);
      expect(events.map((event) => event.type)).toEqual(["notice", "user", "assistant"]);
      expect(events[0]).toMatchObject({ text: expect.stringContaining("another branch") as string });
    });
  });
});
