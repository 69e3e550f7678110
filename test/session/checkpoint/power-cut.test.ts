import { describe, expect, test } from "vitest";
import type { EntryId, SubmissionId, WorkId } from "../../../src/base/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { idsOf, imagePath, seededRandom } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import type { Logged } from "../support/operations.js";
import { loggingOperations } from "../support/operations.js";
import { imageAt } from "../support/power-cut.js";
import { collect, created, depsFor, openedWriter, withStore } from "../support/store.js";
import { workEntries } from "../support/work-entries.js";

interface History {
  readonly path: string;
  readonly log: readonly Logged[];
  /** After this many log items, so many entries were acknowledged. */
  readonly acknowledged: readonly { readonly at: number; readonly count: number }[];
  readonly entries: readonly EntryId[];
}

/** Three sittings that each leave a checkpoint behind, with small changes before and after it. */
async function record(): Promise<History> {
  return withStore(async (_store, dir) => {
    const ops = loggingOperations();
    const store = createStoreOn(depsFor(dir), ops, createLocker());
    const ids = seqIds();
    let writer = await created(store);
    const entries: EntryId[] = [];
    const acknowledged = [{ at: 0, count: 0 }];
    for (let sitting = 0; sitting < 3; sitting += 1) {
      const key = workEntries(ids).submission(ids.next<SubmissionId>(), ids.next<WorkId>(), `key ${sitting}`);
      for (const change of [[key], Array.from({ length: 520 }, () => user(ids, "")), [user(ids, "after")]]) {
        await writer.commit({ entries: change }).durable;
        entries.push(...change.map(({ id }) => id));
        acknowledged.push({ at: ops.log.length, count: entries.length });
      }
      await writer.close();
      writer = await openedWriter(store, writer.id);
    }
    await writer.close();
    return { path: imagePath(writer.id), log: [...ops.log], acknowledged, entries };
  });
}

describe("a power cut around the publication of a checkpoint", () => {
  test("loses nothing acknowledged, and what is answered from checkpoints is what the changes say", { timeout: 60_000 }, async () => {
    const random = seededRandom(11);
    const history = await record();
    const id = history.path.slice("/memory/".length, -".smith".length) as never;
    for (let round = 0; round < 150; round += 1) {
      const point = 1 + Math.floor(random() * history.log.length);
      const acked = history.acknowledged.findLast(({ at }) => at <= point)?.count ?? 0;
      const directory = new MemoryDirectory();
      directory.put(history.path, imageAt(history.log, point, random));
      const writer = await openedWriter(directory.store(), id);
      const changes = await collect(writer.changes());
      const found = idsOf(changes);
      expect(found).toEqual(history.entries.slice(0, found.length));
      expect(found.length).toBeGreaterThanOrEqual(acked);
      const admissions = changes.flatMap((change) => change.entries.filter(({ type }) => type === "submission"));
      const live = await writer.live();
      expect([live.turns, live.submissions.size]).toEqual([found.length - admissions.length, admissions.length]);
      for (const [index, { id: entry }] of admissions.entries()) expect((await writer.admission(`key ${index}`))?.id).toBe(entry);
      expect(await writer.admission(`key ${admissions.length}`)).toBeUndefined();
      const last = found.at(-1);
      if (last !== undefined) expect((await writer.get(last))?.id).toBe(last);
      await writer.close();
    }
  });
});
