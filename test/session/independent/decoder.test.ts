import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { EntryId, Result, SessionId, SubmissionId, WorkId } from "../../../src/base/index.js";
import { ok } from "../../../src/base/index.js";
import type { Diagnostic, Entry, EntryType } from "../../../src/schema/index.js";
import type { ImportItem } from "../../../src/session/index.js";
import { seqIds, user } from "../support/entries.js";
import { imagePath, seededRandom } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { created, openedReader, withStore } from "../support/store.js";
import { physicalOf } from "./addressing.mjs";
import { decoded, storesReading, strangersReading } from "./agreement.js";
import { allEntries, ID, messages, written } from "./files.js";
import { frameAt, withFrames } from "./frames.js";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Both readers, equal in everything; gives the reading. */
async function agreed(bytes: Uint8Array, id = ID) {
  const stranger = strangersReading(bytes);
  expect(stranger).toEqual(await storesReading(id, bytes));
  if (stranger === undefined) throw new Error("both refuse the file");
  return stranger;
}

/** Every type there is; a new one does not compile until it is listed. */
const EVERY_TYPE: { readonly [Type in Exclude<EntryType, "unknown">]: true } = {
  "user-message": true,
  assistant: true,
  "tool-call": true,
  "tool-result": true,
  prompt: true,
  "session-info": true,
  compaction: true,
  "context-edit": true,
  "branch-state": true,
  state: true,
  leaf: true,
  origin: true,
  submission: true,
  queue: true,
  work: true,
  receipt: true,
  "effect-intent": true,
  "effect-done": true,
  invocation: true,
  actions: true,
  reconciled: true,
  request: true,
  lost: true,
};

const START = 1_700_000_001_000;
const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 16);

const smallMessages = (count: number): readonly (readonly Entry[])[] => {
  const ids = seqIds();
  return Array.from({ length: count }, (_, index) => [user(ids, "x".repeat((index * 37) % 900))]);
};

