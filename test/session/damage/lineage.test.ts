import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { Entry, HistoryEntry } from "../../../src/schema/index.js";
import { isHistoryEntry } from "../../../src/schema/index.js";
import { FRAME, getFrame, KINDS, physicalOf } from "../../../src/session/codec/index.js";
import type { SessionStore } from "../../../src/session/index.js";
import { verified } from "../maintenance/checks.js";
import { everyEntry, laterEntries, seqIds, user } from "../support/entries.js";
import { imagePath } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { collect, created, openedReader, openedWriter } from "../support/store.js";

const SAID = ["one", "two", "three", "four", "five", "six"] as const;

/** Every kind of history entry on one branch, each in a change of its own, with changes that are no history between. */
function everyHistory(): readonly HistoryEntry[] {
  const ids = seqIds();
  let parent: EntryId | undefined;
  return [...everyEntry(ids), ...laterEntries(ids), user(ids, "the end")].filter(isHistoryEntry).map((entry): HistoryEntry => {
    const { parent: _parent, inherited: _inherited, ...own } = entry;
    const placed = { ...own, ...(parent === undefined ? {} : { parent }) } as HistoryEntry;
    parent = entry.id;
    return placed;
  });
}

interface File {
  readonly directory: MemoryDirectory;
  readonly store: SessionStore;
  readonly id: Awaited<ReturnType<typeof created>>["id"];
  readonly bytes: Buffer;
}

async function fileOf(changes: readonly (readonly Entry[])[]): Promise<File> {
  const directory = new MemoryDirectory();
  const store = directory.store();
  const writer = await created(store);
  for (const entries of changes) {
    const leaf = entries.findLast(isHistoryEntry)?.id;
    await writer.commit({ entries, ...(leaf === undefined ? {} : { leaf }) }).durable;
  }
  await writer.close();
  return { directory, store, id: writer.id, bytes: Buffer.from(directory.get(imagePath(writer.id))) };
}

/** The bytes of the file with a wrong one in the table or in the payloads of the change that holds an entry. */
function damaged({ bytes }: File, entry: Entry, where: "table" | "payload"): Buffer {
  const copy = Buffer.from(bytes);
  const seed = bytes.readUInt32LE(40);
  for (let offset = 0; physicalOf(offset) < bytes.length;) {
    const frame = getFrame(bytes.subarray(physicalOf(offset)), 0, { offset, seed });
    if (frame === undefined) throw new Error(`no frame at ${offset}`);
    const table = physicalOf(offset + 32);
    const records = frame.type === FRAME.commit ? bytes.readUInt32LE(table + 40) : 0;
    const ids = Array.from({ length: records }, (_, index) => bytes.toString("hex", table + 64 + 96 * index, table + 80 + 96 * index));
    const isHere = ids.includes(entry.id.replaceAll("-", ""));
    const at = where === "table" ? table + 70 : physicalOf(offset + 32 + frame.tableLen);
    if (isHere) copy[at] = (copy[at] ?? 0) ^ 0x5a;
    offset = frame.end;
  }
  return copy;
}

const branchOf = async (store: SessionStore, id: File["id"], leaf?: EntryId): Promise<readonly Entry[]> => {
  const reader = await openedReader(store, id);
  const branch = await collect(reader.branch(leaf === undefined ? {} : { leaf }));
  await reader.close();
  return branch.reverse();
};

async function repairedFile(file: File, bytes: Buffer) {
  file.directory.put(imagePath(file.id), bytes);
  const report = await file.store.repair(file.id);
  if (!report.ok) throw new Error(report.error.what);
  expect((await verified(file.store, file.id)).findings).toEqual([]);
  return report.value;
}

/** What stands in the place of an entry. */
const lostOf = ({ id, parent, time, type }: HistoryEntry): Entry => ({
  type: "lost",
  id,
  ...(parent === undefined ? {} : { parent }),
  time,
  kind: KINDS[type].kind,
});

