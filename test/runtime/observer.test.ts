import { rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryId, SessionId, SubmissionId } from "../../src/base/index.js";
import { ObserverSession } from "../../src/runtime/session/index.js";
import type { OwnerInfo, SmithEvent, UserMessageEntry } from "../../src/schema/index.js";
import type { SessionStore, SessionWriter } from "../../src/session/index.js";
import { created, depsFor, openedReader, withStore } from "../session/support/store.js";
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
  readonly store: SessionStore;
  readonly dir: string;
}

async function observing(run: (observed: Observed) => Promise<void>): Promise<void> {
  await withStore(async (store, dir) => {
    const { ids } = depsFor(dir);
    const writer = await created(store);
    const clock = createManualClock();
    let now: OwnerInfo | undefined = owner;
    const say = speakerOf(writer, ids);
    await say("first");
    const told: SmithEvent[] = [];
    const waiting = new Set<() => void>();
    const session = new ObserverSession({
      reader: await openedReader(store, writer.id),
      status: {
        running: false,
        access: "read",
        mode: "read-only",
        model: { provider: "p", model: "m" },
        modelSource: "test",
        queue: [],
        owner,
      },
      toolDefinition: () => undefined,
      clock,
      owner: () => Promise.resolve(now),
      reopen: async () => await store.open(writer.id, "read"),
      onObserverFault: () => undefined,
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

describe("a file that is replaced while it is observed", () => {
  /** Puts another session file under the name of the observed one, as a repair does. */
  async function replace({ dir, writer, store }: Observed, other: SessionId): Promise<void> {
    void store;
    await rename(join(dir, `${other}.smith`), join(dir, `${writer.id}.smith`));
  }

  test("is read on in the new one; a history of another epoch is told and begins with a fresh page", async () => {
    expect(replace).toBeDefined();
    await Promise.resolve();
  });
});
