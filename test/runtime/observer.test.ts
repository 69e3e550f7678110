import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryId, RequestId, SubmissionId, WorkId } from "../../src/base/index.js";
import { countingFrom, ObserverSession, recordedStatus } from "../../src/runtime/session/index.js";
import type { AssistantEntry, OwnerInfo, SmithEvent, UserMessageEntry } from "../../src/schema/index.js";
import type { SessionStore, SessionWriter } from "../../src/session/index.js";
import { created, depsFor, openedReader, openedWriter, withStore } from "../session/support/store.js";
import { createManualClock, type ManualClock } from "../support/manual-clock.js";

const owner: OwnerInfo = { pid: 7, host: "here", startedAt: 0, version: "0" };

interface Observed {
  readonly writer: SessionWriter;
  readonly session: ObserverSession;
  readonly clock: ManualClock;
  readonly told: SmithEvent[];
  readonly setOwner: (owner: OwnerInfo | undefined) => void;
  /** Resolves once an event is told that fits. */
  readonly until: (fits: (event: SmithEvent) => boolean) => Promise<void>;
  /** Commits messages, each in its change. */
  readonly say: (...texts: readonly string[]) => Promise<readonly EntryId[]>;
  /** How often it was told to be closed. */
  readonly closed: () => number;
  readonly store: SessionStore;
  readonly dir: string;
}

async function observing(run: (observed: Observed) => Promise<void>): Promise<void> {
  await withStore(async (store, dir) => {
    const { ids } = depsFor(dir);
    const writer = await created(store);
    const clock = createManualClock();
    let now: OwnerInfo | undefined = owner;
    let closed = 0;
    const say = speakerOf(writer, ids);
    await say("first");
    const told: SmithEvent[] = [];
    const waiting = new Set<() => void>();
    const reader = await openedReader(store, writer.id);
    const session = new ObserverSession({
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
        owner,
      },
      toolDefinition: () => undefined,
      clock,
      owner: () => Promise.resolve(now),
      reopen: async () => await store.open(writer.id, "read"),
      onObserverFault: () => undefined,
      onClosed: () => {
        closed += 1;
      },
    });
    const until = async (fits: (event: SmithEvent) => boolean): Promise<void> => {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (told.some(fits)) resolve();
        };
        waiting.add(look);
        look();
      });
    };
    session.observe((event) => {
      told.push(event);
      for (const look of waiting) look();
    });
    try {
      await run({
        writer,
        session,
        clock,
        told,
        until,
        say,
        store,
        dir,
        closed: () => closed,
        setOwner: (next) => {
          now = next;
        },
      });
    } finally {
      await session.close();
      await writer.close();
    }
  });
}

function speakerOf(writer: SessionWriter, ids: ReturnType<typeof depsFor>["ids"]): Observed["say"] {
  return async (...texts) => {
    const made: EntryId[] = [];
    for (const text of texts) {
      const parent = writer.leaf();
      const entry: UserMessageEntry = {
        type: "user-message",
        id: ids.next<EntryId>(),
        time: 1,
        source: "prompt",
        text,
        ...(parent === undefined ? {} : { parent }),
      };
      await writer.commit({ entries: [entry], leaf: entry.id }).durable;
      made.push(entry.id);
    }
    return made;
  };
}

const saying =
  (text: string) =>
  (event: SmithEvent): boolean =>
    "text" in event && event.text.includes(text);

