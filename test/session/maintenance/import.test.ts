import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId, Result, SessionId } from "../../../src/base/index.js";
import { err, ok } from "../../../src/base/index.js";
import type { Diagnostic, Entry } from "../../../src/schema/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import type { ImportItem, SessionStore } from "../../../src/session/index.js";
import { readDump } from "../../../src/session/index.js";
import { assistant, everyEntry, seqIds, user } from "../support/entries.js";
import { SAMPLE_ID } from "../support/sample.js";
import { collect, created, openedReader, openedWriter, withStore } from "../support/store.js";
import { verified } from "./checks.js";
import { HistoryWriter, TIME } from "./history.js";

const SOURCE = { session: "0190a0a0-0000-7000-8000-0000000000bb" as SessionId, seq: 7, epoch: 0 };

async function* given(items: readonly ImportItem[]): AsyncGenerator<Result<ImportItem, Diagnostic>> {
  for (const item of items) yield ok(item);
}

const change = (entries: readonly Entry[], leaf?: EntryId, time = TIME): ImportItem => ({
  type: "change",
  entries,
  time,
  ...(leaf === undefined ? {} : { leaf }),
});

const importing = (store: SessionStore, items: readonly ImportItem[], source = SOURCE) =>
  store.import(given(items), { id: SAMPLE_ID, createdAt: TIME, source });

