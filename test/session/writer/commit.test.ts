import { readFile, readdir, stat } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import type { EntryId, WorkId } from "../../../src/base/index.js";
import { SessionStorageError } from "../../../src/session/index.js";
import type { JsonValue } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { loggingOperations } from "../support/operations.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";

/** Types of all frames of a file that fits one block, by stepping through lengths. */
async function frameTypes(path: string): Promise<readonly number[]> {
  const bytes = (await readFile(path)).subarray(256);
  const types: number[] = [];
  for (let at = 0; at < bytes.length; at += 32 + bytes.readUInt32LE(at + 4)) types.push(bytes.readUInt16LE(at + 8));
  return types;
}

describe("committing", () => {
  test("changes of one turn share one write and one sync, and keep their order", async () => {
    await withStore(async (_store, dir) => {
      const ops = loggingOperations();
      const writer = await created(createStoreOn(depsFor(dir), ops, createLocker()));
      ops.log.length = 0;
      const ids = seqIds();
      const order: number[] = [];
      const tickets = Array.from({ length: 200 }, (_, index) => {
        const ticket = writer.commit({ entries: [user(ids, `${index}`)] });
        expect(ticket.position).toEqual({ session: writer.id, epoch: 0, seq: index + 1 });
        return ticket.durable.then(() => order.push(index));
      });
      await Promise.all(tickets);
      expect(ops.log.map(({ type }) => type)).toEqual(["write", "sync"]);
      expect(order).toEqual(Array.from({ length: 200 }, (_, index) => index));
      await writer.close();
    });
  });

  test("published comes before durable, and readers in this process see what is queued", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const seen: string[] = [];
      const entry = user(seqIds(), "x");
      const ticket = writer.commit({ entries: [entry], leaf: entry.id });
      expect(writer.leaf()).toBe(entry.id);
      expect(writer.position().seq).toBe(1);
      const waits = [ticket.published.then(() => seen.push("published")), ticket.durable.then(() => seen.push("durable"))];
      expect(await writer.get(entry.id)).toEqual(entry);
      await Promise.all(waits);
      expect(seen).toEqual(["published", "durable"]);
      await writer.close();
    });
  });

  test("time never goes back, neither between commits nor between entries", async () => {
    await withStore(async (_store, dir) => {
      let now = 1_800_000_000_000;
      const clock = { now: () => (now -= 1000), monotonic: () => 0, sleep: () => Promise.resolve() };
      const writer = await created(createStoreOn(depsFor(dir, { clock }), loggingOperations(), createLocker()));
      const ids = seqIds();
      for (const time of [50, 40, 60])
        writer.commit({
          entries: [
            { ...user(ids, "t"), time },
            { ...user(ids, "t"), time: time - 5 },
          ],
        });
      const changes = await collect(writer.changes());
      const times = changes.map((change) => change.time);
      expect([...times].sort()).toEqual(times);
      expect(changes.flatMap((change) => change.entries.map((entry) => entry.time))).toEqual([50, 50, 50, 50, 60, 60]);
      await writer.close();
    });
  });

  /** Text that does not compress, 4/3 of `bytes` long. */
  const noise = (bytes: number): string =>
    Buffer.from(Array.from({ length: bytes }, (_, index) => (Math.imul(index, index * 2_654_435_761) >>> 13) & 0xff)).toString("base64");
  const nested = (levels: number): JsonValue => {
    let value: JsonValue = null;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };
  const work = (checkpoint: JsonValue): Entry => ({
    type: "work",
    id: seqIds().next<EntryId>(),
    time: 1_700_000_000_100,
    work: seqIds(1_700_000_000_001).next<WorkId>(),
    state: "running",
    checkpoint,
  });

  test.each([
    ["no entries", () => []],
    ["more than 4,096 entries", () => Array.from({ length: 4097 }, () => user(seqIds(), ""))],
    ["more than 3 MiB of short payloads", () => Array.from({ length: 56 }, () => user(seqIds(), noise(45_000)))],
    ["a text of more than 96 MiB", () => [user(seqIds(), "x".repeat(96 * 1024 * 1024 + 1))]],
    ["a value nested too deeply", () => [work(nested(200))]],
    ["a value nested so deeply that naive recursion would end the process", () => [work(nested(50_000))]],
  ] as readonly (readonly [string, () => readonly Entry[]])[])("with %s is refused before anything is queued", async (_name, entries) => {
    await withStore(async (store) => {
      const writer = await created(store);
      expect(() => writer.commit({ entries: entries() })).toThrow(SessionStorageError);
      try {
        writer.commit({ entries: entries() });
      } catch (error) {
        expect(error).toMatchObject({ diagnostic: { code: "session.commit-too-large" } });
      }
      expect(writer.state()).toBe("open");
      expect(writer.position().seq).toBe(0);
      const entry = user(seqIds(), "after");
      await writer.commit({ entries: [entry] }).durable;
      expect((await collect(writer.changes())).map((change) => change.entries)).toEqual([[entry]]);
      await writer.close();
    });
  });

  test("payloads of any size, plane and number come back as they were", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const random = Buffer.from(Array.from({ length: 5 * 1024 * 1024 }, (_, index) => (Math.imul(index, 2_654_435_761) >>> 13) & 0xff));
      const texts = [
        "",
        "\0",
        "é水😀\u{10ffff}".repeat(9000),
        "line\r\n".repeat(900_000),
        random.toString("base64"),
        "a".repeat(65_536),
        "a".repeat(65_537),
      ];
      const entries: readonly Entry[] = [
        ...texts.map((text) => user(ids, text)),
        { ...user(ids, "image"), images: [{ mediaType: "image/png", base64: random.toString("base64") }] },
        { ...work({ numbers: [-0, 0, 2 ** 53, -(2 ** 53), 1e300, 0.1, 5e-324], text: "x".repeat(200_000) }), id: ids.next<EntryId>() },
      ];
      const writer = await created(store);
      writer.commit({ entries: entries.slice(0, 5) });
      for (const entry of entries.slice(5)) writer.commit({ entries: [entry] });
      await writer.close();
      const reader = await openedReader(store, writer.id);
      const all = (await collect(reader.changes())).flatMap((change) => change.entries);
      all.forEach((entry, index) => expect(entry).toEqual(entries[index]));
      for (const entry of entries) expect(await reader.get(entry.id)).toEqual(entry);
      await reader.close();
    });
  });

  test("lone surrogates are stored as U+FFFD", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const entry = user(seqIds(), "a\ud800b");
      writer.commit({ entries: [entry] });
      expect(await writer.get(entry.id)).toEqual({ ...entry, text: "a\ufffdb" });
      await writer.close();
    });
  });
});