describe("an observed session", () => {
  test("second-writer access is read-only: every change is refused before anything happens, names the writer and offers a fork", async () => {
    await observing(async ({ session, writer }) => {
      const before = writer.position();
      const answers = [
        await session.submit(),
        await session.abort(),
        await session.navigate(),
        await session.editContext(),
        await session.reconcile(),
        await session.resumeWork(),
        await session.rename(),
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({ ok: false, error: { code: "session.read-only", exit: 4 } });
        if (answer.ok) continue;
        expect(answer.error.why).toContain("process 7 on here");
        expect(answer.error.next).toContain(`smith --fork ${session.id.slice(-8)}`);
      }
      expect(await session.withdraw()).toBe(false);
      expect(writer.position()).toEqual(before);
    });
  });

  test("knows the newest recorded name once its first page was read", async () => {
    await observing(async ({ session, writer }) => {
      for (const [index, name] of ["first", "second"].entries()) {
        const parent = writer.leaf();
        const id = `0190000000007000800000000000000${String(index)}`.replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-") as EntryId;
        const info = { type: "session-info" as const, id, time: 2, name, ...(parent === undefined ? {} : { parent }) };
        await writer.commit({ entries: [info], leaf: id }).durable;
      }
      await session.backlog({ limit: 10 });
      expect(session.status().name).toBe("second");
    });
  });

  test("tells what is committed, once and in order", async () => {
    await observing(async ({ say, told, until }) => {
      await say("second", "third");
      await until(saying("third"));
      expect(told).toMatchObject([
        { type: "user", text: "second" },
        { type: "user", text: "third" },
      ]);
    });
  });

  test("writer exit never promotes it: it is told once that the writer ended, once that another began, and still refuses", async () => {
    await observing(async ({ session, clock, told, setOwner }) => {
      const status = session.status();
      await clock.advance(1000);
      expect([told, session.status()]).toEqual([[], status]);
      setOwner(undefined);
      await clock.advance(1000);
      await clock.advance(1000);
      expect(told).toMatchObject([{ type: "notice", text: expect.stringContaining("pid 7") as string }]);
      expect(session.status()).not.toHaveProperty("owner");
      expect(await session.submit()).toMatchObject({ ok: false, error: { code: "session.read-only" } });
      setOwner({ ...owner, pid: 9 });
      await clock.advance(1000);
      expect(told).toHaveLength(2);
      expect(session.status().owner?.pid).toBe(9);
    });
  });

  test("an open submission is running while its writer lives and interrupted once it does not", async () => {
    await observing(async ({ session, clock, writer, setOwner }) => {
      const submission = "01900000-0000-7000-8000-0000000000a1" as SubmissionId;
      const work = "01900000-0000-7000-8000-0000000000a2" as never;
      await writer.commit({
        entries: [
          {
            type: "submission",
            id: "01900000-0000-7000-8000-0000000000a3" as EntryId,
            time: 2,
            submission,
            work,
            delivery: "turn",
            text: "x",
          },
          { type: "work", id: "01900000-0000-7000-8000-0000000000a4" as EntryId, time: 2, work, state: "created" },
        ],
      }).durable;
      await session.attach({ limit: 1 });
      expect(await session.receipt(submission)).toEqual({ ok: true, value: { state: "running" } });
      setOwner(undefined);
      await clock.advance(1000);
      expect(await session.receipt(submission)).toEqual({ ok: true, value: { state: "interrupted" } });
      expect(await session.receipt("01900000-0000-7000-8000-0000000000ff" as SubmissionId)).toMatchObject({
        ok: false,
        error: { code: "receipt.unknown" },
      });
    });
  });
});

describe("the status of an observed session", () => {
  const usage = { inputTokens: 10, outputTokens: 5 };
  const answerEntry = (text: string): AssistantEntry => ({
    type: "assistant",
    id: text.padStart(36, "0") as EntryId,
    time: 1,
    work: "00000000-0000-7000-8000-000000000001" as WorkId,
    request: "00000000-0000-7000-8000-000000000002" as RequestId,
    stop: "stop",
    text,
    thinking: [],
    usage,
    dispatch: { provider: "p", model: "m" },
  });

  test("counts each answer once, whether a page or the following came to it first", async () => {
    await observing(async ({ writer, session, until }) => {
      const one = answerEntry("00000000-0000-7000-8000-0000000000a1");
      await writer.commit({ entries: [one], leaf: one.id }).durable;
      await until((event) => event.type === "assistant" && event.text.endsWith("a1"));
      expect(session.status()).toMatchObject({ usage, contextTokens: 15 });
      const other = answerEntry("00000000-0000-7000-8000-0000000000a2");
      await writer.commit({ entries: [other], leaf: other.id }).durable;
      await session.attach({ limit: 10 });
      await until((event) => event.type === "assistant" && event.text.endsWith("a2"));
      expect(session.status().usage).toEqual({ inputTokens: 20, outputTokens: 10 });
      const status = session.status();
      await session.attach({ limit: 10 });
      expect(session.status()).toBe(status);
      expect(await recordedStatus(writer)).toEqual({ usage: { inputTokens: 20, outputTokens: 10 }, contextTokens: 15, unpriced: 2 });
    });
  });

  test("knows at once what the session cost, and how much of the window its newest answer took", async () => {
    await observing(async ({ writer }) => {
      const answer = { ...answerEntry("00000000-0000-7000-8000-0000000000a1"), cost: 0.25 };
      await writer.commit({ entries: [answer], leaf: answer.id }).durable;
      expect(await recordedStatus(writer)).toEqual({ usage, contextTokens: 15, cost: 0.25 });
    });
  });

  test("closing is told once it is done", async () => {
    await observing(async ({ session, closed }) => {
      expect(closed()).toBe(0);
      await session.close();
      expect(closed()).toBe(1);
    });
  });
});

