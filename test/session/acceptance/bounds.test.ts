import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId, IdSource, JsonValue, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import type { SessionWriter } from "../../../src/session/index.js";
import { seqIds, user } from "../support/entries.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";
import { createSessionStore } from "../../../src/session/index.js";
import { decoded } from "../independent/agreement.js";

const MIB = 1024 * 1024;
const MAX_PAYLOAD = 96 * MIB;

/** An entry that carries any value. */
const carrying = (ids: IdSource, input: JsonValue): Extract<Entry, { readonly type: "effect-intent" }> => ({
  type: "effect-intent",
  id: ids.next<EntryId>(),
  time: 1_700_000_000_100,
  effect: ids.next(),
  cause: ids.next(),
  operation: "fs.read",
  plugin: "p",
  generation: 1,
  input,
});

/** What comes back from the file, through another reader. */
async function throughFile(writer: SessionWriter, entry: Entry): Promise<Entry> {
  await writer.commit({ entries: [entry] }).durable;
  const found = await writer.get(entry.id);
  if (found === undefined) throw new Error("not found");
  const { commits } = decoded(await readFile(writer.path));
  // A stranger's reading of the same bytes.
  expect(commits.at(-1)?.records[0]?.entry).toEqual(found);
  return found;
}

const nested = (levels: number): JsonValue => {
  let value: JsonValue = "core";
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Refused before anything is written: same bytes, same position, and the next change is taken. */
async function expectRefused(writer: SessionWriter, entry: Entry): Promise<void> {
  await writer.commit({ entries: [user(seqIds(1_600_000_000_000), "before")] }).durable;
  const before = await readFile(writer.path);
  const position = writer.position();
  expect(() => writer.commit({ entries: [entry] })).toThrow(
    expect.objectContaining({ diagnostic: expect.objectContaining({ code: "session.commit-too-large" }) as unknown }) as Error,
  );
  expect(writer.position()).toEqual(position);
  expect(writer.state()).toBe("open");
  expect((await readFile(writer.path)).subarray(0, before.length).equals(before)).toBe(true);
}

describe("bounds of a change", () => {
  test("a payload of 96 MiB is kept and given back; one byte more is refused whole", { timeout: 60_000 }, async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      const most = user(ids, "0123456789abcdef".repeat(MAX_PAYLOAD / 16));
      await writer.commit({ entries: [most], leaf: most.id }).durable;
      await expectRefused(writer, user(ids, `${most.text}x`));
      const next = user(ids, "goes on", most.id);
      await writer.commit({ entries: [next], leaf: next.id }).durable;
      await writer.close();
      const reader = await openedReader(store, writer.id);
      const found = await reader.get(most.id);
      expect(digest(found?.type === "user-message" ? found.text : "")).toBe(digest(most.text));
      expect(await reader.get(next.id)).toEqual(next);
      await reader.close();
    });
  });

  test("more than 4,096 entries in one change are refused whole", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      const entries = Array.from({ length: 4097 }, () => user(ids, "x"));
      expect(() => writer.commit({ entries })).toThrow();
      await writer.commit({ entries: entries.slice(1) }).durable;
      expect((await collect(writer.changes())).map((change) => change.entries.length)).toEqual([4096]);
      await writer.close();
    });
  });

  test("128 lists and objects in each other are kept, the map of the record counted; 129 are refused whole", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      const deepest = carrying(ids, nested(127));
      expect(await throughFile(writer, deepest)).toEqual(deepest);
      await expectRefused(writer, carrying(ids, nested(128)));
      await writer.close();
    });
  });

  test("what has a million items when written has a million when read; one more is refused whole", { timeout: 60_000 }, async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      // The value of an intent: its map, four keys, three values beside the input.
      const overhead = 1 + 4 + 3;
      const fits = carrying(ids, new Array<null>(1_000_000 - overhead - 1).fill(null));
      const found = await throughFile(writer, fits);
      expect(found.type).toBe("effect-intent");
      await expectRefused(writer, carrying(ids, new Array<null>(1_000_000 - overhead).fill(null)));
      await writer.close();
    });
  });
});

