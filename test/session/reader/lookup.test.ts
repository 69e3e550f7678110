import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId, SubmissionId, WorkId } from "../../../src/base/index.js";
import { createIdSource } from "../../../src/base/index.js";
import type { Entry, EntryType } from "../../../src/schema/index.js";
import type { SessionReader, SessionWriter } from "../../../src/session/index.js";
import { BUILT_ID, FileBuilder } from "../support/build.js";
import { countingStore } from "../support/counting.js";
import { seqIds, user } from "../support/entries.js";
import { imagePath, seededRandom } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { collect, created, openedReader, openedWriter, withStore } from "../support/store.js";
import { workEntries } from "../support/work-entries.js";

/** The same questions to the writer and, after it closed, to a reader. */
async function both(
  writer: SessionWriter,
  reopen: () => Promise<SessionReader>,
  ask: (session: SessionReader) => Promise<void>,
): Promise<void> {
  await ask(writer);
  await writer.close();
  const reader = await reopen();
  await ask(reader);
  await reader.close();
}

async function built(bytes: Buffer): Promise<SessionReader> {
  const directory = new MemoryDirectory();
  directory.put(imagePath(BUILT_ID), bytes);
  return openedReader(directory.store(), BUILT_ID);
}

describe("an entry by its id", () => {
  test("is found by the index however the clock went and whatever time its id says, and one that is nowhere costs bounded reads", async () => {
    await withStore(async (store, dir) => {
      const random = seededRandom(5);
      const writer = await created(store);
      const all: EntryId[] = [];
      for (let commit = 0; commit < 250; commit += 1) {
        // Ids of any time, as an import brings them, and of a clock that goes back with every change.
        const start = commit % 2 === 0 ? Math.floor(random() * 2 ** 41) : 1_900_000_000_000 - commit * 60_000;
        const ids = createIdSource(
          () => start,
          (into) => into.fill(Math.floor(random() * 256)),
        );
        const entries = Array.from({ length: 12 }, () => user(ids, "lorem ipsum ".repeat(60)));
        all.push(...entries.map(({ id }) => id));
        writer.commit({ entries });
        if (commit % 50 === 49) await writer.commit({ entries: [user(ids, "")] }).durable;
      }
      expect(new Set(all).size).toBe(3000);
      for (const id of all.filter((_, index) => index % 97 === 0)) expect((await writer.get(id))?.id).toBe(id);
      await writer.close();
      const { store: readonly, bytesRead } = countingStore(dir);
      const reader = await openedReader(readonly, writer.id);
      for (const id of all.filter((_, index) => index % 97 === 0)) expect((await reader.get(id))?.id).toBe(id);
      const before = bytesRead();
      for (const start of [1, 1_800_000_000_000]) expect(await reader.get(seqIds(start).next())).toBeUndefined();
      expect(bytesRead() - before).toBeLessThan(2 * 1024 * 1024);
      await reader.close();
    });
  });

  test("is found where a checkpoint in the middle is damaged", async () => {
    const builder = new FileBuilder();
    const random = seededRandom(9);
    const ids = createIdSource(
      () => Math.floor(random() * 2 ** 41),
      (into) => into.fill(Math.floor(random() * 256)),
    );
    const all: EntryId[] = [];
    const spans = Array.from({ length: 5 }, () => {
      for (let commit = 0; commit < 100; commit += 1) {
        const entry = user(ids, "x".repeat(300));
        all.push(entry.id);
        builder.commit([entry]);
      }
      return builder.checkpoint();
    });
    const bytes = builder.bytes();
    const { from } = spans[2] ?? { from: 0 };
    bytes[from + 40] = (bytes[from + 40] ?? 0) ^ 1;
    const reader = await built(bytes);
    for (const id of all) expect((await reader.get(id))?.id).toBe(id);
    expect(await reader.get(ids.next())).toBeUndefined();
    expect(reader.damage()).toEqual([]);
    await reader.close();
  });

  test("is resolved from its last digits, in any case and with hyphens, when exactly one entry has them", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const entries = Array.from({ length: 40 }, () => user(seqIds(), "x")).map((entry, index) => ({
        ...entry,
        id: `0190a0a0-0000-7000-8000-${index.toString(16).padStart(12, "a")}` as EntryId,
      }));
      writer.commit({ entries });
      await both(
        writer,
        () => openedReader(store, writer.id),
        async (session) => {
          expect(await session.resolveEntry("aA1f")).toEqual({ ok: true, value: entries[31]?.id });
          expect(await session.resolveEntry("8000-aaaaaaaaaa1f")).toEqual({ ok: true, value: entries[31]?.id });
          expect(await session.resolveEntry(entries[5]?.id ?? "")).toEqual({ ok: true, value: entries[5]?.id });
          expect(await session.resolveEntry("aaaaaaa0")).toMatchObject({ ok: true });
          for (const name of ["a1f", "aaaaf0f0", "wxyz", "", "00000000-0000-0000-0000-000000000000", "1".repeat(33)]) {
            expect(await session.resolveEntry(name)).toMatchObject({ ok: false, error: { code: "session.entry-unknown" } });
          }
        },
      );
    });
  });

  test("is not resolved when several entries end alike; the answer names some of them", async () => {
    const builder = new FileBuilder();
    const ids = [1, 2, 3].map((start) => `0190a0a0-000${start}-7000-8000-00000000beef` as EntryId);
    builder.commit(ids.map((id) => ({ ...user(seqIds(), "x"), id })));
    const reader = await built(builder.bytes());
    expect(await reader.resolveEntry("beef")).toMatchObject({
      ok: false,
      error: { code: "session.entry-ambiguous", what: expect.stringContaining(ids[1] ?? "") as string },
    });
    await reader.close();
  });
});

