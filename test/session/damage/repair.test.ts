import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import { type Entry, isHistoryEntry } from "../../../src/schema/index.js";
import type { RepairReport, SessionStore } from "../../../src/session/index.js";
import { dumpLines, readDump } from "../../../src/session/index.js";
import { BLOCK_BYTES, FRAME, getFrame, physicalOf } from "../../../src/session/codec/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { user } from "../support/entries.js";
import { imagePath, seededRandom } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { faultyOperations } from "../support/operations.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";
import { verified } from "../maintenance/checks.js";
import { appendUnknownFrame, HistoryWriter, TIME } from "../maintenance/history.js";

interface Frames {
  readonly type: number;
  readonly seq: number;
  /** Bytes of the file. */
  readonly at: number;
  readonly tableAt: number;
  readonly payloadAt: number;
  readonly end: number;
}

/** Frames of a file, by the lengths in their headers. */
function framesOf(bytes: Buffer): readonly Frames[] {
  const seed = bytes.readUInt32LE(40);
  const frames: Frames[] = [];
  for (let offset = 0; physicalOf(offset) < bytes.length;) {
    const header = Buffer.alloc(32);
    for (let index = 0; index < 32; index += 1) header[index] = bytes[physicalOf(offset + index)] ?? 0;
    const frame = getFrame(header, 0, { offset, seed });
    if (frame === undefined) throw new Error(`no frame at ${offset}`);
    const table = frame.type === FRAME.commit ? frame.tableLen : 0;
    frames.push({
      type: frame.type,
      seq: frame.seq,
      at: physicalOf(offset),
      tableAt: physicalOf(offset + 32),
      payloadAt: physicalOf(offset + 32 + table),
      end: physicalOf(frame.end - 1) + 1,
    });
    offset = frame.end;
  }
  return frames;
}

interface Sample {
  readonly id: SessionId;
  readonly bytes: Buffer;
  readonly changes: ReadonlyMap<number, readonly Entry[]>;
  readonly leaf: EntryId;
}

async function sample(): Promise<Sample> {
  return withStore(async (store) => {
    const writer = await created(store);
    const history = new HistoryWriter(writer);
    const first = await history.turn(undefined, "first");
    const second = await history.turn(first.leaf, "second", { big: true });
    await writer.close();
    await appendUnknownFrame(writer.path, "in the middle");
    const again = await openedWriter(store, writer.id);
    const third = await Object.assign(new HistoryWriter(again), { ids: history.ids }).turn(second.leaf, "third");
    await again.close();
    await appendUnknownFrame(writer.path, "at the end");
    const reader = await openedReader(store, writer.id);
    const changes = await collect(reader.changes());
    await reader.close();
    const bySeq = new Map(changes.map(({ position, entries }) => [position.seq, entries]));
    return { id: writer.id, bytes: await readFile(writer.path), changes: bySeq, leaf: third.leaf };
  });
}

async function repaired(store: SessionStore, id: SessionId): Promise<RepairReport> {
  const result = await store.repair(id);
  if (!result.ok) throw new Error(`${result.error.what} ${result.error.why}`);
  return result.value;
}

