import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Result } from "../../../src/base/index.js";
import { ok } from "../../../src/base/index.js";
import type { Diagnostic, Entry } from "../../../src/schema/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import type { ImportItem, SessionReader, UnknownFrame } from "../../../src/session/index.js";
import { dumpLines, readDump, SessionStorageError } from "../../../src/session/index.js";
import { assistant, everyEntry, seqIds, user } from "../support/entries.js";
import { collect, created, openedReader, withStore } from "../support/store.js";
import { anyEntry, ENTRIES } from "./arbitrary.js";
import { change, fakeReader, SESSION } from "./fake-reader.js";

const linesOf = async (reader: SessionReader): Promise<readonly string[]> =>
  (await collect(dumpLines(reader))).map((line) => {
    if (!line.ok) throw new Error(line.error.what);
    return line.value;
  });

async function* each<Item>(items: readonly Item[]): AsyncIterable<Item> {
  for (const item of items) yield item;
}

async function itemsOf(lines: readonly string[]): Promise<readonly Result<ImportItem, Diagnostic>[]> {
  const dump = await readDump(each(lines));
  if (!dump.ok) throw new Error(`${dump.error.what} ${dump.error.why}`);
  return collect(dump.value.items);
}

async function changesOf(lines: readonly string[]): Promise<readonly ImportItem[]> {
  return (await itemsOf(lines)).map((item) => {
    if (!item.ok) throw new Error(`${item.error.what} ${item.error.why}`);
    return item.value;
  });
}

/** Keys in their order, -0 and infinities told apart. */
const exact = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "number" && (Object.is(part, -0) || Math.abs(part) === Infinity)
      ? `number ${Object.is(part, -0) ? "-0" : String(part)}`
      : part,
  );

describe("what was dumped is read back equal", () => {
  test.each(Object.entries(ENTRIES))("%s: any content, order of keys, -0 and lone surrogates included", async (_type, arbitrary) => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (entry) => {
        const [item] = await changesOf(await linesOf(fakeReader({ changes: [change(1, [entry], entry.id)] })));
        const { entries } = item as { readonly entries: readonly Entry[] };
        expect(entries).toStrictEqual([entry]);
        expect(exact(entries[0])).toBe(exact(entry));
      }),
      { numRuns: 60 },
    );
  });

  test("changes with any number of entries, any leaf and any time of their own", async () => {
    const drafts = fc.array(
      fc.record({
        entries: fc.array(anyEntry, { minLength: 1, maxLength: 4 }),
        leaf: fc.option(fc.nat(3), { nil: undefined }),
        time: fc.option(fc.nat(), { nil: undefined }),
      }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(drafts, async (all) => {
        const changes = all.map(({ entries, leaf, time }, index) =>
          change(index + 1, entries, leaf === undefined ? undefined : entries[leaf]?.id, time),
        );
        const items = await changesOf(await linesOf(fakeReader({ changes })));
        expect(items).toStrictEqual(changes.map(({ entries, time, leaf }) => ({ type: "change", entries, time, leaf: leaf ?? null })));
      }),
      { numRuns: 60 },
    );
  });

  test("a stored session with an entry of every type", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const prompt = user(ids, "hi\u2028\u202e");
      const answer = assistant(ids, "ho", prompt.id);
      writer.commit({ entries: [prompt], leaf: prompt.id });
      writer.commit({ entries: [answer, ...everyEntry(ids)], leaf: prompt.id });
      await writer.commit({ entries: [user(ids, "again")], leaf: null }).durable;
      await writer.close();
      const reader = await openedReader(store, writer.id);
      const lines = await linesOf(reader);
      const stored = await collect(reader.changes());
      expect(await changesOf(lines)).toStrictEqual(
        stored.map(({ entries, time, leaf }) => ({ type: "change", entries, time, leaf: leaf ?? null })),
      );
      const opened = await readDump(each(lines));
      expect(opened.ok && opened.value.header).toEqual({ session: writer.id, created: writer.createdAt, epoch: reader.epoch, seq: 3 });
      await reader.close();
    });
  });
});