describe("derived frames", () => {
  test("an acknowledgement follows when the writer is idle; summary and close end the file", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const entry = user(seqIds(), "x");
      await writer.commit({ entries: [entry] }).durable;
      await vi.waitFor(async () => {
        expect(await frameTypes(writer.path)).toEqual([1, 4]);
      });
      await writer.close();
      expect(await frameTypes(writer.path)).toEqual([1, 4, 5, 6]);
    });
  });

  test("a settled run leaves a summary behind that a killed process's session is listed by", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      const prompt = user(ids, "do it");
      await writer.commit({
        entries: [
          prompt,
          { type: "receipt", id: ids.next<EntryId>(), time: 1, submission: ids.next(), work: ids.next(), status: "ok", reason: "done" },
        ],
      }).durable;
      await vi.waitFor(async () => {
        expect(await frameTypes(writer.path)).toEqual([1, 4, 5]);
      });
      expect(await collect(store.list())).toMatchObject([{ state: "busy", turns: 1, firstPrompt: "do it" }]);
      await writer.close();
    });
  });

  test("opening and closing without a change leaves the bytes as they are; the summary counts on after reopening", async () => {
    await withStore(async (store, dir) => {
      const ids = seqIds();
      const first = await created(store);
      await first.commit({ entries: [user(ids, "one")] }).durable;
      await first.close();
      const before = await readFile(first.path);
      const idle = await openedWriter(store, first.id);
      await idle.close();
      expect(await readFile(first.path)).toEqual(before);
      const again = await openedWriter(store, first.id);
      again.commit({ entries: [user(ids, "two")] });
      await again.close();
      expect(await collect(store.list())).toMatchObject([{ turns: 2, firstPrompt: "one" }]);
      expect(await readdir(dir)).toEqual([`${first.id}.smith`]);
      expect((await stat(dir)).isDirectory()).toBe(true);
    });
  });
});
