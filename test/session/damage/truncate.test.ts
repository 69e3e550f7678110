import { readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import { collect, created, openedWriter, withStore } from "../support/store.js";
import { idsOf, reopen } from "../support/images.js";
import { seqIds, user } from "../support/entries.js";

/** A commit that ends at `end` bytes of the file. */
interface Ending {
  readonly end: number;
  readonly entry: EntryId;
}

/** Commits texts one by one and notes where each ends. */
async function build(texts: readonly string[]): Promise<{ readonly bytes: Buffer; readonly endings: readonly Ending[]; readonly id: never }> {
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
    return { bytes: bytes.subarray(0, endings.at(-1)?.end), endings, id: writer.id as never };
  });
}

const long = (length: number): string => Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * index) % 23))).join("");

describe("a file cut at any byte", () => {
  test.each([
    ["short commits", ["one", "two", "three"], 1],
    ["a commit across a block boundary", [long(4000), ...Array.from({ length: 14 }, () => long(4096)), "last"], 7],
    ["a commit of two chunked payloads", ["first", `${long(70_000)}`, "last"], 97],
  ])("keeps every commit that is whole: %s", async (_name, texts, step) => {
    const { bytes, endings, id } = await build(texts);
    await withStore(async (store, dir) => {
      const from = endings.at(-4)?.end ?? 256;
      for (let size = from; size <= bytes.length; size += size > bytes.length - 70 || step === 1 ? 1 : step) {
        const outcome = await reopen(store, dir, { id, bytes: bytes.subarray(0, size) });
        const whole = endings.filter((ending) => ending.end <= size).map((ending) => ending.entry);
        if (outcome.access !== "write" || JSON.stringify(idsOf(outcome.changes)) !== JSON.stringify(whole)) {
          expect.fail(`cut to ${size} bytes: ${outcome.access}, ${outcome.changes.length} of ${whole.length} commits`);
        }
      }
    });
  });

  test("goes on after the cut: what is committed then is there with all that was whole before", async () => {
    const { bytes, endings, id } = await build(["one", "two", "three"]);
    const from = endings[0]?.end ?? 256;
    await withStore(async (store, dir) => {
      for (let size = from; size < bytes.length; size += 5) {
        await reopen(store, dir, { id, bytes: bytes.subarray(0, size) });
        const writer = await openedWriter(store, id);
        const more = user(seqIds(1_800_000_000_000), "after");
        await writer.commit({ entries: [more], leaf: more.id }).durable;
        await writer.close();
        const outcome = await reopen(store, dir, { id, bytes: await readFile(writer.path) });
        const whole = endings.filter((ending) => ending.end <= size).map((ending) => ending.entry);
        expect(idsOf(outcome.changes)).toEqual([...whole, more.id]);
      }
    });
  });

  test("below its header is refused with a diagnostic, listed as damaged, and never changed", async () => {
    const { bytes, id } = await build(["one"]);
    await withStore(async (store, dir) => {
      for (const size of [0, 1, 127, 255]) {
        const path = `${dir}/${String(id)}.smith`;
        await writeFile(path, bytes.subarray(0, size));
        for (const want of ["read", "write"] as const) {
          const opened = await store.open(id, want);
          expect(opened).toMatchObject(size < 128 ? { ok: false, error: { code: "session.unreadable" } } : { ok: true });
          if (opened.ok) await opened.value.close();
        }
        expect((await collect(store.list())).map(({ state }) => state)).toEqual(["damaged"]);
        if (size < 128) expect(await readFile(path)).toHaveLength(size);
      }
    });
  });

  test("keeps a copy of torn bytes that hold a complete frame", async () => {
    const { bytes, endings, id } = await build(["one", long(70_000)]);
    await withStore(async (store, dir) => {
      const size = (endings[1]?.end ?? 0) - 5;
      expect((await reopen(store, dir, { id, bytes: bytes.subarray(0, size) })).changes).toHaveLength(1);
      const { readdir } = await import("node:fs/promises");
      const copies = (await readdir(dir)).filter((name) => name.includes(".tail-"));
      expect(copies).toHaveLength(1);
      const kept = await readFile(`${dir}/${copies[0] ?? ""}`);
      expect(kept.equals(bytes.subarray(endings[0]?.end, size))).toBe(true);
    });
  });
});