/** Repairs an image in memory and checks what must hold after every repair. */
async function repairedImage({ id, changes }: Sample, bytes: Buffer) {
  const directory = new MemoryDirectory();
  directory.put(imagePath(id), bytes);
  const store = directory.store();
  const report = await repaired(store, id);
  expect((await verified(store, id)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  const reader = await openedReader(store, id);
  const found = await collect(reader.changes());
  expect(reader.damage()).toEqual([]);
  const frames = (await collect(reader.unknownFrames())).map(({ body }) => Buffer.from(body).toString());
  const missing = new Set(
    report.lost.flatMap(({ firstSeq, lastSeq }) => [...Array(lastSeq - firstSeq + 1).keys()].map((n) => n + firstSeq)),
  );
  const marked = new Set(report.marked);
  const gone = new Set([...(report.dropped?.entries ?? []), ...marked]);
  for (const { position, entries } of found) {
    const wanted = changes.get(position.seq) ?? [];
    expect(entries.filter(({ type }) => type !== "lost")).toEqual(wanted.filter((entry) => !gone.has(entry.id)));
    expect(missing.has(position.seq)).toBe(false);
  }
  expect(found.length + missing.size).toBe(changes.size);
  const entries = found.flatMap((change) => change.entries);
  expect(new Set(entries.filter(({ type }) => type === "lost").map(({ id }) => id))).toEqual(marked);
  const before = new Set<EntryId>();
  for (const entry of entries.filter(isHistoryEntry)) {
    if (entry.parent !== undefined) expect(before.has(entry.parent)).toBe(true);
    before.add(entry.id);
  }
  await collect(reader.branch());
  const { epoch } = reader;
  await reader.close();
  const writer = await openedWriter(store, id);
  const leaf = writer.leaf();
  const all = new Set(found.flatMap((change) => change.entries.map((entry) => entry.id)));
  if (leaf !== undefined) expect(all.has(leaf)).toBe(true);
  const more: Entry = { ...user({ next: () => "0190a0a0-0000-7000-8000-00000000abcd" } as never, "more", leaf), time: TIME };
  await writer.commit({ entries: [more], leaf: more.id }).durable;
  expect(writer.position().seq).toBe(changes.size + 1);
  await writer.close();
  expect((await verified(store, id)).damage).toEqual([]);
  return { report, epoch, frames, directory, leaf };
}

const isLossyReport = ({ lost, marked = [], dropped }: RepairReport): boolean =>
  lost.length + marked.length + (dropped?.entries.length ?? 0) > 0;

const smash = (bytes: Buffer, at: number, count = 4): Buffer => {
  const copy = Buffer.from(bytes);
  for (let index = at; index < at + count; index += 1) copy[index] = (copy[index] ?? 0) ^ 0x5a;
  return copy;
};

describe("repair", () => {
  test("of a sound file does nothing", async () => {
    const { id, bytes } = await sample();
    const directory = new MemoryDirectory();
    directory.put(imagePath(id), bytes);
    const report = await repaired(directory.store(), id);
    expect(report).toMatchObject({ lost: [] });
    expect(report.backup).toBeUndefined();
    expect(directory.get(imagePath(id)).equals(bytes)).toBe(true);
    expect([...directory.files.keys()]).toEqual([imagePath(id)]);
  });

  test(
    "after damage to any header, table or payload of any frame keeps all that is not in it, sound and writable",
    { timeout: 60_000 },
    async () => {
      const good = await sample();
      const derived = new Set<number>([FRAME.ack, FRAME.summary, FRAME.close, FRAME.checkpoint]);
      for (const { type, seq, at, tableAt, payloadAt, end } of framesOf(good.bytes)) {
        for (const place of [at + 5, at + 20, tableAt + 10, payloadAt + 1].filter((byte) => byte < end)) {
          const { report, epoch, frames } = await repairedImage(good, smash(good.bytes, place, 1));
          const isLossy = isLossyReport(report);
          expect(epoch).toBe(isLossy ? 1 : 0);
          if (type === FRAME.commit) expect(report.lost.filter((span) => span.firstSeq !== seq || span.lastSeq !== seq)).toEqual([]);
          if (type === FRAME.commit || type === FRAME.blob) expect(frames).toEqual(["in the middle", "at the end"]);
          if (derived.has(type)) expect(isLossy).toBe(false);
        }
      }
    },
  );

  test("loses no change to a single wrong bit in a frame header", { timeout: 60_000 }, async () => {
    const good = await sample();
    for (const { type, at } of framesOf(good.bytes)) {
      if (type !== FRAME.commit) continue;
      for (const bit of [0, 37, 70, 90, 110, 133, 200, 255]) {
        const bytes = Buffer.from(good.bytes);
        // Headers may lie across the header of a block, which is none of them.
        if (Math.floor(at / BLOCK_BYTES) !== Math.floor((at + 31) / BLOCK_BYTES)) continue;
        bytes[at + (bit >> 3)] = (bytes[at + (bit >> 3)] ?? 0) ^ (1 << (bit & 7));
        const { report, epoch } = await repairedImage(good, bytes);
        expect(report).toMatchObject({ lost: [], commits: good.changes.size });
        expect(epoch).toBe(0);
      }
    }
  });

  test("drops only the entry whose content is damaged, and all of the queue and work of a change whose transition is", async () => {
    const good = await sample();
    const at = good.bytes.indexOf("Done with first.");
    const { report } = await repairedImage(good, smash(good.bytes, at));
    const [answer] = [...good.changes.values()].flat().filter((entry) => entry.type === "assistant" && entry.text === "Done with first.");
    expect(report).toMatchObject({ lost: [], marked: [answer?.id] });
    const submission = [...good.changes].find(([, entries]) => entries[0]?.type === "submission");
    const prompt = good.bytes.indexOf("first");
    const second = await repairedImage(good, smash(good.bytes, prompt, 2));
    const types = (submission?.[1] ?? []).filter(({ id }) => second.report.dropped?.entries.includes(id)).map(({ type }) => type);
    expect(types).toEqual(["submission", "queue", "work"]);
    expect(second.report.lost).toEqual([]);
  });

  test("continues on the mark of a selected entry that is gone", async () => {
    const good = await sample();
    const last = good.bytes.indexOf("Done with third.");
    const { leaf, report } = await repairedImage(good, smash(good.bytes, last));
    expect(leaf).toBe(good.leaf);
    expect(report.marked).toEqual([good.leaf]);
  });

  test("restores block headers and copies of the file header without loss, also when both copies are lost", async () => {
    const good = await sample();
    const images = [smash(good.bytes, 3), smash(good.bytes, 130), Buffer.from(good.bytes).fill(0, 0, 256)];
    for (let block = BLOCK_BYTES; block < good.bytes.length; block += BLOCK_BYTES) images.push(smash(good.bytes, block + 8));
    for (const image of images) {
      const { report, epoch, directory } = await repairedImage(good, image);
      expect(report.lost).toEqual([]);
      expect(report.backup).toBeDefined();
      expect(epoch).toBe(image.readUInt32LE(0) === 0 ? 1 : 0);
      expect(directory.get(report.backup ?? "").equals(image)).toBe(true);
    }
    const half = Buffer.from(good.bytes).fill(0, 0, 100_000);
    expect((await repairedImage(good, half)).report.lost.length).toBeGreaterThan(0);
  });

  test("leaves nothing that keeps the session from being exported and imported elsewhere; before it, the import is refused", async () => {
    const good = await sample();
    const commit = framesOf(good.bytes).find(({ type, seq }) => type === FRAME.commit && seq === 3);
    const directory = new MemoryDirectory();
    directory.put(imagePath(good.id), smash(good.bytes, commit?.tableAt ?? 0));
    const moved = async () => {
      const reader = await openedReader(directory.store(), good.id);
      const lines = (async function* () {
        for await (const line of dumpLines(reader)) if (line.ok) yield line.value;
      })();
      const dump = await readDump(lines);
      if (!dump.ok) throw new Error(dump.error.what);
      const { session, seq, epoch, created: createdAt } = dump.value.header;
      const made = await new MemoryDirectory()
        .store()
        .import(dump.value.items, { id: session, createdAt, source: { session, seq, epoch } });
      await reader.close();
      return made;
    };
    expect(await moved()).toMatchObject({ ok: false, error: { code: "session.dump-gap" } });
    await repaired(directory.store(), good.id);
    expect(await moved()).toMatchObject({ ok: true, value: { missing: [{ firstSeq: 3, lastSeq: 3 }] } });
  });

  test("says that acknowledged changes at a lost end are gone, and goes on behind them", async () => {
    const good = await sample();
    const commits = framesOf(good.bytes).filter(({ type }) => type === FRAME.commit);
    const last = commits.at(-1);
    const { report, frames } = await repairedImage(good, smash(good.bytes, last?.at ?? 0, 40));
    expect(report.lost).toEqual([{ firstSeq: last?.seq, lastSeq: last?.seq }]);
    expect(frames).toEqual(["in the middle", "at the end"]);
  });

  test("of random damage, again and again on what it made, never loses what it did not touch", { timeout: 60_000 }, async () => {
    const good = await sample();
    const random = seededRandom(5);
    for (let round = 0; round < 60; round += 1) {
      const at = Math.floor(random() * (good.bytes.length - 64));
      await repairedImage(good, smash(good.bytes, at, 1 + Math.floor(random() * 64)));
    }
    await withStore(async (store) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      await history.turn(undefined, "only", { big: true });
      await writer.close();
      let lost = 0;
      for (let round = 0; round < 5; round += 1) {
        const bytes = await readFile(writer.path);
        await writeFile(writer.path, smash(bytes, 256 + Math.floor(random() * (bytes.length - 300)), 20));
        const report = await repaired(store, writer.id);
        lost += report.lost.reduce((sum, { firstSeq, lastSeq }) => sum + lastSeq - firstSeq + 1, 0);
        expect((await verified(store, writer.id)).damage).toEqual([]);
      }
      const reader = await openedReader(store, writer.id);
      const changes = await collect(reader.changes());
      expect(changes.length + lost).toBe(history.all.at(-1)?.seq);
      await reader.close();
    });
  });

  test("of a file without a readable change says that all are gone, and a writer goes on behind them", async () => {
    const good = await sample();
    let bytes = good.bytes;
    const commits = framesOf(good.bytes).filter(({ type }) => type === FRAME.commit);
    for (const { tableAt } of commits) bytes = smash(bytes, tableAt + 70);
    const { report, epoch, frames, leaf } = await repairedImage(good, bytes);
    expect(report).toMatchObject({ commits: 0 });
    expect(report.lost.reduce((sum, { firstSeq, lastSeq }) => sum + lastSeq - firstSeq + 1, 0)).toBe(good.changes.size);
    expect([epoch, leaf, frames]).toEqual([1, undefined, ["in the middle", "at the end"]]);
  });

  test("of a file under another name makes it the session of that name", async () => {
    const good = await sample();
    const id = "0190a0a0-0000-7000-8000-0000000000dd" as SessionId;
    const { report, epoch } = await repairedImage({ ...good, id }, good.bytes);
    expect([report.lost, epoch]).toEqual([[], 0]);
  });

  test("is refused while another writes, and what it leaves beside the session goes with it", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      await history.turn(undefined, "text");
      expect(await store.repair(writer.id)).toMatchObject({ ok: false, error: { code: "session.busy", exit: 4 } });
      await writer.close();
      const bytes = await readFile(writer.path);
      await writeFile(writer.path, smash(bytes, 500));
      expect((await repaired(store, writer.id)).backup).toMatch(/before-repair-\d+$/);
      expect(await readdir(dir)).toHaveLength(2);
      expect(await store.remove(writer.id)).toMatchObject({ ok: true });
      expect(await readdir(dir)).toEqual([]);
    });
  });

  test.each(["EIO", "ENOSPC"])(
    "stopped by %s at any call leaves the old file or the new one, never neither",
    { timeout: 60_000 },
    async (error) => {
      const good = await sample();
      const broken = smash(good.bytes, (framesOf(good.bytes)[3]?.tableAt ?? 0) + 9);
      let calls = 1;
      for (let failing = -1; failing < calls; failing += 1) {
        const dir = await mkdtemp(join(tmpdir(), "smith-repair-"));
        try {
          const path = join(dir, `${good.id}.smith`);
          await writeFile(path, broken);
          const ops = faultyOperations(({ index }) => (index === failing ? { error } : undefined));
          const result = await createStoreOn(depsFor(dir), ops, createLocker()).repair(good.id);
          if (failing === -1) calls = ops.calls();
          const now = await readFile(path);
          const store = createStoreOn(
            depsFor(dir),
            faultyOperations(() => undefined),
            createLocker(),
          );
          const isNew = !now.equals(broken);
          if (result.ok) expect(isNew).toBe(true);
          else expect(result.error.code).toMatch(/^session\.(storage-failed|storage-full|lock-unavailable)$/);
          if (isNew) expect((await verified(store, good.id)).damage).toEqual([]);
          await repaired(store, good.id);
          expect((await verified(store, good.id)).damage).toEqual([]);
          expect((await stat(path)).size).toBeGreaterThan(1000);
        } finally {
          await rm(dir, { recursive: true, force: true });
        }
      }
      expect(calls).toBeGreaterThan(15);
    },
  );
});