describe("a branch with a damaged entry", () => {
  const withContent = everyHistory().filter(({ type }) => type !== "lost" && type !== "context-edit");

  test("the sample has every kind of history entry", () => {
    const kinds = Object.entries(KINDS).filter(([type, { flags }]) => (flags & 1) !== 0 && type !== "lost");
    expect(new Set(everyHistory().map(({ type }) => type))).toEqual(new Set(kinds.map(([type]) => type)));
  });

  test.each(withContent.map((entry) => [entry.type, entry] as const))(
    "whose %s is damaged is read to its root, and after a repair has all others in their order",
    async (_type, entry) => {
      const history = everyHistory();
      const file = await fileOf(history.map((one) => [one]));
      const bytes = damaged(file, entry, "payload");
      const expected = history.map((one) => (one.id === entry.id ? lostOf(one) : one));
      file.directory.put(imagePath(file.id), bytes);
      const found = await branchOf(file.store, file.id);
      expect(found).toEqual(expected.map((one) => (one.type === "lost" ? { ...one, unrepaired: true } : one)));
      expect(await repairedFile(file, bytes)).toMatchObject({ commits: history.length, lost: [], marked: [entry.id] });
      expect(await branchOf(file.store, file.id)).toEqual(expected);
    },
  );

  test.each([0, 1, 2, 3, 4])("that lost the whole of change %i reaches from its leaf to what came before", async (gone) => {
    const ids = seqIds();
    let parent: EntryId | undefined;
    const history = SAID.map((text) => {
      const entry = user(ids, text, parent);
      parent = entry.id;
      return entry;
    });
    const file = await fileOf(history.map((one) => [one]));
    const entry = history[gone];
    if (entry === undefined) throw new Error("no such entry");
    const report = await repairedFile(file, damaged(file, entry, "table"));
    expect(report).toMatchObject({ commits: 5, lost: [{ firstSeq: gone + 1, lastSeq: gone + 1 }], marked: [entry.id] });
    const branch = await branchOf(file.store, file.id);
    expect(branch.map(({ id }) => id)).toEqual(history.map(({ id }) => id));
    expect(branch[gone]).toMatchObject({ type: "lost", kind: 0 });
    const changes = await collect((await openedReader(file.store, file.id)).changes());
    expect(changes.map(({ position }) => position.seq)).toEqual([1, 2, 3, 4, 5, 6].filter((seq) => seq !== gone + 1));
    const writer = await openedWriter(file.store, file.id);
    await writer.commit({ entries: [user(seqIds(1_800_000_000_000), "more", writer.leaf())] }).durable;
    await writer.close();
    expect((await verified(file.store, file.id)).findings).toEqual([]);
  });

  test("goes on to the branch whose change is gone, not to the one that was written last", async () => {
    const ids = seqIds();
    const root = user(ids, "root");
    const left = user(ids, "left", root.id);
    const right = user(ids, "right", root.id);
    const onLeft = user(ids, "on left", left.id);
    const other = user(ids, "other", right.id);
    const more = user(ids, "more", onLeft.id);
    const file = await fileOf([[root], [left], [right], [onLeft], [other], [more]]);
    const bytes = damaged({ ...file, bytes: damaged(file, left, "table") }, other, "table");
    await repairedFile(file, bytes);
    expect((await branchOf(file.store, file.id)).map(({ id }) => id)).toEqual([root, left, onLeft, more].map(({ id }) => id));
  });

  test("is kept when the last answer is damaged and a new name came after it", async () => {
    const history = everyHistory();
    const answer = history.find(({ type }) => type === "assistant");
    const ids = seqIds(1_800_000_000_000);
    if (answer === undefined) throw new Error("no answer");
    const upTo = history.slice(0, history.indexOf(answer) + 1);
    const named: HistoryEntry = { type: "session-info", id: ids.next<EntryId>(), parent: answer.id, time: answer.time, name: "new" };
    for (const where of ["payload", "table"] as const) {
      const file = await fileOf([...upTo, named].map((one) => [one]));
      await repairedFile(file, damaged(file, answer, where));
      expect((await branchOf(file.store, file.id)).map(({ id }) => id)).toEqual([...upTo, named].map(({ id }) => id));
    }
  });

  test("stays one through repair after repair", async () => {
    const history = everyHistory().filter(({ type }) => type !== "lost" && type !== "context-edit");
    let file = await fileOf(everyHistory().map((one) => [one]));
    for (const [index, entry] of history.entries()) {
      await repairedFile(file, damaged(file, entry, index % 2 === 0 ? "payload" : "table"));
      file = { ...file, bytes: Buffer.from(file.directory.get(imagePath(file.id))) };
      const gone = new Set<EntryId>(history.slice(0, index + 1).map(({ id }) => id));
      // A mark may itself be lost with the change it was put into; what is left of the conversation stays in one piece.
      expect((await branchOf(file.store, file.id)).filter(({ type }) => type !== "lost")).toEqual(
        everyHistory().filter(({ id, type }) => !gone.has(id) && type !== "lost"),
      );
    }
  });
});
