import { copyFile, readdir, rename } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { SessionWriter } from "../../../src/session/index.js";
import { createLocker } from "../../../src/session/lock.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { idsOf } from "../support/images.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";

describe("while another process acts in between", () => {
  test("removing never takes a file that took the place of the one it locked: it has a writer", async () => {
    await withStore(async (others, dir) => {
      const ids = seqIds();
      const first = await created(others);
      const [old, fresh] = [user(ids, "old"), user(ids, "fresh")];
      await first.commit({ entries: [old] }).durable;
      await first.close();
      let second: SessionWriter | undefined;
      const ops: FileOperations = {
        ...nodeFileOperations,
        open: async (path, flags) => {
          const opened = await nodeFileOperations.open(path, flags);
          if (path !== first.path || second !== undefined) return opened;
          await copyFile(first.path, `${first.path}.new`);
          await rename(`${first.path}.new`, first.path);
          second = await openedWriter(others, first.id);
          return opened;
        },
      };
      const removed = await createStoreOn(depsFor(dir), ops, createLocker()).remove(first.id);
      expect(removed).toMatchObject({ ok: false, error: { code: "session.busy" } });
      await second?.commit({ entries: [fresh] }).durable;
      await second?.close();
      const reader = await openedReader(others, first.id);
      expect(idsOf(await collect(reader.changes()))).toEqual([old.id, fresh.id]);
      await reader.close();
    });
  });

  test("closing never takes away the name that the next writer has left", async () => {
    await withStore(async (others, dir) => {
      let next: SessionWriter | undefined;
      let fd: unknown;
      const store = createStoreOn(
        depsFor(dir),
        {
          ...nodeFileOperations,
          open: async (path, flags) => {
            const opened = await nodeFileOperations.open(path, flags);
            if (flags === "r+") fd = opened;
            return opened;
          },
          close: async (closed) => {
            await nodeFileOperations.close(closed);
            if (closed !== fd || next !== undefined) return;
            next = await openedWriter(others, first.id);
            while (!(await readdir(dir)).includes(`${first.id}.owner`)) await new Promise(setImmediate);
          },
        },
        createLocker(),
      );
      const first = await created(others);
      await first.close();
      const writer = await openedWriter(store, first.id);
      await writer.close();
      expect(await readdir(dir)).toContain(`${first.id}.owner`);
      await next?.close();
      expect(await readdir(dir)).toEqual([`${first.id}.smith`]);
    });
  });
});
