import { readFile, stat } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Clock, EntryId, SessionId } from "../../../src/base/index.js";
import type { SessionStore } from "../../../src/session/index.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { collect, created, depsFor, openedWriter, withStore } from "../support/store.js";
import { idsOf, imagePath, reopen } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { seqIds, user } from "../support/entries.js";

/** A commit that ends at `end` bytes of the file. */
interface Ending {
  readonly end: number;
  readonly entry: EntryId;
}

/** Commits texts one by one and notes where each ends. */
async function build(
  texts: readonly string[],
): Promise<{ readonly bytes: Buffer; readonly endings: readonly Ending[]; readonly id: SessionId }> {
  return withStore(async (store) => {
    const ids = seqIds();
    const writer = await created(store);
    const endings: Ending[] = [];
    for (const text of texts) {
      const entry = user(ids, text);
      await writer.commit({ entries: [entry], leaf: entry.id }).durable;
      endings.push({ end: (await stat(writer.path)).size, entry: entry.id });
    }
    const bytes = await readFile(writer.path);
    await writer.close();
    return { bytes: bytes.subarray(0, endings.at(-1)?.end), endings, id: writer.id };
  });
}

const long = (length: number): string => Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * index) % 23))).join("");

describe("a file cut at any byte", () => {
  test.each([
    ["short commits", ["one", "two", "three"], 1],
    ["a commit across a block boundary", [long(4000), ...Array.from({ length: 14 }, () => long(4096)), "last"], 5],
    ["a commit of two chunked payloads", ["first", `${long(70_000)}`, "last"], 31],
  ])("keeps every commit that is whole: %s", async (_name, texts, step) => {
    const { bytes, endings, id } = await build(texts);
    const from = endings.at(-4)?.end ?? 256;
    for (let size = from; size <= bytes.length; size += size > bytes.length - 70 ? 1 : step) {
      const outcome = await reopen({ id, bytes: bytes.subarray(0, size) });
      const whole = endings.filter((ending) => ending.end <= size).map((ending) => ending.entry);
      if (outcome.access !== "write" || JSON.stringify(idsOf(outcome.changes)) !== JSON.stringify(whole)) {
        expect.fail(`cut to ${size} bytes: ${outcome.access}, ${outcome.changes.length} of ${whole.length} commits`);
      }
    }
  });

  test("goes on after the cut: what is committed then is there with all that was whole before", async () => {
    const { bytes, endings, id } = await build(["one", "two", "three"]);
    for (let size = endings[0]?.end ?? 256; size < bytes.length; size += 3) {
      const directory = new MemoryDirectory();
      await reopen({ id, bytes: bytes.subarray(0, size) }, directory);
      const writer = await openedWriter(directory.store(), id);
      const more = user(seqIds(1_800_000_000_000), "after");
      await writer.commit({ entries: [more], leaf: more.id }).durable;
      await writer.close();
      const outcome = await reopen({ id, bytes: directory.get(imagePath(id)) });
      const whole = endings.filter((ending) => ending.end <= size).map((ending) => ending.entry);
      expect(idsOf(outcome.changes)).toEqual([...whole, more.id]);
    }
  });

  test("below its header is refused with a diagnostic, listed as damaged, and never changed", async () => {
    const { bytes, id } = await build(["one"]);
    for (const size of [0, 1, 127, 128, 255]) {
      const directory = new MemoryDirectory();
      directory.put(imagePath(id), bytes.subarray(0, size));
      const store = directory.store();
      for (const want of ["read", "write"] as const) {
        const opened = await store.open(id, want);
        expect(opened).toMatchObject({ ok: false, error: { code: "session.unreadable" } });
      }
      expect((await collect(store.list())).map(({ state }) => state)).toEqual(["damaged"]);
      expect(directory.get(imagePath(id))).toHaveLength(size);
    }
  });

  test("keeps a copy of torn bytes that hold a complete frame", async () => {
    const { bytes, endings, id } = await build(["one", long(70_000)]);
    const directory = new MemoryDirectory();
    const size = (endings[1]?.end ?? 0) - 5;
    expect((await reopen({ id, bytes: bytes.subarray(0, size) }, directory)).changes).toHaveLength(1);
    const copies = [...directory.files.keys()].filter((path) => path.includes(".tail-"));
    expect(copies).toHaveLength(1);
    expect(directory.get(copies[0] ?? "").equals(bytes.subarray(endings[0]?.end, size))).toBe(true);
    expect(directory.get(imagePath(id))).toHaveLength(endings[0]?.end ?? 0);
  });

  /** A store over a directory that says EEXIST as a real one does, with a clock that stands still. */
  function recovering(directory: MemoryDirectory, more: Partial<FileOperations> = {}): SessionStore {
    const inner = directory.operations();
    const clock: Clock = { now: () => 1000, monotonic: () => 0, sleep: () => Promise.resolve() };
    const ops: FileOperations = {
      ...inner,
      open: async (path, flags) => {
        if (flags === "wx+" && directory.files.has(path)) throw Object.assign(new Error("EEXIST"), { code: "EEXIST" });
        return inner.open(path, flags);
      },
      ...more,
    };
    return createStoreOn(depsFor("/memory", { clock }), ops, { prepare: () => undefined, tryLock: () => true });
  }

  test("keeps a copy of every tail, also of two in one millisecond", async () => {
    const { bytes, endings, id } = await build(["one", long(70_000)]);
    const directory = new MemoryDirectory();
    const size = (endings[1]?.end ?? 0) - 5;
    for (const round of [0, 1]) {
      directory.put(imagePath(id), bytes.subarray(0, size - round));
      const writer = await openedWriter(recovering(directory), id);
      expect(writer.dropped?.copy).toBe(imagePath(id).replace(".smith", `.tail-${1000 + round}`));
      await writer.close();
    }
  });

  test("is not cut, and leaves no half a copy, where its torn bytes cannot all be copied", async () => {
    const { bytes, endings, id } = await build(["one", long(70_000)]);
    const directory = new MemoryDirectory();
    directory.put(imagePath(id), bytes.subarray(0, (endings[1]?.end ?? 0) - 5));
    const before = directory.get(imagePath(id));
    const full = recovering(directory, { write: async (_fd, given) => given.length - 1 });
    expect(await full.open(id, "write")).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
    expect([...directory.files.keys()]).toEqual([imagePath(id)]);
    expect(directory.get(imagePath(id))).toBe(before);
  });
});
