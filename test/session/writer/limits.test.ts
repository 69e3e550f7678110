import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { IdSource, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { SESSION_LIMITS, SessionStorageError } from "../../../src/session/index.js";
import { seqIds, user } from "../support/entries.js";
import { created, openedWriter, withStore } from "../support/store.js";
import { workEntries } from "../support/work-entries.js";

type Case = readonly [name: string, code: string, before: (ids: IdSource) => readonly Entry[], excess: (ids: IdSource) => readonly Entry[]];

const works = Array.from(
  { length: SESSION_LIMITS.liveWorks + 1 },
  (
    (ids) => () =>
      ids.next<WorkId>()
  )(seqIds(1_600_000_000_000)),
);
const [parent, child, last] = [works[0], works[1], works.at(-1)] as [WorkId, WorkId, WorkId];
const big = "x".repeat(SESSION_LIMITS.stateValueBytes - 5);
const running = (ids: IdSource, work: WorkId, parentWork?: WorkId): Entry =>
  workEntries(ids).work(work, "running", parentWork === undefined ? {} : { parentWork });

const CASES: readonly Case[] = [
  ["live work", "session.limit", (ids) => works.slice(0, -1).map((work) => running(ids, work)), (ids) => [running(ids, last)]],
  [
    "ownership depth",
    "session.limit",
    (ids) => works.slice(0, 16).map((work, index) => running(ids, work, works[index - 1])),
    (ids) => [running(ids, last, works[15])],
  ],
  [
    "ownership depth, by another owner of a work there is,",
    "session.limit",
    (ids) => [running(ids, last), ...works.slice(0, 16).map((work, index) => running(ids, work, works[index - 1]))],
    (ids) => [running(ids, last, works[15])],
  ],
  [
    "ownership, in a circle,",
    "session.limit",
    (ids) => [running(ids, parent), running(ids, child, parent)],
    (ids) => [running(ids, parent, child)],
  ],
  [
    "raw bytes of one change, short payloads included,",
    "session.commit-too-large",
    () => [],
    (ids) => Array.from({ length: 1537 }, () => user(ids, "x".repeat(65_536))),
  ],
  [
    "pieces of active state",
    "session.limit",
    (ids) => Array.from({ length: SESSION_LIMITS.stateItems }, (_, index) => workEntries(ids).put(`${index}`, index)),
    (ids) => [workEntries(ids).put("one more", 1)],
  ],
  [
    "bytes of active state",
    "session.limit",
    (ids) => Array.from({ length: 16 }, (_, index) => workEntries(ids).put(`${index}`, big)),
    (ids) => [workEntries(ids).put("one more", 1)],
  ],
  ["bytes of one value of state", "session.limit", () => [], (ids) => [workEntries(ids).put("big", `${big}12345`)]],
  [
    "order of settlement: a parent before the work it owns",
    "session.work-owns-unsettled",
    (ids) => [running(ids, parent), running(ids, child, parent)],
    (ids) => [workEntries(ids).work(parent, "settled")],
  ],
];

describe("admission over a limit", () => {
  test.each(CASES)(
    "of %s fails without partial changes: no byte is appended, nothing of it is live",
    async (_name, code, before, excess) => {
      await withStore(async (store) => {
        const ids = seqIds();
        let writer = await created(store);
        for (const entry of before(ids)) writer.commit({ entries: [entry] });
        await writer.commit({ entries: [user(ids, "before")] }).durable;
        const [live, bytes, position] = [await writer.live(), await readFile(writer.path), writer.position()];
        const refused = (): unknown => writer.commit({ entries: [user(ids, "with it"), ...excess(ids)] });
        for (const round of [1, 2]) {
          expect(refused).toThrow(SessionStorageError);
          try {
            refused();
          } catch (error) {
            expect(error).toMatchObject({ diagnostic: { code, source: { type: "session", id: writer.id } } });
          }
          expect([writer.state(), writer.position()]).toEqual(["open", { ...position, seq: position.seq }]);
          expect(await writer.live()).toEqual(live);
          expect((await readFile(writer.path)).subarray(0, bytes.length).equals(bytes)).toBe(true);
          if (round === 2) break;
          await writer.close();
          // The same holds for whoever opens the session next.
          writer = await openedWriter(store, writer.id);
        }
        await writer.commit({ entries: [user(ids, "after")] }).durable;
        expect((await writer.live()).works).toEqual(live.works);
        await writer.close();
      });
    },
  );

  test("a parent settles together with the work it owns, and after it", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const make = workEntries(ids);
      const writer = await created(store);
      writer.commit({ entries: [running(ids, parent), running(ids, child, parent), running(ids, last, parent)] });
      writer.commit({ entries: [make.work(child, "settled")] });
      writer.commit({ entries: [make.work(parent, "settled"), make.work(last, "settled")] });
      expect((await writer.live()).works.size).toBe(0);
      await writer.close();
    });
  });
});

describe("the selected leaf", () => {
  test("may be none: null selects the place before the first entry, and that is read back", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const entry = user(ids, "x");
      writer.commit({ entries: [entry], leaf: entry.id });
      writer.commit({ entries: [user(ids, "elsewhere")] });
      expect(writer.leaf()).toBe(entry.id);
      await writer.commit({ entries: [{ type: "leaf", id: ids.next(), time: 1, from: entry.id }], leaf: null }).durable;
      expect(writer.leaf()).toBeUndefined();
      await writer.close();
      const again = await openedWriter(store, writer.id);
      expect(again.leaf()).toBeUndefined();
      await again.close();
    });
  });
});
