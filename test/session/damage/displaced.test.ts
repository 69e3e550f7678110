import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../../src/base/index.js";
import { strangersReading } from "../independent/agreement.js";
import { imagePath, idsOf, reopen } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { seqIds, user } from "../support/entries.js";
import { collect, created, openedReader, openedWriter, withStore } from "../support/store.js";
import { verified } from "../maintenance/checks.js";
import { HistoryWriter } from "../maintenance/history.js";

interface Sample {
  readonly id: SessionId;
  readonly bytes: Buffer;
  /** Number of changes. */
  readonly changes: number;
}

async function sample(turns: number, big: boolean): Promise<Sample> {
  return withStore(async (store) => {
    const writer = await created(store);
    const history = new HistoryWriter(writer);
    let leaf;
    for (let turn = 0; turn < turns; turn += 1) leaf = (await history.turn(leaf, `turn ${turn}`, { big: big && turn % 2 === 0 })).leaf;
    await writer.close();
    return { id: writer.id, bytes: await readFile(writer.path), changes: history.all.at(-1)?.seq ?? 0 };
  });
}

type Edit = (bytes: Buffer, at: number) => Buffer;
const inserted =
  (count: number): Edit =>
  (bytes, at) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.alloc(count, "x"), bytes.subarray(at)]);
const deleted =
  (count: number): Edit =>
  (bytes, at) =>
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + count)]);
const doubled =
  (count: number): Edit =>
  (bytes, at) =>
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(256, at - count))]);

const EDITS: readonly (readonly [string, Edit])[] = [
  ["1 byte put in", inserted(1)],
  ["1,000 bytes put in", inserted(1000)],
  ["1 byte taken out", deleted(1)],
  ["31 bytes taken out", deleted(31)],
  ["a range of 3,000 bytes doubled", doubled(3000)],
];

/** What a writer makes of the image, as a reader that shares no code with it does. */
async function untouched({ id }: Sample, bytes: Buffer): Promise<"read" | "write"> {
  const directory = new MemoryDirectory();
  const outcome = await reopen({ id, bytes }, directory);
  if (outcome.access === "refused") throw new Error("refused");
  expect(strangersReading(bytes)?.access).toBe(outcome.access);
  if (outcome.access === "read") expect(directory.get(imagePath(id)).equals(bytes)).toBe(true);
  return outcome.access;
}

async function repaired({ id, changes }: Sample, bytes: Buffer) {
  const directory = new MemoryDirectory();
  directory.put(imagePath(id), bytes);
  const store = directory.store();
  const before = await verified(store, id);
  const result = await store.repair(id);
  if (!result.ok) throw new Error(result.error.what);
  expect((await verified(store, id)).findings).toEqual([]);
  const reader = await openedReader(store, id);
  const kept = (await collect(reader.changes())).length;
  await reader.close();
  const writer = await openedWriter(store, id);
  expect(writer.position().seq).toBe(changes);
  const more = user(seqIds(1_800_000_000_000), "after");
  await writer.commit({ entries: [more], leaf: more.id }).durable;
  await writer.close();
  expect((await verified(store, id)).findings).toEqual([]);
  return { before, report: result.value, kept };
}

const places = ({ bytes }: Sample, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 300 + Math.floor(((bytes.length - 500) * index) / count));

describe.each([
  ["one block", 3, false],
  ["several blocks", 5, true],
] as const)("in a file of %s", (_name, turns, big) => {
  test.each(EDITS)("%s anywhere is damage, hinders the writer, and costs at most two changes", { timeout: 120_000 }, async (name, edit) => {
    const good = await sample(turns, big);
    let whole = 0;
    const all = places(good, 24);
    for (const at of all) {
      const bytes = edit(good.bytes, at);
      const access = await untouched(good, bytes);
      const { before, report, kept } = await repaired(good, bytes);
      expect(before.report?.damage, `${name} at ${at}`).toBeGreaterThan(0);
      expect(access, `${name} at ${at}`).toBe("read");
      expect(report.backup).toBeDefined();
      expect(kept, `${name} at ${at}`).toBeGreaterThanOrEqual(good.changes - 2);
      if (kept === good.changes) whole += 1;
    }
    expect(whole).toBeGreaterThan(0);
  });
});

test.each(EDITS.slice(0, 4))(
  "%s in the header of a file keeps it from being opened, and repair loses at most the first change",
  async (_name, edit) => {
    for (const good of [await sample(3, false), await sample(5, true)]) {
      const bytes = edit(good.bytes, 60);
      expect((await reopen({ id: good.id, bytes })).access).toBe("refused");
      const { report } = await repaired(good, bytes);
      expect(report.lost.every(({ lastSeq }) => lastSeq === 1)).toBe(true);
    }
  },
);

describe("bytes behind the last change", () => {
  test("that were zeroed from the middle on end the file there, and verification says that something may be gone", async () => {
    for (const good of [await sample(3, false), await sample(5, true)]) {
      const bytes = Buffer.from(good.bytes).fill(0, good.bytes.length >> 1);
      const directory = new MemoryDirectory();
      directory.put(imagePath(good.id), bytes);
      const { damage, findings, report } = await verified(directory.store(), good.id);
      expect(damage).toEqual([]);
      expect(report?.tailBytes).toBeGreaterThan(0);
      expect(findings).toMatchObject([
        { severity: "warning", end: bytes.length, what: expect.stringContaining("cuts them off") as string },
      ]);
      const outcome = await reopen({ id: good.id, bytes }, directory);
      expect(outcome.access).toBe("write");
      expect(idsOf(outcome.changes).length).toBeGreaterThan(0);
    }
  });

  test("of more than one group were acknowledged once, whatever they are now", { timeout: 60_000 }, async () => {
    const good = await sample(1, false);
    const bytes = Buffer.concat([good.bytes, Buffer.alloc(129 * 1024 * 1024)]);
    expect(await untouched(good, bytes)).toBe("read");
  });

  test("from which only a note of earlier changes is missing are no change, and nothing is told of them", async () => {
    const good = await sample(1, false);
    const directory = new MemoryDirectory();
    // CLOSE is the last frame, 32 bytes; before it comes a SUMMARY.
    directory.put(imagePath(good.id), good.bytes.subarray(0, good.bytes.length - 40));
    const writer = await openedWriter(directory.store(), good.id);
    expect(writer.position().seq).toBe(good.changes);
    expect(writer.dropped).toMatchObject({ isDerived: true });
    await writer.close();
  });

  test("in which a copy of the file lies inside a torn change are no evidence", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      const { leaf } = await history.turn(undefined, "first");
      const before = await readFile(writer.path);
      const nested = user(ids, before.toString("latin1").repeat(5), leaf);
      await writer.commit({ entries: [nested], leaf: nested.id }).durable;
      await writer.close();
      const good = await readFile(writer.path);
      // Parts of the copy as they would lie there stored as they are, without compression.
      for (const cut of [0, 1, 100]) {
        const torn = Buffer.concat([before, good.subarray(before.length, before.length + 300), before.subarray(cut), before.subarray(cut)]);
        expect(await untouched({ id: writer.id, bytes: good, changes: 0 }, torn)).toBe("write");
      }
    });
  });

  test("that belong to another session are no evidence of this one", async () => {
    const [good, other] = [await sample(1, false), await sample(3, false)];
    const bytes = Buffer.concat([good.bytes, other.bytes.subarray(256 + 77)]);
    expect(await untouched(good, bytes)).toBe("write");
  });
});
