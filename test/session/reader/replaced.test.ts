import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { seqIds, user } from "../support/entries.js";
import { created, openedReader, openedWriter, withStore } from "../support/store.js";

describe("a follower", () => {
  test.each([
    ["replaced by a repair", "session.replaced"],
    ["removed", "session.removed"],
  ])("of a file that is %s gets everything that was in it and then an explicit end", async (how, code) => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      await writer.commit({ entries: [user(ids, "one")] }).durable;
      const reader = await openedReader(store, writer.id);
      const seen: number[] = [];
      let reached: () => void = () => undefined;
      const first = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const following = (async () => {
        for await (const change of reader.changes({ follow: true })) {
          seen.push(change.position.seq);
          reached();
        }
      })();
      await first;
      await writer.commit({ entries: [user(ids, "two")] }).durable;
      await writer.close();
      if (how === "removed") {
        await rm(writer.path);
      } else {
        await copyFile(writer.path, `${writer.path}.new`);
        await rename(`${writer.path}.new`, writer.path);
      }
      await expect(following).rejects.toMatchObject({ name: "SessionStorageError", diagnostic: { code } });
      const told = await following.catch((error: unknown) => JSON.stringify(error));
      // Nobody knows that it was a repair.
      expect(told).not.toMatch(/epoch|A repair/u);
      expect(seen).toEqual([1, 2]);
      await reader.close();
    });
  });

  test("finds its position in the file that took the place of the old one", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      await writer.commit({ entries: [user(ids, "one")] }).durable;
      await writer.close();
      const reader = await openedReader(store, writer.id);
      const position = reader.position();
      await reader.close();
      await writeFile(`${writer.path}.new`, await readFile(writer.path));
      await rename(`${writer.path}.new`, writer.path);
      const again = await openedWriter(store, writer.id);
      again.commit({ entries: [user(ids, "two")] });
      const later: number[] = [];
      for await (const change of again.changes({ from: position })) later.push(change.position.seq);
      expect(later).toEqual([2]);
      await again.close();
    });
  });

  test("of nothing is not disturbed: a reader that does not follow goes on with the file it opened", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const entry = user(seqIds(), "one");
      await writer.commit({ entries: [entry] }).durable;
      await writer.close();
      const reader = await openedReader(store, writer.id);
      await rm(writer.path);
      expect(await reader.get(entry.id)).toEqual(entry);
      expect((await reader.live()).turns).toBe(1);
      await reader.close();
    });
  });
});