describe("a receipt", () => {
  test("is found however long ago its submission settled, also when the clock went back; an open or foreign one has none", async () => {
    const builder = new FileBuilder();
    const ids = seqIds(1_700_000_900_000);
    const make = workEntries(ids);
    const [done, early, open, foreign] = [0, 1, 2, 3].map(() => ids.next<SubmissionId>()) as [
      SubmissionId,
      SubmissionId,
      SubmissionId,
      SubmissionId,
    ];
    const work = ids.next<WorkId>();
    const receipts = [make.receipt(done, work), make.receipt(early, work)];
    builder.commit([make.submission(early, work), receipts[1] as Entry], { time: 1_700_000_000_000 });
    builder.commit([make.submission(done, work), make.submission(open, work)], { time: 1_700_000_900_000 });
    builder.commit([receipts[0] as Entry, { ...make.receipt(foreign, work), inherited: true }]);
    for (let commit = 0; commit < 300; commit += 1) builder.commit([user(ids, "x".repeat(500))]);
    const reader = await built(builder.bytes());
    expect(await reader.receipt(done)).toEqual(receipts[0]);
    expect(await reader.receipt(early)).toEqual(receipts[1]);
    expect(await reader.receipt(open)).toBeUndefined();
    expect(await reader.receipt(foreign)).toBeUndefined();
    await reader.close();
  });
});

describe("scoped state", () => {
  test("and keys of admissions are found by the very text they were given with, also one that no file can hold as it is", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const make = workEntries(ids);
      const odd = "a\ud800b";
      const writer = await created(store);
      writer.commit({ entries: [make.put(odd, 1), make.submission(ids.next(), ids.next(), odd)] });
      await both(
        writer,
        () => openedReader(store, writer.id),
        async (session) => {
          expect(await session.sessionState("core", odd)).toMatchObject({ value: 1 });
          expect(await session.admission(odd)).toMatchObject({ type: "submission" });
        },
      );
    });
  });

  test("of the session is read back as it was recorded, now and as of any position", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const make = workEntries(ids);
      const work = ids.next<WorkId>();
      const writer = await created(store);
      const at = [
        [user(ids, "before")],
        [make.put("a", { v: 1 }, { fork: "copy" })],
        [make.put("a", [2]), make.put("mine", 1, { work }), make.work(work, "running")],
        [make.work(work, "settled")],
        [make.drop("a")],
        [make.put("a", "again")],
      ].map((entries) => writer.commit({ entries }).position);
      for (let index = 0; index < 100; index += 1) writer.commit({ entries: Array.from({ length: 10 }, () => user(ids, "x")) });
      await both(
        writer,
        () => openedReader(store, writer.id),
        async (session) => {
          const seen = await Promise.all(at.map((position) => session.sessionState("core", "a", position)));
          expect(seen.map((fields) => fields?.value)).toEqual([undefined, { v: 1 }, [2], [2], undefined, "again"]);
          expect(seen[1]).toEqual({ owner: "core", key: "a", version: 1, fork: "copy", operation: "put", value: { v: 1 } });
          expect(await session.sessionState("core", "a")).toMatchObject({ value: "again" });
          expect(await session.sessionState("other", "a")).toBeUndefined();
          const ofWork = await Promise.all(at.map((position) => session.sessionState("core", "mine", position)));
          expect(ofWork.map((fields) => fields?.value)).toEqual([undefined, undefined, 1, undefined, undefined, undefined]);
          await expect(session.sessionState("core", "a", { ...session.position(), seq: 999 })).rejects.toMatchObject({
            diagnostic: { code: "session.position-foreign" },
          });
        },
      );
    });
  });

  test("of a branch is the newest change on the way back from a leaf; navigating before it restores the earlier one", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const root = user(ids, "root");
      const put = (parent: EntryId, value: number, key = "k"): Extract<Entry, { type: "branch-state" }> => ({
        type: "branch-state",
        id: ids.next(),
        parent,
        time: 1_700_000_000_100,
        owner: "p",
        key,
        version: 3,
        fork: "copy",
        operation: "put",
        value,
      });
      const first = put(root.id, 1);
      const second = put(first.id, 2);
      const { value: _gone, ...rest } = put(second.id, 0);
      const deleted: Entry = { ...rest, operation: "delete" };
      const other = put(root.id, 9, "other");
      writer.commit({ entries: [root, first, second, deleted, other], leaf: second.id });
      await both(
        writer,
        () => openedReader(store, writer.id),
        async (session) => {
          expect(await session.branchState("p", "k")).toEqual({
            owner: "p",
            key: "k",
            version: 3,
            fork: "copy",
            operation: "put",
            value: 2,
          });
          expect(await session.branchState("p", "k", first.id)).toMatchObject({ value: 1 });
          expect(await session.branchState("p", "k", deleted.id)).toBeUndefined();
          expect(await session.branchState("p", "k", other.id)).toBeUndefined();
        },
      );
    });
  });
});

