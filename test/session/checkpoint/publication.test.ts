import { readFile, stat } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import type { EntryId, IdSource, SessionId, SubmissionId, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import type { SessionReader, SessionStore, SessionWriter } from "../../../src/session/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { countingStore } from "../support/counting.js";
import { seqIds, user } from "../support/entries.js";
import { faultyOperations } from "../support/operations.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";
import { workEntries } from "../support/work-entries.js";

/** Type and body of every frame, by stepping through lengths over the logical stream. */
async function framesOf(path: string): Promise<readonly { readonly type: number; readonly body: Buffer }[]> {
  const bytes = await readFile(path);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 65_536) parts.push(bytes.subarray(at + (at === 0 ? 256 : 32), at + 65_536));
  const stream = Buffer.concat(parts);
  const frames: { type: number; body: Buffer }[] = [];
  for (let at = 0; at < stream.length; at += 32 + stream.readUInt32LE(at + 4)) {
    frames.push({ type: stream.readUInt16LE(at + 8), body: stream.subarray(at + 32, at + 32 + stream.readUInt32LE(at + 4)) });
  }
  return frames;
}

const typesOf = async (path: string): Promise<readonly number[]> => (await framesOf(path)).map(({ type }) => type);
const checkpointsOf = async (path: string): Promise<readonly Buffer[]> =>
  (await framesOf(path)).filter(({ type }) => type === 3).map(({ body }) => body);

/** Commits `count` short messages, 512 a change. */
function fill(writer: SessionWriter, ids: IdSource, count: number): readonly EntryId[] {
  const all: EntryId[] = [];
  for (let left = count; left > 0; left -= 512) {
    const entries = Array.from({ length: Math.min(left, 512) }, () => user(ids, "x"));
    writer.commit({ entries });
    all.push(...entries.map(({ id }) => id));
  }
  return all;
}

const submissionOf = (ids: IdSource, key: string): Entry => workEntries(ids).submission(ids.next<SubmissionId>(), ids.next<WorkId>(), key);

describe("a checkpoint is published", () => {
  test("in a quiet moment after 2,048 records, and names what it covers to every later change", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      fill(writer, ids, 2047);
      await vi.waitFor(async () => {
        expect(await typesOf(writer.path)).toEqual([1, 1, 1, 1, 4]);
      });
      fill(writer, ids, 1);
      await vi.waitFor(async () => {
        expect(await typesOf(writer.path)).toEqual([1, 1, 1, 1, 4, 1, 3, 4]);
      });
      fill(writer, ids, 1);
      await writer.close();
      const frames = await framesOf(writer.path);
      expect(frames.map(({ type }) => type)).toEqual([1, 1, 1, 1, 4, 1, 3, 4, 1, 5, 6]);
      expect(frames[6]?.body.readUInt32LE(4)).toBe(2048);
      const back = frames.filter(({ type }) => type === 1).map(({ body }) => Number(body.readBigUInt64LE(32)));
      expect(back).toEqual([0, 0, 0, 0, 0, (frames[6]?.body.length ?? 0) + 64]);
    });
  });

  test("in a quiet moment after 2 MiB, however few records they are", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const noise = Buffer.from(Array.from({ length: 1_700_000 }, (_, index) => (Math.imul(index, 2_654_435_761) >>> 13) & 0xff));
      await writer.commit({ entries: [user(seqIds(), noise.toString("base64"))] }).durable;
      await vi.waitFor(async () => {
        expect((await checkpointsOf(writer.path)).map((body) => body.readUInt32LE(4))).toEqual([1]);
      });
      await writer.close();
    });
  });

  test("without a quiet moment after four times as much, before the next group", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      for (let round = 0; round < 12; round += 1) {
        const ticket = fill(writer, ids, 1024);
        expect(ticket).toHaveLength(1024);
        await writer.commit({ entries: [user(ids, "x")] }).published;
      }
      await writer.close();
      const counts = (await checkpointsOf(writer.path)).map((body) => body.readUInt32LE(4));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12 * 1025);
      expect(counts).toHaveLength(2);
    });
  });

  test.each([
    [511, [1, 5, 6]],
    [512, [1, 3, 5, 6]],
  ])("when the session closes with %d records since the last one: frames %j", async (count, types) => {
    await withStore(async (store) => {
      const writer = await created(store);
      fill(writer, seqIds(), count);
      await writer.close();
      expect(await typesOf(writer.path)).toEqual(types);
    });
  });

  test("in several frames when one does not hold all ids", { timeout: 30_000 }, async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      const ids = seqIds();
      const all = fill(writer, ids, 66_000);
      await writer.close();
      const bodies = await checkpointsOf(writer.path);
      expect(bodies.map((body) => body.readUInt32LE(20) > 0).at(-1)).toBe(true);
      expect(bodies.reduce((sum, body) => sum + body.readUInt32LE(4), 0)).toBe(66_000);
      const { store: readonly, bytesRead } = countingStore(dir);
      const reader = await openedReader(readonly, writer.id);
      for (const index of [0, 32_000, 65_500, 65_999]) expect((await reader.get(all[index] as EntryId))?.id).toBe(all[index]);
      const before = bytesRead();
      expect(await reader.get(ids.next())).toBeUndefined();
      expect(bytesRead() - before).toBeLessThan(2 * 1024 * 1024);
      await reader.close();
    });
  });
});

