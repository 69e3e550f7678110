import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { Entry, UserMessageEntry } from "../../../src/schema/index.js";
import type { SessionReader } from "../../../src/session/index.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { allEntries, noise, packable } from "../independent/files.js";
import { seqIds, user } from "../support/entries.js";
import { collect, created, depsFor, openedReader, withStore } from "../support/store.js";

const MIB = 1024 * 1024;

/** A store that says how many bytes it read, and the largest piece it asked for at once. */
function meteredStore(dir: string) {
  const meter = { total: 0, largest: 0 };
  const ops: FileOperations = {
    ...nodeFileOperations,
    read: async (fd, into, position) => {
      meter.largest = Math.max(meter.largest, into.length);
      const got = await nodeFileOperations.read(fd, into, position);
      meter.total += got;
      return got;
    },
  };
  return { store: createStoreOn(depsFor(dir), ops, { prepare: () => undefined, tryLock: () => true }), meter };
}

/** Takes the first items only. */
async function take<Item>(items: AsyncIterable<Item>, count: number): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length === count) break;
  }
  return found;
}

describe("working sets", () => {
  test("what was read stays as it was while everything else is read, for every type and size of entry", { timeout: 60_000 }, async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const kept: readonly Entry[] = [
        ...allEntries(ids),
        user(ids, packable(8000)),
        user(ids, packable(300_000)),
        user(ids, noise(50_000, 2)),
      ];
      const writer = await created(store);
      await writer.commit({ entries: kept }).durable;
      let parent: EntryId | undefined;
      for (let index = 0; index < 200; index += 1) {
        const entry = user(ids, noise(60_000, index), parent);
        parent = entry.id;
        writer.commit({ entries: [entry], leaf: entry.id });
      }
      await writer.close();
      const reader = await openedReader(store, writer.id);
      const before: (Entry | undefined)[] = [];
      for (const { id } of kept) before.push(await reader.get(id));
      // Far more than any cache holds, through every way of reading.
      await collect(reader.changes());
      await collect(reader.branch());
      await collect(reader.scan(new Set(["user-message"])));
      expect(before.map((entry) => entry?.id)).toEqual(kept.map(({ id }) => id));
      const after: (Entry | undefined)[] = [];
      for (const { id } of kept) after.push(await reader.get(id));
      expect(before).toEqual(after);
      await reader.close();
    });
  });

  test(
    "the last page, one entry, a receipt and what is open cost about the same in a file ten times as long, in bounded pieces",
    { timeout: 60_000 },
    async () => {
      await withStore(async (store, dir) => {
        const cost = async (count: number): Promise<number> => {
          const ids = seqIds();
          const writer = await created(store);
          let last: UserMessageEntry | undefined;
          for (let index = 0; index < count; index += 1) {
            last = user(ids, noise(2000, index % 50), last?.id);
            const { durable } = writer.commit({ entries: [last], leaf: last.id });
            if (index % 500 === 499) await durable;
          }
          await writer.close();
          const { store: metered, meter } = meteredStore(dir);
          const reader: SessionReader = await openedReader(metered, writer.id);
          expect(await take(reader.branch(), 60)).toHaveLength(60);
          expect(await reader.get(last?.id ?? ("" as EntryId))).toEqual(last);
          expect((await reader.live()).turns).toBe(count);
          expect(await reader.admission("nobody's key")).toBeUndefined();
          await reader.close();
          expect(meter.largest).toBeLessThanOrEqual(4 * MIB + 64 * 1024);
          return meter.total;
        };
        const small = await cost(1000);
        expect(await cost(10_000)).toBeLessThan(2 * small + MIB);
      });
    },
  );
});
