import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../src/base/index.js";
import { everyEntry, seqIds, user } from "./support/entries.js";
import { collect, created, openedReader, openedWriter, withStore } from "./support/store.js";

describe("a session written and read again", () => {
  test("gives back every entry of every type, through the writer and through a reader", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const entries = everyEntry(ids);
      const writer = await created(store);
      await writer.commit({ entries, leaf: entries[0]?.id as EntryId }).durable;
      const mine = await collect(writer.changes());
      expect(mine.map((change) => change.entries)).toEqual([entries]);
      await writer.close();
      const reader = await openedReader(store, writer.id);
      expect((await collect(reader.changes()))[0]?.entries).toEqual(entries);
      expect(reader.leaf()).toBe(entries[0]?.id);
      await reader.close();
    });
  });

  test("continues after reopening, with the branch newest first", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      let writer = await created(store);
      const { id } = writer;
      let parent: EntryId | undefined;
      const texts: string[] = [];
      for (let index = 0; index < 200; index += 1) {
        if (index % 50 === 49) {
          await writer.close();
          writer = await openedWriter(store, id);
        }
        const entry = user(ids, `${index} ${"x".repeat(index * 17)}`, parent);
        texts.unshift(entry.text);
        writer.commit({ entries: [entry], leaf: entry.id });
        parent = entry.id;
      }
      const branch = await collect(writer.branch());
      expect(branch.map((entry) => (entry.type === "user-message" ? entry.text : ""))).toEqual(texts);
      await writer.close();
      const listed = await collect(store.list());
      expect(listed).toMatchObject([{ id, state: "sound", turns: 200, firstPrompt: "0 " }]);
    });
  });

  test("is not made under an id that is taken: the one that has it stays as it is", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      expect(await store.create({ id: writer.id })).toMatchObject({ ok: false, error: { code: "session.exists" } });
      await writer.commit({ entries: [user(seqIds(), "mine")] }).durable;
      await writer.close();
      expect(await store.create({ id: writer.id })).toMatchObject({ ok: false, error: { code: "session.exists" } });
      expect(await readdir(dir)).toEqual([`${writer.id}.smith`]);
    });
  });
});