async function facts(session: SessionReader, keys: readonly string[]): Promise<unknown> {
  const admissions = await Promise.all(keys.map(async (key) => (await session.admission(key))?.id));
  return { live: await session.live(), admissions, changes: (await collect(session.changes())).length };
}

describe("a checkpoint whose publication is interrupted", () => {
  test.each([
    ["fails", { error: "EIO" }],
    ["finds the disk full", { error: "ENOSPC" }],
    ["is short", { short: 1000 }],
  ])("because the write %s hides nothing of the history", async (_name, fault) => {
    await withStore(async (store, dir) => {
      let isBroken = false;
      const ops = faultyOperations(({ name }) => (isBroken && name === "write" ? fault : undefined));
      const writer = await created(createStoreOn(depsFor(dir), ops, createLocker()));
      const ids = seqIds();
      await writer.commit({ entries: [submissionOf(ids, "k")] }).durable;
      const all = fill(writer, ids, 600);
      await writer.commit({ entries: [user(ids, "end")] }).durable;
      const before = await facts(writer, ["k", "other"]);
      isBroken = true;
      await writer.close();
      const reader = await openedReader(store, writer.id);
      expect(await facts(reader, ["k", "other"])).toEqual(before);
      expect((await reader.get(all[300] as EntryId))?.id).toBe(all[300]);
      await reader.close();
      const again = await openedWriter(store, writer.id);
      expect(await facts(again, ["k", "other"])).toEqual(before);
      await again.commit({ entries: [user(ids, "more")] }).durable;
      await again.close();
      expect(await checkpointsOf(writer.path)).toHaveLength(1);
    });
  });
});

/** Opens, asks and closes, as reader and as writer. */
async function askTwice(store: SessionStore, id: SessionId, keys: readonly string[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const want of ["read", "write"] as const) {
    const session = want === "read" ? await openedReader(store, id) : await openedWriter(store, id);
    answers.push(await facts(session, keys));
    await session.close();
  }
  return answers;
}

describe("a session that is opened again", () => {
  test.each([
    ["with checkpoints", 700],
    ["without checkpoints", 10],
  ])("recovers the original submission of every key across restarts: %s", async (_name, count) => {
    await withStore(async (store) => {
      const ids = seqIds();
      let writer = await created(store);
      const admitted: Entry[] = [];
      for (let restart = 0; restart < 3; restart += 1) {
        const entry = submissionOf(ids, `key ${restart}`);
        admitted.push(entry);
        await writer.commit({ entries: [entry] }).durable;
        fill(writer, ids, count);
        for (const [index, { id }] of admitted.entries()) expect(await writer.admission(`key ${index}`)).toMatchObject({ id });
        expect(await writer.admission("key")).toBeUndefined();
        await writer.close();
        writer = await openedWriter(store, writer.id);
        for (const [index, { id }] of admitted.entries()) expect(await writer.admission(`key ${index}`)).toMatchObject({ id });
      }
      await writer.commit({ entries: [{ ...submissionOf(ids, "inherited"), inherited: true }] }).durable;
      expect(await writer.admission("inherited")).toBeUndefined();
      await writer.close();
    });
  });

  test("has equal live state each time, and says what the writer said before", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const make = workEntries(ids);
      const [work, owned] = [ids.next<WorkId>(), ids.next<WorkId>()];
      const writer = await created(store);
      writer.commit({ entries: [make.work(work, "running", { checkpoint: { a: [1, -0] } }), submissionOf(ids, "k"), make.put("s", "v")] });
      fill(writer, ids, 600);
      writer.commit({ entries: [make.work(owned, "blocked", { parentWork: work }), make.intent(ids.next(), ids.next(), owned)] });
      const before = await facts(writer, ["k"]);
      await writer.close();
      const first = await askTwice(store, writer.id, ["k"]);
      expect(first).toEqual([before, before]);
      expect(await askTwice(store, writer.id, ["k"])).toEqual(first);
    });
  });

  test("a key given to one process's session twice in one breath is found before it is in the file", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const entry = submissionOf(seqIds(), "k");
      writer.commit({ entries: [entry] });
      expect(await writer.admission("k")).toEqual(entry);
      expect((await writer.live()).submissions.size).toBe(1);
      await writer.close();
      expect((await stat(writer.path)).size).toBeGreaterThan(256);
    });
  });
});
