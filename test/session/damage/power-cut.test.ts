import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { idsOf, reopen, seededRandom } from "../support/images.js";
import type { Logged } from "../support/operations.js";
import { loggingOperations } from "../support/operations.js";
import { imageAt } from "../support/power-cut.js";
import { created, depsFor, withStore } from "../support/store.js";

interface History {
  readonly id: SessionId;
  readonly log: readonly Logged[];
  /** After this many log items, these entries were acknowledged. */
  readonly acknowledged: readonly { readonly at: number; readonly entries: readonly EntryId[] }[];
  readonly texts: ReadonlyMap<EntryId, string>;
}

/** Writes groups of several commits each and remembers what was acknowledged when. */
async function record(random: () => number): Promise<History> {
  return withStore(async (_store, dir) => {
    const ops = loggingOperations();
    const store = createStoreOn(depsFor(dir), ops, createLocker());
    const writer = await created(store);
    const ids = seqIds();
    const done: EntryId[] = [];
    const acknowledged: { at: number; entries: readonly EntryId[] }[] = [{ at: 0, entries: [] }];
    const texts = new Map<EntryId, string>();
    for (let group = 0; group < 24; group += 1) {
      const size = 1 + Math.floor(random() * 3);
      const tickets = Array.from({ length: size }, () => {
        const entry = user(ids, String(random()).repeat(Math.floor(random() * 400)));
        texts.set(entry.id, entry.text);
        done.push(entry.id);
        return writer.commit({ entries: [entry], leaf: entry.id });
      });
      await Promise.all(tickets.map((ticket) => ticket.durable));
      acknowledged.push({ at: ops.log.length, entries: [...done] });
    }
    await writer.close();
    return { id: writer.id, log: [...ops.log], acknowledged, texts };
  });
}

describe("a power cut", () => {
  test("loses no acknowledged commit, leaves no gap and never shows wrong content, whichever sectors reached the disk", async () => {
    const random = seededRandom(42);
    const history = await record(random);
    for (let round = 0; round < 500; round += 1) {
      const point = 1 + Math.floor(random() * history.log.length);
      const acked = history.acknowledged.findLast(({ at }) => at <= point)?.entries ?? [];
      const outcome = await reopen({ id: history.id, bytes: imageAt(history.log, point, random) });
      const found = idsOf(outcome.changes);
      if (outcome.access !== "write") expect.fail(`round ${round}: ${outcome.access}`);
      expect(found.slice(0, acked.length)).toEqual(acked);
      expect(outcome.changes.map(({ position }) => position.seq)).toEqual(found.map((_, index) => index + 1));
      for (const entry of outcome.changes.flatMap((change) => change.entries)) {
        if (entry.type !== "user-message" || history.texts.get(entry.id) !== entry.text) expect.fail(`round ${round}: wrong content`);
      }
    }
  });
});