describe("values keep their kind", () => {
  const numbers: readonly number[] = [
    -0,
    0,
    2 ** 53 - 1,
    -(2 ** 53 - 1),
    2 ** 53,
    -(2 ** 53),
    2 ** 53 + 2,
    2 ** 63,
    1e308,
    5e-324,
    1.5,
    0.1,
    65_504,
    65_505,
    2 ** 32,
    -(2 ** 32),
  ];

  test("negative zero, the edges of whole numbers and floats of every width", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const entry = carrying(seqIds(), { numbers });
      const found = await throughFile(writer, entry);
      const back = found.type === "effect-intent" ? (found.input as { readonly numbers: readonly number[] }).numbers : [];
      expect(back.map((value, index) => Object.is(value, numbers[index]))).toEqual(numbers.map(() => true));
      await writer.close();
    });
  });

  test("text of every plane of Unicode, and a lone surrogate as the replacement character", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      // The first and last character of each plane and what is around them; surrogates are no characters.
      const points = Array.from({ length: 17 }, (_, plane) => [plane * 0x10000, plane * 0x10000 + 0x41, plane * 0x10000 + 0xffff]).flat();
      const planes = `\uFEFF${String.fromCodePoint(...points, 0xd7ff, 0xe000, 0x7f, 0x80, 0x7ff, 0x800)}`;
      const whole = user(ids, planes);
      expect(await throughFile(writer, whole)).toEqual(whole);
      const inKeys = carrying(ids, { [planes]: planes, z: 1, a: 2 });
      const found = await throughFile(writer, inKeys);
      expect(JSON.stringify(found)).toBe(JSON.stringify(inKeys));
      const lone = user(ids, "a\uD800b\uDC00c");
      expect(await throughFile(writer, lone)).toEqual({ ...lone, text: "a\uFFFDb\uFFFDc" });
      const inValue = carrying(ids, { "k\uD800": ["\uDFFF"] });
      expect(await throughFile(writer, inValue)).toMatchObject({ input: { "k\uFFFD": ["\uFFFD"] } });
      await writer.close();
    });
  });

  test("keys that mean something to JavaScript stay plain keys", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const input = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":null,"":"empty"}') as JsonValue;
      const entry = carrying(seqIds(), input);
      const found = await throughFile(writer, entry);
      expect(JSON.stringify(found)).toBe(JSON.stringify(entry));
      expect(({} as { readonly polluted?: true }).polluted).toBeUndefined();
      await writer.close();
    });
  });
});

describe("a clock that goes backwards", () => {
  test("across reopening never makes time go back in the file", async () => {
    await withStore(async (_store, dir) => {
      let now = 1_700_000_100_000;
      const at = () => createSessionStore(depsFor(dir, { clock: { now: () => now, monotonic: () => 0, sleep: () => Promise.resolve() } }));
      const ids = seqIds();
      const first = await created(at());
      const { id } = first;
      let parent: EntryId | undefined;
      const written: Entry[] = [];
      let writer: SessionWriter = first;
      for (const step of [0, -3_600_000, 50, -1, -86_400_000, 86_400_000, -999]) {
        now += step;
        const entry: Entry = { ...user(ids, `${step}`, parent), time: now, work: ids.next<WorkId>() };
        written.push(entry);
        await writer.commit({ entries: [entry], leaf: entry.id }).durable;
        parent = entry.id;
        await writer.close();
        writer = await openedWriter(at(), id);
      }
      const changes = await collect(writer.changes());
      const times = changes.map((change) => change.time);
      const entryTimes = changes.flatMap((change) => change.entries.map((entry) => entry.time));
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(entryTimes).toEqual([...entryTimes].sort((a, b) => a - b));
      expect(changes.flatMap((change) => change.entries.map((entry) => entry.id))).toEqual(written.map((entry) => entry.id));
      const branch = await collect(writer.branch());
      expect(branch.map((entry) => entry.id)).toEqual(written.map((entry) => entry.id).reverse());
      expect(writer.damage()).toEqual([]);
      await writer.close();
    });
  });
});
