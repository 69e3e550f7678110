import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { idsOf, reopen, seededRandom } from "../support/images.js";
import type { Logged } from "../support/operations.js";
import { loggingOperations } from "../support/operations.js";
import { created, depsFor, withStore } from "../support/store.js";

const SECTOR = 512;

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

/** Calls back for every piece of a write that lies in one sector. */
function eachSector(item: { readonly position: number; readonly bytes: Buffer }, visit: (at: number, content: Buffer) => void): void {
  const stop = item.position + item.bytes.length;
  for (let at = item.position; at < stop;) {
    const end = Math.min(stop, at - (at % SECTOR) + SECTOR);
    visit(at, item.bytes.subarray(at - item.position, end - item.position));
    at = end;
  }
}

/** The file after a power cut at `point`: what was synced is there; of what was not, any subset of sectors, the rest zero or garbage. */
function image(history: History, point: number, random: () => number): Buffer {
  const items = history.log.slice(0, point);
  const synced = items.findLastIndex(({ type }) => type === "sync");
  let bytes = Buffer.alloc(0);
  const put = (position: number, content: Uint8Array): void => {
    const grown = Math.max(0, position + content.length - bytes.length);
    bytes = Buffer.concat([bytes, Buffer.alloc(grown)]);
    bytes.set(content, position);
  };
  items.forEach((item, index) => {
    if (item.type !== "write") return;
    if (index < synced || item.position === 0) {
      put(item.position, item.bytes);
      return;
    }
    const isGarbage = random() < 0.3;
    eachSector(item, (at, content) => {
      if (random() < 0.5) put(at, content);
      else put(at, isGarbage ? content.map(() => Math.floor(random() * 256)) : Buffer.alloc(content.length));
    });
    if (random() < 0.3) bytes = bytes.subarray(0, Math.max(item.position, bytes.length - Math.floor(random() * item.bytes.length)));
  });
  return bytes;
}

describe("a power cut", () => {
  test("loses no acknowledged commit, leaves no gap and never shows wrong content, whichever sectors reached the disk", async () => {
    const random = seededRandom(42);
    const history = await record(random);
    for (let round = 0; round < 500; round += 1) {
      const point = 1 + Math.floor(random() * history.log.length);
      const acked = history.acknowledged.findLast(({ at }) => at <= point)?.entries ?? [];
      const outcome = await reopen({ id: history.id, bytes: image(history, point, random) });
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
