import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { Entry, HistoryEntry } from "../../../src/schema/index.js";
import type { PayloadView, RecordView } from "../../../src/session/codec/index.js";
import { draftOf, ENCODING, entryFromRecord, FLAG, KINDS, ROLE } from "../../../src/session/codec/index.js";
import { CborEncoder } from "../../../src/session/bytes/index.js";
import { isHistoryEntry } from "../../../src/schema/index.js";
import { assistant, everyEntry, laterEntries, newestEntries, pluginEntries, pricedEntries, seqIds, user } from "../support/entries.js";

const ids = seqIds();
const samples: readonly Entry[] = [
  ...everyEntry(ids),
  ...laterEntries(ids),
  ...newestEntries(ids),
  ...pluginEntries(ids),
  ...pricedEntries(ids),
];

/** Through the record and back, without a file. */
function throughRecord(entry: Entry): Entry {
  const draft = draftOf(entry);
  const payloads = draft.payloads.map((payload): PayloadView => {
    const { role, encoding, data } = payload;
    if (typeof data === "string") return { role, encoding, bytes: Buffer.from(data, "utf8") };
    if (data instanceof Uint8Array) return { role, encoding, bytes: Buffer.from(data) };
    const cbor = new CborEncoder();
    cbor.encodeFields(data);
    return { role, encoding: ENCODING.cbor, bytes: Buffer.from(cbor.run.bytes.subarray(0, cbor.run.length)) };
  });
  const record: RecordView = { ...draft, parentBack: 0, firstDescriptor: 0, descriptorCount: payloads.length };
  return entryFromRecord(record, payloads);
}

describe("entries and records", () => {
  test.each(samples.map((entry) => [entry.type, entry] as const))("%s comes back with every field", (_type, entry) => {
    expect(throughRecord(entry)).toEqual(entry);
  });

  test("every entry type has a sample here and a kind of its own", () => {
    const types = new Set(samples.map((entry) => entry.type).filter((type) => type !== "unknown"));
    expect([...types].sort()).toEqual(Object.keys(KINDS).sort());
    expect(new Set(Object.values(KINDS).map(({ kind }) => kind)).size).toBe(types.size);
  });

  test("kind numbers and flags are pinned", () => {
    expect(Object.fromEntries(Object.entries(KINDS).map(([type, { kind, flags }]) => [type, `${kind}/${flags}`]))).toEqual({
      "user-message": "1/3",
      assistant: "2/3",
      "tool-call": "3/3",
      "tool-result": "4/3",
      compaction: "5/7",
      "context-edit": "6/5",
      "session-info": "10/1",
      prompt: "12/5",
      leaf: "13/8",
      origin: "14/0",
      lost: "15/1",
      submission: "16/8",
      queue: "17/8",
      work: "18/8",
      receipt: "19/8",
      state: "20/8",
      "branch-state": "21/1",
      invocation: "22/0",
      actions: "23/0",
      "effect-intent": "24/8",
      "effect-done": "25/8",
      reconciled: "26/8",
      request: "28/4",
    });
  });

  test("the history flag says exactly what the schema calls history", () => {
    for (const entry of samples.filter(({ type }) => type !== "unknown"))
      expect((draftOf(entry).flags & FLAG.history) !== 0).toBe(isHistoryEntry(entry));
  });

  test("optional fields that are absent stay absent, and empty ones stay empty", () => {
    const ids = seqIds();
    const bare: readonly HistoryEntry[] = [
      user(ids, ""),
      assistant(ids, ""),
      { type: "session-info", id: ids.next<EntryId>(), time: 5 },
      { type: "context-edit", id: ids.next<EntryId>(), time: 5, target: ids.next<EntryId>(), operation: "omit" },
      { type: "session-info", id: ids.next<EntryId>(), time: 5, name: "" },
      { ...user(ids, "x"), images: [] },
    ];
    for (const entry of bare) expect(throughRecord(entry)).toEqual(entry);
  });

  test("texts, JSON and counts of any kind come back as they were", () => {
    const ids = seqIds();
    const text = fc.string({ unit: "grapheme", maxLength: 200 });
    const [, , , , workSample] = everyEntry(ids);
    if (workSample?.type !== "work") throw new Error("sample moved");
    fc.assert(
      fc.property(text, fc.jsonValue(), fc.nat(), (words, json, count) => {
        const message = user(ids, words);
        const checkpoint = { ...workSample, checkpoint: json as never };
        const compaction: Entry = {
          type: "compaction",
          id: ids.next<EntryId>(),
          time: 9,
          firstKept: message.id,
          summary: words,
          tokensBefore: count * 4096.5,
        };
        for (const entry of [message, checkpoint, compaction]) expect(throughRecord(entry)).toEqual(entry);
      }),
      { numRuns: 200 },
    );
  });

  test.each([Number.NaN, -0.01, Number.POSITIVE_INFINITY])("a cost of %d is never stored", (cost) => {
    expect(() => draftOf({ ...assistant(seqIds(), "x"), cost })).toThrow(/no sum of money/u);
  });

  test.each([-1, Number.NaN, "1"])("a stored cost of %s makes its entry unknown", (cost) => {
    const draft = draftOf({ ...assistant(seqIds(), "x"), cost: 1 });
    const cbor = new CborEncoder();
    cbor.encodeFields({ cost, dispatch: { model: "m", provider: "p" } });
    const bytes = Buffer.from(cbor.run.bytes.subarray(0, cbor.run.length));
    const record: RecordView = { ...draft, parentBack: 0, firstDescriptor: 0, descriptorCount: 1 };
    expect(entryFromRecord(record, [{ role: ROLE.value, encoding: ENCODING.cbor, bytes }]).type).toBe("unknown");
  });

  test("a tool result that reports usage says so in its record", () => {
    const subs = samples.flatMap((entry) =>
      entry.type === "tool-result" ? [[entry.details?.usage !== undefined, draftOf(entry).sub & 0x200]] : [],
    );
    expect(subs).toContainEqual([true, 0x200]);
    expect(subs.filter(([reports, sub]) => (sub !== 0) !== reports)).toEqual([]);
  });

  test("a kind of a later version, and a known kind of another shape, become unknown entries", () => {
    const id = seqIds().next<EntryId>();
    const record: RecordView = {
      id,
      parent: undefined,
      pairing: undefined,
      owner: undefined,
      time: 7,
      kind: 99,
      flags: FLAG.history,
      sub: 0,
      aux: 0,
      parentBack: 0,
      firstDescriptor: 0,
      descriptorCount: 0,
    };
    const raw = { sub: 0, aux: 0, payloads: [] };
    expect(entryFromRecord(record, [])).toEqual({ type: "unknown", id, time: 7, kind: 99, flags: 1, raw });
    expect(entryFromRecord({ ...record, kind: 2 }, [])).toEqual({ type: "unknown", id, time: 7, kind: 2, flags: 1, raw });
  });

  test("an inherited entry says so in its record, whatever its kind", () => {
    for (const entry of samples) {
      const inherited: Entry = { ...entry, inherited: true };
      expect(draftOf(inherited).flags).toBe(draftOf(entry).flags | FLAG.source);
      expect(throughRecord(inherited)).toEqual(inherited);
    }
  });
});
