import { stat, truncate } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../src/base/index.js";
import type { Entry } from "../../src/schema/index.js";
import type { SessionWriter } from "../../src/session/index.js";
import { countingStore } from "./support/counting.js";
import { assistant, everyEntry, seqIds, user } from "./support/entries.js";
import { idsOf } from "./support/images.js";
import { collect, created, openedReader, openedWriter, withStore } from "./support/store.js";

/** A linear history of `count` messages in commits of four, about `bytes` each. */
async function fill(writer: SessionWriter, count: number, bytes: number): Promise<readonly Entry[]> {
  const ids = seqIds();
  const entries: Entry[] = [];
  let parent: EntryId | undefined;
  for (let start = 0; start < count; start += 4) {
    const group = Array.from({ length: 4 }, (_, index) => {
      const entry = user(ids, `${start + index} `.padEnd(bytes, "lorem ipsum "), parent);
      parent = entry.id;
      return entry;
    });
    entries.push(...group);
    writer.commit({ entries: group, ...(parent === undefined ? {} : { leaf: parent }) });
  }
  await writer.commit({ entries: [{ type: "session-info", id: ids.next<EntryId>(), time: 1, name: "end" }] }).durable;
  return entries;
}

describe("reading", () => {
  test("the last entries of a large file costs bounded reads; no reading operation locks, writes or truncates", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      const entries = await fill(writer, 8000, 1500);
      await writer.close();
      expect((await stat(writer.path)).size).toBeGreaterThan(12_000_000);
      const { store: readonly, bytesRead } = countingStore(dir);
      const reader = await openedReader(readonly, writer.id);
      const newest: Entry[] = [];
      for await (const entry of reader.branch()) {
        newest.push(entry);
        if (newest.length === 60) break;
      }
      expect(newest).toEqual(entries.slice(-60).reverse());
      expect(bytesRead()).toBeLessThan(512 * 1024);
      const before = bytesRead();
      const wanted = entries[3210];
      expect(await reader.get(wanted?.id as EntryId)).toEqual(wanted);
      expect(await reader.get(seqIds(1_699_999_999_000).next())).toBeUndefined();
      expect(bytesRead() - before).toBeLessThan(32 * 1024 * 1024);
      const start = bytesRead();
      const late = await collect(reader.changes({ from: { session: writer.id, epoch: 0, seq: 1990 } }));
      expect(late.map((change) => change.position.seq)).toEqual([1991, 1992, 1993, 1994, 1995, 1996, 1997, 1998, 1999, 2000, 2001]);
      expect(bytesRead() - start).toBeLessThan(2 * 1024 * 1024);
      expect(await collect(reader.scan(new Set(["session-info"])))).toMatchObject([{ name: "end" }]);
      expect(idsOf(await collect(reader.changes()))).toHaveLength(8001);
      await reader.close();
      expect(await collect(readonly.list())).toMatchObject([{ state: "sound", turns: 8000, name: "end" }]);
      const found = await collect(readonly.grep(/^4321 lorem/));
      expect(found).toMatchObject([{ entry: entries[4321]?.id, line: 1, part: "text" }]);
    });
  });

  test("a branch follows parents only, from any leaf, across reopening, and through entries committed much earlier", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      let writer = await created(store);
      const root = user(ids, "root");
      const left = assistant(ids, "left", root.id);
      await writer.commit({ entries: [root, left], leaf: left.id }).durable;
      for (let index = 0; index < 300; index += 1) writer.commit({ entries: [user(ids, "other branch".repeat(30), root.id)] });
      await writer.close();
      writer = await openedWriter(store, writer.id);
      expect(writer.leaf()).toBe(left.id);
      const tip = { ...user(ids, "tip", left.id), time: Date.now() + 1000 };
      writer.commit({ entries: [tip], leaf: tip.id });
      expect(await collect(writer.branch())).toEqual([tip, left, root]);
      expect(await collect(writer.branch({ leaf: left.id }))).toEqual([left, root]);
      await expect(collect(writer.branch({ leaf: ids.next() }))).rejects.toMatchObject({ diagnostic: { code: "session.branch-broken" } });
      await writer.close();
      const reader = await openedReader(store, writer.id);
      expect(await collect(reader.branch())).toEqual([tip, left, root]);
      await reader.close();
    });
  });

  test("scan gives entries of the wanted types in committed order", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const entries = everyEntry(seqIds());
      for (const entry of entries) writer.commit({ entries: [entry] });
      const types = new Set(["receipt", "work", "effect-done"] as const);
      expect(await collect(writer.scan(types))).toEqual(entries.filter((entry) => types.has(entry.type as "work")));
      await writer.close();
    });
  });

  test.each(["an observer", "the writer"] as const)("%s follows every change once and in order, until aborted or closed", async (who) => {
    await withStore(async (store) => {
      const writer = await created(store);
      const session = who === "the writer" ? writer : await openedReader(store, writer.id);
      const ids = seqIds();
      const abort = new AbortController();
      const seen: number[] = [];
      const following = (async () => {
        for await (const change of session.changes({ follow: true, signal: abort.signal })) {
          seen.push(change.position.seq);
          if (seen.length === 500) abort.abort();
        }
      })();
      for (let index = 0; index < 500; index += 1) {
        const ticket = writer.commit({ entries: [user(ids, "x".repeat(index))] });
        if (index % 50 === 0) await ticket.durable;
      }
      await following;
      expect(seen).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
      const untilClosed = collect(session.changes({ from: session.position(), follow: true }));
      await session.close();
      expect(await untilClosed).toEqual([]);
      await writer.close();
    });
  });

  test("positions of other sessions, other histories or the future are refused", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      await writer.commit({ entries: [user(seqIds(), "x")] }).durable;
      const { session, epoch, seq } = writer.position();
      for (const from of [
        { session: seqIds().next<typeof session>(), epoch, seq },
        { session, epoch: 1, seq },
        { session, epoch, seq: 2 },
      ]) {
        await expect(collect(writer.changes({ from }))).rejects.toMatchObject({ diagnostic: { code: "session.position-foreign" } });
      }
      await writer.close();
    });
  });

  test("an observer sees nothing of a change that is not whole yet, and all of it afterwards", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      const first = user(ids, "first");
      await writer.commit({ entries: [first], leaf: first.id }).durable;
      const second = user(ids, "second".repeat(100));
      await writer.commit({ entries: [second], leaf: second.id }).durable;
      const { size } = await stat(writer.path);
      await truncate(writer.path, size - 10);
      const reader = await openedReader(store, writer.id);
      expect(reader.leaf()).toBe(first.id);
      expect(idsOf(await collect(reader.changes()))).toEqual([first.id]);
      expect(reader.damage?.()).toEqual([]);
      await reader.close();
      await writer.close();
    });
  });
});
