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

  test("in a group of several blocks hides no torn commit behind one that reached the disk whole", async () => {
    const random = seededRandom(7);
    const noise = (length: number): string => Array.from({ length }, () => String.fromCharCode(33 + Math.floor(random() * 90))).join("");
    const { id, log, ids } = await withStore(async (_store, dir) => {
      const ops = loggingOperations();
      const writer = await created(createStoreOn(depsFor(dir), ops, createLocker()));
      const source = seqIds();
      const entries = [user(source, "acknowledged"), user(source, noise(30_000)), user(source, noise(50_000))] as const;
      const [first, ...group] = entries;
      await writer.commit({ entries: [first], leaf: first.id }).durable;
      await Promise.all(group.map((entry) => writer.commit({ entries: [entry], leaf: entry.id }).durable));
      await writer.close();
      return { id: writer.id, log: [...ops.log], ids: entries.map((entry) => entry.id) };
    });
    const writes = log.filter((item) => item.type === "write").slice(0, 3);
    const bytes = Buffer.concat(writes.map((item) => item.bytes));
    expect(bytes.length).toBeGreaterThan(65_536 + 10_000);
    expect(idsOf((await reopen({ id, bytes })).changes)).toEqual(ids);
    // The torn commit lies in the first block, the whole one reaches into the second, whose header is whole too.
    bytes.fill(0, 10_240, 10_752);
    const outcome = await reopen({ id, bytes });
    expect({ access: outcome.access, ids: idsOf(outcome.changes), damaged: outcome.damaged }).toEqual({
      access: "write",
      ids: ids.slice(0, 1),
      damaged: 0,
    });
  });
});