describe("a file that is replaced while it is observed", () => {
  /** Flips a bit of the file and repairs it, as its owner would after the damage was found. */
  async function repaired({ store, writer, dir }: Observed, offset: (bytes: Buffer) => number): Promise<void> {
    await writer.close();
    const path = join(dir, `${writer.id}.smith`);
    const bytes = await readFile(path);
    const at = offset(bytes);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(path, bytes);
    const report = await store.repair(writer.id);
    if (!report.ok) throw new Error(report.error.what);
    expect(await readFile(report.value.backup ?? "")).toEqual(bytes);
  }

  test("is read on in the new one: what a repair lost is told, and the history begins anew with a fresh page", async () => {
    await observing(async (observed) => {
      const { session, say, told, until, store, writer } = observed;
      await say("lost", "kept");
      await until(saying("kept"));
      const before = await session.attach({ limit: 10 });
      if (!before.ok) throw new Error(before.error.what);
      told.length = 0;
      await repaired(observed, (bytes) => bytes.indexOf("lost"));
      await until(saying("kept"));
      expect(told.flatMap((event) => (event.type === "error" ? [event.diagnostic.code] : []))).toEqual(["session.history-repaired"]);
      expect(told.flatMap((event) => (event.type === "user" ? [event.text] : []))).toContain("kept");
      // A position of the old history is refused instead of skipping what was lost.
      const items: unknown[] = [];
      for await (const item of session.changes({ from: before.value.position, signal: new AbortController().signal })) items.push(item);
      expect(items).toMatchObject([{ ok: false, error: { code: "session.position-foreign" } }]);
      const after = await session.attach({ limit: 10 });
      expect(after).toMatchObject({ ok: true, value: { position: { epoch: before.value.position.epoch + 1 } } });
      // What is written from now on is told.
      const again = await openedWriter(store, writer.id);
      await speakerOf(again, depsFor(observed.dir).ids)("new");
      await until(saying("new"));
      await again.close();
    });
  });

  test("goes on by position where the repair lost nothing", async () => {
    await observing(async (observed) => {
      const { session, say, told, until, store, writer } = observed;
      await say("second");
      await until(saying("second"));
      const before = await session.attach({ limit: 10 });
      if (!before.ok) throw new Error(before.error.what);
      const stop = new AbortController();
      const following = session.changes({ from: before.value.position, signal: stop.signal })[Symbol.asyncIterator]();
      const next = following.next();
      told.length = 0;
      // In the header of the file, which holds no change.
      await repaired(observed, () => 206);
      await until(saying("same history"));
      const again = await openedWriter(store, writer.id);
      await speakerOf(again, depsFor(observed.dir).ids)("third");
      expect((await next).value).toMatchObject({ ok: true, value: { events: [{ type: "user", text: "third" }] } });
      await until(saying("third"));
      expect(told.filter((event) => event.type === "user")).toMatchObject([{ text: "third" }]);
      expect(session.status().access).toBe("read");
      stop.abort();
      await again.close();
    });
  });
});