/** Cuts, flips, zeroes and overwrites, most often near the end; the same images in every run. */
function* damagedImages(file: Buffer, count: number, seed: number): Generator<Buffer> {
  const random = seededRandom(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  const flip = (bytes: Buffer, at: number): void => {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
  };
  for (let index = 0; index < count; index += 1) {
    const bytes = Buffer.from(file);
    const at = index % 2 === 0 ? below(file.length) : file.length - 1 - Math.floor(random() ** 3 * Math.min(file.length - 1, 70_000));
    const end = Math.min(file.length, at + 64);
    let size = file.length;
    if (index % 7 < 2) size = at;
    else if (index % 7 < 4) flip(bytes, at);
    else if (index % 7 < 6)
      bytes.set(
        Uint8Array.from({ length: end - at }, () => below(256)),
        at,
      );
    else bytes.fill(0, at, Math.min(file.length, at + below(100_000)));
    if (random() < 0.3) size = Math.max(0, size - below(300));
    if (random() < 0.3 && size > 0) flip(bytes, below(size));
    yield bytes.subarray(0, size);
  }
}

describe("a decoder written from the format document alone", () => {
  test("shares no code with the program", () => {
    const imports = readdirSync(here)
      .filter((name) => name.endsWith(".mjs"))
      .flatMap((name) =>
        [...readFileSync(join(here, name), "utf8").matchAll(/^(?:import|export)\b[^;]*?"([^"]+)";|\bimport\("([^"]+)"/gmu)].map(
          ([, stated, called]) => stated ?? called,
        ),
      );
    expect(imports.length).toBeGreaterThan(5);
    expect(imports.filter((from) => !/^(?:node:|\.\/[\w-]+\.mjs$)/u.test(from ?? ""))).toEqual([]);
  });

  test("reads every type of entry as the store does", async () => {
    const entries = allEntries(seqIds());
    expect(new Set(entries.map((entry) => entry.type))).toEqual(new Set(Object.keys(EVERY_TYPE)));
    const { changes } = await agreed(await written([[entries], [entries.map((entry): Entry => ({ ...entry, inherited: true }))]]));
    expect(changes.map((change) => change.entries.map((entry) => entry.type))).toEqual(
      [0, 1].map(() => entries.map((entry) => entry.type)),
    );
    expect(changes[0]?.entries[0]).toEqual(entries[0]);
    expect(changes[1]?.entries.every((entry) => entry.inherited)).toBe(true);
  });

  test("reads packed, chunked and block-crossing payloads of a file written in four sittings", { timeout: 30_000 }, async () => {
    const all = messages(seqIds(), 40, 3);
    const file = await written([all.slice(0, 9), all.slice(9, 18), all.slice(18, 27), all.slice(27)]);
    expect(file.length).toBeGreaterThan(8 * 65_536);
    const { changes } = await agreed(file);
    expect(changes.map((change) => change.entries.map((entry) => entry.id))).toEqual(all.map((entries) => entries.map(({ id }) => id)));
    const session = decoded(file);
    expect(session).toMatchObject({ damage: [], tail: { state: "whole" }, acked: 40, isTailLost: false, boundaryInFile: file.length });
    expect(session.header).toMatchObject({ session: ID, generation: "07".repeat(16), epoch: 0 });
    expect(session.summaries.at(-1)).toMatchObject({ seq: 40, value: { turns: expect.any(Number) as unknown } });
  });

  test("finds in checkpoints every record, every key, and what the store says is open", async () => {
    const ids = seqIds();
    const admitted = (index: number): readonly Entry[] =>
      Array.from({ length: 4 }, (_, place): Entry => {
        const key = `${index} ${place}`;
        const admission = { submission: ids.next<SubmissionId>(), work: ids.next<WorkId>() };
        return { type: "submission", id: ids.next<EntryId>(), time: START, ...admission, delivery: "turn", text: "x", key };
      });
    const ended = (entries: readonly Entry[]): readonly Entry[] =>
      entries.flatMap((entry): readonly Entry[] => {
        if (entry.type !== "submission") return [];
        const { submission, work } = entry;
        const base = { id: ids.next<EntryId>(), time: START };
        return [{ type: "receipt", ...base, submission, work, status: "ok", reason: "done" }];
      });
    const sitting = (from: number): readonly (readonly Entry[])[] =>
      Array.from({ length: 80 }, (_, index) => admitted(from + index)).flatMap((entries) => [entries, ended(entries)]);
    const open = allEntries(ids).filter((entry) => entry.type !== "receipt");
    const file = await written([[open, ...sitting(0)], sitting(100), [[user(ids, "last")]]]);
    const session = decoded(file);
    expect(session.checkpoints).toHaveLength(2);
    expect(session.checkpoints.map(({ invalid }) => invalid)).toEqual([undefined, undefined]);
    expect(session.checkpoints[1]?.previous).toBe(session.checkpoints[0]?.offset);
    expect(session.commits.at(-1)?.checkpoint).toBe((session.commits.at(-1)?.offset ?? 0) - (session.checkpoints[1]?.offset ?? 0));

    const covered = session.commits.filter((commit) => commit.seq <= (session.checkpoints[1]?.seq ?? 0));
    expect(covered).toHaveLength(session.commits.length - 1);
    const places = covered.flatMap((commit) => commit.records.map(({ id }) => [id, commit.offset] as const));
    const indexed = session.checkpoints.flatMap(({ ids: found = [] }) => found.map(({ id, commit }) => [id, commit] as const));
    expect(new Map(indexed)).toEqual(new Map(places));
    expect(indexed).toHaveLength(places.length);
    const keys = covered.flatMap((commit) =>
      commit.records.flatMap(({ entry }) => {
        const { key, type } = entry as Entry & { readonly key?: string };
        return type === "submission" && key !== undefined ? [[hashOf(key), commit.offset] as const] : [];
      }),
    );
    const indexedKeys = session.checkpoints.flatMap(({ keys: found = [] }) => found.map(({ hash, commit }) => [hash, commit] as const));
    expect(new Map(indexedKeys)).toEqual(new Map(keys));

    const directory = new MemoryDirectory();
    directory.put(imagePath(ID), file);
    const reader = await openedReader(directory.store(), ID);
    const live = await reader.live();
    const state = session.checkpoints[1]?.live ?? {};
    expect(state).toMatchObject({
      v: 2,
      spend: live.spend,
      seq: live.seq - 1,
      turns: live.turns - 1,
      name: live.name,
      cwd: live.cwd,
      usage: live.usage,
    });
    const idsIn = (field: string, of: string): readonly string[] =>
      (state[field] as readonly { readonly [name: string]: Uint8Array }[]).map((item) => Buffer.from(item[of] ?? []).toString("hex"));
    const plain = (found: Iterable<string>): readonly string[] => Array.from(found, (id) => id.replaceAll("-", ""));
    expect(idsIn("works", "work")).toEqual(plain(live.works.keys()));
    expect(idsIn("submissions", "submission")).toEqual(plain(live.submissions.keys()));
    expect(idsIn("effects", "effect")).toEqual(plain(live.effects.keys()));
    expect(idsIn("states", "entry")).toEqual(plain(Array.from(live.states.values(), ({ entry }) => entry)));
    await reader.close();
  });

  test("takes and refuses the same as the store on a big file damaged at random", { timeout: 60_000 }, async () => {
    const ids = seqIds();
    const file = await written([[allEntries(ids)], messages(ids, 20, 5)]);
    for (const bytes of damagedImages(file, 120, 21)) expect(strangersReading(bytes)).toEqual(await storesReading(ID, bytes));
  });

  test("takes and refuses the same as the store on a file of small changes damaged at random", { timeout: 60_000 }, async () => {
    const all = smallMessages(120);
    const file = await written([all.slice(0, 50), all.slice(50, 90), all.slice(90)]);
    let torn = 0;
    let lost = 0;
    let damaged = 0;
    for (const bytes of damagedImages(file, 500, 22)) {
      const stranger = strangersReading(bytes);
      expect(stranger).toEqual(await storesReading(ID, bytes));
      if (stranger === undefined) continue;
      const session = decoded(bytes);
      torn += Number(session.tail.state === "torn");
      lost += Number(session.isTailLost);
      damaged += Number(session.damage.length > 0);
    }
    // Every kind of end was met often enough to mean something.
    expect(Math.min(torn, lost, damaged)).toBeGreaterThan(10);
  });

  test("a summary behind a lost commit proves that commit was acknowledged, so nobody cuts it off", async () => {
    const file = await written([smallMessages(3)]);
    const { commits, summaries } = decoded(file);
    const last = commits.at(-1);
    const summary = summaries.at(-1);
    if (last === undefined || summary === undefined) throw new Error("the file has no summary");
    // Everything before the summary and the summary itself, without the CLOSE behind it.
    const bytes = Buffer.from(file.subarray(0, file.length - 32));
    bytes.fill(0, 256 + last.offset, 256 + summary.offset);
    const reading = await agreed(bytes);
    expect(reading).toMatchObject({ access: "read", seqs: [1, 2], bytes: bytes.length });
  });

  test("frames of later versions are stepped over; a critical one lets nobody write", async () => {
    const file = await written([smallMessages(2)]);
    const { boundary, header } = decoded(file);
    const body = Buffer.from("of a later version");
    for (const flags of [0, 0x8000]) {
      const bytes = withFrames(file, boundary, [(offset) => frameAt(offset, header.seed, { type: 77, flags, seq: 9, body })]);
      const reading = await agreed(bytes);
      expect(reading).toMatchObject({ access: flags === 0 ? "write" : "read", seqs: [1, 2], bytes: bytes.length });
      expect(decoded(bytes).unknown).toMatchObject([{ type: 77, seq: 9, isCritical: flags !== 0 }]);
    }
  });

  test("a gap that a repair left is no damage", async () => {
    const file = await written([smallMessages(2)]);
    const { boundary, header } = decoded(file);
    const body = Buffer.alloc(16);
    body.writeUInt32LE(3, 0);
    body.writeUInt32LE(7, 8);
    const bytes = withFrames(file, boundary, [(offset) => frameAt(offset, header.seed, { type: 7, seq: 0, body })]);
    expect(await agreed(bytes)).toMatchObject({ access: "write", seqs: [1, 2] });
    expect(decoded(bytes)).toMatchObject({ gaps: [{ first: 3, last: 7 }], damage: [], newest: { seq: 7 } });
  });

  test("reads forked, imported and repaired files as the store does, with where they came from", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const source = await created(store);
      const all = messages(ids, 12, 9);
      for (const entries of all) await source.commit({ entries, leaf: entries.at(-1)?.id ?? null }).durable;
      await source.commit({ entries: allEntries(ids) }).durable;
      await source.close();

      const forked = await store.fork(source.id);
      if (!forked.ok) throw new Error(forked.error.what);
      const fork = readFileSync(forked.value.path);
      expect(decoded(fork)).toMatchObject({ header: { source: source.id, forkPoint: 13 }, damage: [], tail: { state: "whole" } });
      const inFork = (await agreed(fork, forked.value.id)).changes.flatMap((change) => change.entries);
      expect(new Set(inFork.filter((entry) => entry.inherited !== true).map((entry) => entry.type))).toEqual(new Set(["origin"]));
      expect(inFork.filter((entry) => entry.type === "user-message").length).toBeGreaterThan(12);

      const id = ids.next<SessionId>();
      const change: ImportItem = { type: "change", entries: allEntries(ids), time: START };
      const items = (async function* (): AsyncGenerator<Result<ImportItem, Diagnostic>> {
        yield ok(change);
      })();
      const origin = { session: source.id, epoch: 4, seq: 2 };
      const imported = await store.import(items, { id, createdAt: START, source: origin });
      if (!imported.ok) throw new Error(imported.error.what);
      const copy = readFileSync(imported.value.path);
      expect(decoded(copy)).toMatchObject({ header: { source: source.id, forkPoint: 2 }, damage: [], tail: { state: "whole" } });
      const found = (await agreed(copy, id)).changes.flatMap((made) => made.entries);
      expect(found.filter((entry) => entry.inherited).map((entry) => entry.id)).toEqual(change.entries.map((entry) => entry.id));

      const { commits } = decoded(readFileSync(source.path));
      const [lost, smashed] = [commits[2], commits[7]];
      const bytes = readFileSync(source.path);
      for (const commit of [lost, smashed]) bytes.fill(0x55, physicalOf(commit?.offset ?? 0) + 40, physicalOf(commit?.offset ?? 0) + 60);
      writeFileSync(source.path, bytes);
      const repair = await store.repair(source.id);
      if (!repair.ok) throw new Error(repair.error.what);
      const repaired = readFileSync(source.path);
      const reading = await agreed(repaired, source.id);
      expect(decoded(repaired)).toMatchObject({ header: { epoch: 1 }, damage: [], isTailLost: false });
      expect(decoded(repaired).gaps).toMatchObject(repair.value.lost.map(({ firstSeq, lastSeq }) => ({ first: firstSeq, last: lastSeq })));
      expect(repair.value.lost.flatMap(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual(expect.arrayContaining([3, 8]));
      expect(reading).toMatchObject({ access: "write", bytes: repaired.length });
    });
  });

  test("as a program it prints JSON", async () => {
    const dir = mkdtempSync(join(tmpdir(), "smith-decoder-"));
    try {
      writeFileSync(join(dir, "a.smith"), await written([[allEntries(seqIds())]]));
      const printed: unknown = JSON.parse(
        execFileSync(process.execPath, [join(here, "print.mjs"), join(dir, "a.smith")], { encoding: "utf8" }),
      );
      expect(printed).toMatchObject({ header: { session: ID }, commits: [{ seq: 1 }] });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