describe("the lines of a dump", () => {
  const ids = seqIds();
  const first = user(ids, "one");
  const second = assistant(ids, "two", first.id);

  test("header, then an entry a line with its change; leaf and time only where they do not follow", async () => {
    const origin = { session: SESSION, seq: 7 };
    const lines = await linesOf(
      fakeReader({
        origin,
        leaf: first.id,
        changes: [change(1, [first, second], second.id), change(2, [second], first.id, second.time + 5), change(3, [first], undefined)],
      }),
    );
    const entry = (value: Entry, more: object): string => JSON.stringify({ ...value, ...more });
    expect(lines).toEqual([
      `{"type":"session","format":1,"session":"${SESSION}","created":1700000000000,"epoch":2,"origin":{"session":"${SESSION}","seq":7},"seq":3,"leaf":"${first.id}"}`,
      entry(first, { change: 1 }),
      entry(second, { change: 1 }),
      entry(second, { change: 2, committed: second.time + 5, leaf: first.id }),
      entry(first, { change: 3, leaf: null }),
    ]);
  });

  test("nothing in a line acts on a terminal or ends a line, and it still reads back", async () => {
    const hostile = user(ids, "\u001b[2J\u009b2J\u202e\u2028\u2029\r\n\u007f\u0085\ud800");
    const [, line = ""] = await linesOf(fakeReader({ changes: [change(1, [hostile], hostile.id)] }));
    expect(line).toMatch(/^[\x20-\x7e]*$/u);
    expect((JSON.parse(line) as { readonly text: string }).text).toBe(hostile.text);
  });

  const frame = (after: number, byte: number): UnknownFrame => ({
    type: 200,
    flags: 1,
    seq: 9,
    tableLen: 3,
    after,
    body: Uint8Array.of(byte, 0, 255),
  });

  test("unknown frames come at their place, byte for byte", async () => {
    const reader = fakeReader({
      changes: [change(1, [first], first.id), change(2, [second], second.id)],
      frames: [frame(0, 1), frame(1, 2), frame(1, 3), frame(2, 4)],
    });
    const items = await changesOf(await linesOf(reader));
    const kinds = items.map((item) => (item.type === "frame" ? item.frame.body[0] : item.type === "change" && item.entries[0]?.type));
    expect(kinds).toEqual([1, "user-message", 2, 3, "assistant", 4]);
    const [found] = items;
    expect(found?.type === "frame" && { ...found.frame, body: [...found.frame.body] }).toEqual({ ...frame(0, 1), body: [1, 0, 255] });
  });

  const lost = (what: string): Diagnostic => diagnostic({ code: "session.damaged", what, why: "w", next: "n", severity: "warning" });

  test("what could not be read is told in the dump at its place, and as an error", async () => {
    const reader = fakeReader({
      seq: 6,
      changes: [change(2, [first], first.id), change(4, [second], second.id)],
      damage: [lost("a"), lost("b")],
    });
    const lines = await collect(dumpLines(reader));
    const shown = lines.map((line) => (line.ok ? (JSON.parse(line.value) as { readonly type: string }) : line.error.what));
    expect(shown.slice(1)).toEqual([
      { type: "gap", firstSeq: 1, lastSeq: 1 },
      "a",
      "b",
      { ...first, change: 2 },
      { type: "gap", firstSeq: 3, lastSeq: 3 },
      { ...second, change: 4 },
      { type: "gap", firstSeq: 5, lastSeq: 6 },
    ]);
  });

  test("what a repair declared gone is marked, and read as no obstacle; damage beside it is one", async () => {
    const parts = { seq: 6, changes: [change(2, [first], first.id), change(4, [second], second.id)] };
    const lines = await linesOf(fakeReader({ ...parts, damagedChanges: [] }));
    expect(lines.filter((line) => line.includes('"gap"')).map((line): unknown => JSON.parse(line))).toEqual([
      { type: "gap", firstSeq: 1, lastSeq: 1, repaired: true },
      { type: "gap", firstSeq: 3, lastSeq: 3, repaired: true },
      { type: "gap", firstSeq: 5, lastSeq: 6, repaired: true },
    ]);
    const items = await itemsOf(lines);
    expect(items.map((item) => item.ok && item.value.type)).toEqual(["gap", "change", "gap", "change", "gap"]);
    const partly = await itemsOf(await linesOf(fakeReader({ ...parts, damagedChanges: [{ firstSeq: 6, lastSeq: 6 }] })));
    expect(partly.map((item) => (item.ok ? item.value.type : item.error.code))).toEqual([
      "gap",
      "change",
      "gap",
      "change",
      "session.dump-gap",
    ]);
  });

  test("what is committed after the header was written stays out", async () => {
    const lines = await linesOf(fakeReader({ seq: 1, changes: [change(1, [first], first.id), change(2, [second], second.id)] }));
    expect(lines).toHaveLength(2);
  });

  test("NaN, which JSON cannot say, becomes null and is told", async () => {
    const done = everyEntry(seqIds()).find(({ type }) => type === "effect-done");
    const entry = { ...done, output: { rate: NaN } } as Entry;
    const lines = await collect(dumpLines(fakeReader({ changes: [change(1, [entry], undefined)] })));
    expect(lines[1]?.ok === true && lines[1].value).toContain('"output":{"rate":null}');
    expect(lines[2]?.ok === false && lines[2].error.code).toBe("session.dump-inexact");
  });

  test("a failure of the storage is the last item", async () => {
    const failed = lost("gone");
    const reader = {
      ...({ id: SESSION, createdAt: 1, epoch: 0, origin: undefined, leaf: () => undefined, damage: () => [] } as unknown as SessionReader),
      position: () => ({ session: SESSION, epoch: 0, seq: 1 }),
      unknownFrames: () => each<UnknownFrame>([]),
      async *changes() {
        yield change(1, [first], first.id);
        throw new SessionStorageError(failed);
      },
    };
    expect((await collect(dumpLines(reader))).slice(-2)).toEqual([
      ok(JSON.stringify({ ...first, change: 1 })),
      { ok: false, error: failed },
    ]);
  });

  test("after an abort it ends", async () => {
    const abort = new AbortController();
    const reader = fakeReader({ seq: 5, changes: [1, 2, 3, 4, 5].map((seq) => change(seq, [first], first.id)) });
    const seen: string[] = [];
    for await (const line of dumpLines(reader, { signal: abort.signal })) {
      if (line.ok) seen.push(line.value);
      if (seen.length === 3) abort.abort();
    }
    expect(seen).toHaveLength(3);
  });
});
