import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import type { SessionReader, SessionStore } from "../../../src/session/index.js";
import { dumpLines, readDump } from "../../../src/session/index.js";
import { assistant, everyEntry, seqIds, user } from "../support/entries.js";
import { collect, created, openedReader, withStore } from "../support/store.js";

async function* each(lines: readonly string[]): AsyncIterable<string> {
  for (const line of lines) yield line;
}

const linesOf = async (reader: SessionReader): Promise<readonly string[]> =>
  (await collect(dumpLines(reader))).map((line) => {
    if (!line.ok) throw new Error(line.error.what);
    return line.value;
  });

async function imported(store: SessionStore, lines: readonly string[]): Promise<SessionReader> {
  const dump = await readDump(each(lines));
  if (!dump.ok) throw new Error(dump.error.why);
  const { session, created: createdAt, seq, epoch } = dump.value.header;
  const made = await store.import(dump.value.items, { id: session, createdAt, source: { session, seq, epoch } });
  if (!made.ok) throw new Error(`${made.error.what} ${made.error.why}`);
  return openedReader(store, session);
}

/** Entries of a dump without what an import adds to them. */
const bare = (lines: readonly string[]): readonly unknown[] =>
  lines.map((line) => {
    const { inherited: _inherited, committed: _committed, ...rest } = JSON.parse(line) as Record<string, unknown>;
    return rest;
  });

describe("a dump is imported", () => {
  const branched = (): readonly (readonly [readonly Entry[], EntryId | null])[] => {
    const ids = seqIds();
    const first = user(ids, "one\ud800");
    const left = assistant(ids, "left", first.id);
    const right = assistant(ids, "right", first.id);
    return [
      [[first], first.id],
      [[left], left.id],
      [[{ type: "leaf", id: ids.next(), time: 1_700_000_000_300, from: left.id, to: first.id }], first.id],
      [[right], right.id],
      [everyEntry(ids), right.id],
      [[{ type: "leaf", id: ids.next(), time: 1_700_000_000_400, from: right.id }], null],
    ];
  };

  test("with ids, order, branches, changes and selected leaf as they were; only inherited, and told where from", async () => {
    const lines = await withStore(async (store) => {
      const writer = await created(store);
      let last;
      for (const [entries, leaf] of branched()) last = writer.commit({ entries, leaf });
      await last?.durable;
      await writer.close();
      const reader = await openedReader(store, writer.id);
      const dumped = await linesOf(reader);
      await reader.close();
      return dumped;
    });
    await withStore(async (store) => {
      const reader = await imported(store, lines);
      const again = await linesOf(reader);
      await reader.close();
      expect(bare(again.slice(1, -1))).toEqual(bare(lines.slice(1)));
      expect(again.slice(1, -1).every((line) => line.includes(`"inherited":true`))).toBe(true);
      const { session } = JSON.parse(lines[0] ?? "") as { readonly session: SessionId };
      expect(JSON.parse(again.at(-1) ?? "")).toMatchObject({ type: "origin", how: "import", session, epoch: 0, seq: 6 });
      expect(reader.leaf()).toBeUndefined();
    });
  });

  test("from the smallest dump another program can write, and goes on from its last entry", async () => {
    await withStore(async (store) => {
      const id = seqIds().next<EntryId>();
      const session = "0190a0a0-0000-7000-8000-0000000000ab" as SessionId;
      const reader = await imported(store, [
        JSON.stringify({ type: "session", format: 1, session, created: 5 }),
        JSON.stringify({ type: "user-message", id, time: 10, source: "prompt", text: "Hello" }),
      ]);
      expect({ leaf: reader.leaf(), createdAt: reader.createdAt }).toEqual({ leaf: id, createdAt: 5 });
      expect((await collect(reader.branch())).map((entry) => entry.id)).toEqual([id]);
      await reader.close();
    });
  });

  test("not when it is cut, and then nothing is there", async () => {
    await withStore(async (store) => {
      const session = "0190a0a0-0000-7000-8000-0000000000ab" as SessionId;
      await expect(imported(store, [JSON.stringify({ type: "session", format: 1, session, created: 5, seq: 2 })])).rejects.toThrow(
        /ends too early/u,
      );
      expect(await collect(store.list())).toEqual([]);
    });
  });
});