describe("a scan since a time", () => {
  test("gives entries of changes at or after it, and reads no more than it has to", async () => {
    const builder = new FileBuilder();
    const ids = seqIds();
    for (let commit = 0; commit < 600; commit += 1) {
      builder.commit([user(ids, "x".repeat(900)), { type: "session-info", id: ids.next(), time: 1, name: `${commit}` }], {
        time: 1_700_000_000_000 + commit * 10,
      });
    }
    const directory = new MemoryDirectory();
    directory.put(imagePath(BUILT_ID), builder.bytes());
    const { store, bytesRead } = countingStore("/memory", directory.operations());
    const reader = await openedReader(store, BUILT_ID);
    const types = new Set<EntryType>(["session-info"]);
    const names = async (since: number): Promise<readonly unknown[]> =>
      (await collect(reader.scan(types, { since }))).map((entry) => entry.type === "session-info" && entry.name);
    const before = bytesRead();
    expect(await names(1_700_000_005_980)).toEqual(["598", "599"]);
    expect(await names(1_700_000_005_981)).toEqual(["599"]);
    expect(await names(1_700_000_009_000)).toEqual([]);
    expect(bytesRead() - before).toBeLessThan(2 * 1024 * 1024);
    expect(await names(0)).toHaveLength(600);
    await reader.close();
  });
});

describe("frames of later versions", () => {
  test("are given byte for byte, in order, with the change they follow", async () => {
    const builder = new FileBuilder();
    const ids = seqIds();
    builder.frame(77, 5, Buffer.from("first of all"));
    builder.commit([user(ids, "one")]);
    builder.frame(78, 0, Buffer.from([0, 1, 2]));
    builder.frame(0, 9, Buffer.alloc(0));
    builder.commit([user(ids, "two")]);
    builder.frame(77, 1, Buffer.alloc(100_000, 7));
    const reader = await built(builder.bytes());
    expect(await collect(reader.unknownFrames())).toEqual([
      { type: 77, flags: 0, seq: 5, tableLen: 12, after: 0, body: Uint8Array.from(Buffer.from("first of all")) },
      { type: 78, flags: 0, seq: 0, tableLen: 3, after: 1, body: Uint8Array.from([0, 1, 2]) },
      { type: 0, flags: 0, seq: 9, tableLen: 0, after: 1, body: new Uint8Array(0) },
      { type: 77, flags: 0, seq: 1, tableLen: 100_000, after: 2, body: new Uint8Array(100_000).fill(7) },
    ]);
    await reader.close();
  });
});

describe("bytes cut off at opening", () => {
  test("are told, with the copy that was kept of them", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      await writer.commit({ entries: [user(ids, "whole")] }).durable;
      expect(writer.dropped).toBeUndefined();
      await writer.close();
      const sound = await readFile(writer.path);
      await writeFile(writer.path, Buffer.concat([sound, Buffer.from("torn bytes")]));
      const again = await openedWriter(store, writer.id);
      expect(again.dropped).toEqual({ bytes: 10 });
      await again.close();
      const clean = await openedWriter(store, writer.id);
      expect(clean.dropped).toBeUndefined();
      await clean.close();
    });
  });

  test("name their copy when a complete frame was among them", async () => {
    const builder = new FileBuilder();
    const ids = seqIds();
    builder.commit([user(ids, "whole")]);
    const whole = builder.bytes().length;
    builder.commit([user(ids, "x".repeat(70_000))]);
    const directory = new MemoryDirectory();
    directory.put(imagePath(BUILT_ID), builder.bytes().subarray(0, -3));
    const writer = await openedWriter(directory.store(), BUILT_ID);
    expect(writer.dropped?.bytes).toBe(builder.bytes().length - 3 - whole);
    expect(directory.get(writer.dropped?.copy ?? "")).toHaveLength(writer.dropped?.bytes ?? 0);
    await writer.close();
  });
});

describe("the header", () => {
  test("says epoch and origin of a session", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      expect(writer).toMatchObject({ epoch: 0, origin: undefined });
      await writer.close();
    });
  });
});