describe("an import", () => {
  test("keeps entries of every type with ids, order and times, and frames of later versions, all inherited", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const entries = everyEntry(ids);
      const unknown: Entry = {
        type: "unknown",
        id: ids.next<EntryId>(),
        time: TIME,
        kind: 777,
        flags: 1,
        raw: { sub: 3, aux: 4, payloads: [{ role: 9, encoding: 0, base64: "AAEC" }] },
      };
      const frame = { type: 99, flags: 5, seq: 12, tableLen: 2, after: 1, body: Buffer.from("later") };
      const items: readonly ImportItem[] = [
        change(entries.slice(0, 5), entries[0]?.id),
        { type: "frame", frame },
        change([...entries.slice(5), unknown], unknown.id, TIME + 5),
      ];
      const made = await importing(store, items);
      expect(made).toMatchObject({ ok: true, value: { id: SAMPLE_ID, entries: entries.length + 1 } });
      expect((await verified(store, SAMPLE_ID)).findings).toEqual([]);
      const reader = await openedReader(store, SAMPLE_ID);
      const changes = await collect(reader.changes());
      const found = changes.flatMap((one) => one.entries);
      expect(found.slice(0, -1)).toEqual([...entries, unknown].map((entry) => ({ ...entry, inherited: true })));
      expect(found.at(-1)).toMatchObject({ type: "origin", how: "import", ...SOURCE });
      expect(changes.map(({ entries: own }) => own.length)).toEqual([5, entries.length - 4, 1]);
      expect(reader).toMatchObject({ createdAt: TIME, origin: { session: SOURCE.session, seq: 7 } });
      expect(reader.leaf()).toBe(unknown.id);
      expect(await collect(reader.unknownFrames())).toMatchObject([{ type: 99, flags: 5, seq: 12, tableLen: 2, after: 1 }]);
      await reader.close();
    });
  });

  test("of what another session holds can be written on and gives its branch back", async () => {
    await withStore(async (store) => {
      const source = await created(store);
      const history = new HistoryWriter(source);
      const first = await history.turn(undefined, "first", { big: true, key: "k" });
      const changes = await collect(source.changes());
      const items = changes.map(({ entries, leaf, time }) => change(entries, leaf, time));
      expect(await importing(store, items)).toMatchObject({ ok: true });
      const writer = await openedWriter(store, SAMPLE_ID);
      expect((await collect(writer.branch())).map(({ id }) => id).reverse()).toEqual(first.history);
      expect((await writer.live()).works.size).toBe(0);
      expect(await writer.admission("k")).toBeUndefined();
      await Object.assign(new HistoryWriter(writer), { ids: history.ids }).turn(first.leaf, "more");
      await writer.close();
      await source.close();
      expect((await verified(store, SAMPLE_ID)).findings).toEqual([]);
    });
  });

  test("clamps times that go back, as a writer does", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const early = { ...user(ids, "a"), time: TIME + 50 };
      const late = { ...user(ids, "b", early.id), time: TIME };
      expect(await importing(store, [change([early], early.id, TIME + 60), change([late], late.id, TIME)])).toMatchObject({ ok: true });
      const reader = await openedReader(store, SAMPLE_ID);
      const changes = await collect(reader.changes());
      expect(changes.map(({ time, entries }) => [time, entries[0]?.time]).slice(0, 2)).toEqual([
        [TIME + 60, TIME + 50],
        [TIME + 60, TIME + 50],
      ]);
      await reader.close();
    });
  });

  const ids = seqIds();
  const root = user(ids, "root");
  const child = assistant(ids, "child", root.id);
  const elsewhere = ids.next<EntryId>();
  test.each([
    ["an id that was there", [change([root]), change([root])], `entry 2 (${root.id})`],
    ["an id that was there in the same change", [change([root, root])], `entry 2 (${root.id})`],
    ["a parent that comes later", [change([child]), change([root])], `entry 1 (${child.id})`],
    ["a parent that is nowhere", [change([root, { ...child, parent: elsewhere }])], `entry 2 (${child.id})`],
    ["a leaf that is no entry before", [change([root], child.id)], `entry 1 (${root.id})`],
    ["an id that is none", [change([{ ...root, id: "nonsense" as EntryId }])], "entry 1 (nonsense)"],
    ["a time that is none", [change([{ ...root, time: Number.NaN }])], `entry 1 (${root.id})`],
    ["a kind that says nothing", [change([{ type: "unknown", id: root.id, time: TIME, kind: 900, flags: 0 }])], `entry 1 (${root.id})`],
    [
      "a payload in an encoding there is not",
      [
        change([
          {
            type: "unknown",
            id: root.id,
            time: TIME,
            kind: 900,
            flags: 0,
            raw: { sub: 0, aux: 0, payloads: [{ role: 1, encoding: 3, base64: "" }] },
          },
        ]),
      ],
      `entry 1 (${root.id})`,
    ],
    ["a change without entries", [change([])], "entry 1"],
    ["more entries than a change may have", [change(Array.from({ length: 4097 }, () => user(ids, "x")))], "entry 1"],
    ["a text beyond the bound", [change([root]), change([user(ids, "x".repeat(97 * 1024 * 1024))])], "entry 2"],
    [
      "a frame of a known type",
      [{ type: "frame", frame: { type: 1, flags: 0, seq: 0, tableLen: 0, after: 0, body: Buffer.alloc(0) } }],
      "type 1",
    ],
  ] as readonly (readonly [string, readonly ImportItem[], string])[])(
    "with %s is refused, names the place and leaves nothing",
    async (_name, items, named) => {
      await withStore(async (store, dir) => {
        const refused = await importing(store, items);
        expect(refused).toMatchObject({ ok: false, error: { code: "session.import-refused" } });
        if (!refused.ok) expect(refused.error.what).toContain(named);
        expect(await readdir(dir)).toEqual([]);
      });
    },
  );

  test("ends with what its source reports, and is refused under an id that is taken", async () => {
    await withStore(async (store) => {
      const broken = diagnostic({ code: "x.y", what: "w", why: "y", next: "n" });
      const items = async function* (): AsyncGenerator<Result<ImportItem, Diagnostic>> {
        yield ok(change([root], root.id));
        yield err(broken);
      };
      expect(await store.import(items(), { id: SAMPLE_ID, createdAt: TIME, source: SOURCE })).toEqual(err(broken));
      expect(await collect(store.list())).toEqual([]);
      expect(await importing(store, [change([root], root.id)])).toMatchObject({ ok: true });
      expect(await importing(store, [change([root], root.id)])).toMatchObject({ ok: false, error: { code: "session.exists" } });
      const signal = AbortSignal.abort();
      const other = "0190a0a0-0000-7000-8000-0000000000cc" as SessionId;
      const stopped = await store.import(given([change([root])]), { id: other, createdAt: TIME, source: SOURCE, signal });
      expect(stopped).toMatchObject({ ok: false, error: { code: "session.interrupted" } });
    });
  });

  test("of a repaired session takes branches whose beginning was lost, and still reads them", async () => {
    await withStore(async (store) => {
      const orphan = { ...child, parent: elsewhere };
      expect(await importing(store, [change([orphan], orphan.id)], { ...SOURCE, epoch: 2 })).toMatchObject({ ok: true });
      expect((await verified(store, SAMPLE_ID)).findings).toEqual([]);
      const reader = await openedReader(store, SAMPLE_ID);
      expect((await collect(reader.branch())).map(({ id }) => id)).toEqual([orphan.id]);
      await reader.close();
    });
  });

  test("of records given as unknown ones folds what readers will make of them, so that its checkpoint is right", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const value = Buffer.from("a1646e616d65636e6577", "hex").toString("base64");
      const raw = (kind: number, sub: number, payloads: readonly { role: number; encoding: number; base64: string }[]): Entry => ({
        type: "unknown",
        id: ids.next<EntryId>(),
        time: TIME,
        kind,
        flags: 1,
        raw: { sub, aux: 0, payloads },
      });
      const many = Array.from({ length: 600 }, (_, index) => user(ids, String(index)));
      const info = raw(10, 0, [{ role: 6, encoding: 2, base64: value }]);
      const brokenPrompt = raw(1, 1, [{ role: 6, encoding: 2, base64: "/w==" }]);
      expect(await importing(store, [change([...many, info, brokenPrompt])])).toMatchObject({ ok: true });
      expect(await verified(store, SAMPLE_ID)).toMatchObject({ damage: [], report: { checkpoints: 1 } });
      const reader = await openedReader(store, SAMPLE_ID);
      expect(await reader.live()).toMatchObject({ name: "new", turns: 601 });
      await reader.close();
    });
  });

  test("goes on over what the source had lost before, and says so", async () => {
    await withStore(async (store) => {
      const gap: ImportItem = { type: "gap", firstSeq: 2, lastSeq: 4 };
      const made = await importing(store, [change([root]), gap], { ...SOURCE, epoch: 1 });
      expect(made).toMatchObject({ ok: true, value: { entries: 1, missing: [{ firstSeq: 2, lastSeq: 4 }] } });
      expect((await verified(store, SAMPLE_ID)).damage).toEqual([]);
    });
  });

  test("closes what it reads from, also when its id is taken and nothing is read", async () => {
    await withStore(async (store) => {
      const writer = await created(store, SAMPLE_ID);
      await writer.close();
      let isClosed = false;
      const lines = (async function* () {
        try {
          yield JSON.stringify({ type: "session", format: 1, session: SAMPLE_ID, created: TIME });
          yield "never read";
        } finally {
          isClosed = true;
        }
      })();
      const dump = await readDump(lines);
      if (!dump.ok) throw new Error(dump.error.what);
      const made = await store.import(dump.value.items, { id: SAMPLE_ID, createdAt: TIME, source: SOURCE });
      expect(made).toMatchObject({ ok: false, error: { code: "session.exists" } });
      expect(isClosed).toBe(true);
    });
  });
});
