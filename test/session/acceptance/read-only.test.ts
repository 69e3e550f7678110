import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import type { Entry, SubmissionEntry } from "../../../src/schema/index.js";
import type { SessionReader, SessionStore } from "../../../src/session/index.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { allEntries, messages } from "../independent/files.js";
import { seqIds } from "../support/entries.js";
import { collect, created, depsFor, withStore } from "../support/store.js";

const READING: ReadonlySet<string> = new Set(["open r", "read", "close", "facts", "stat", "readdir", "readText"]);

/** A store over the real file system that notes every call, locks included. */
function recordedStore(dir: string): { readonly store: SessionStore; readonly calls: Set<string> } {
  const calls = new Set<string>();
  const entries = Object.entries(nodeFileOperations).map(([name, call]: [string, (...args: never[]) => unknown]) => [
    name,
    (...args: never[]) => {
      calls.add(name === "open" ? `open ${String(args[1])}` : name);
      return call(...args);
    },
  ]);
  // Every name of the port is there, with its own function behind it.
  const ops = Object.fromEntries(entries) as unknown as FileOperations;
  const locker = {
    prepare: () => void calls.add("prepare lock"),
    tryLock: () => {
      calls.add("lock");
      return true;
    },
  };
  return { store: createStoreOn(depsFor(dir), ops, locker), calls };
}

/** Every way of reading one session. */
async function readEverything(store: SessionStore, id: SessionId, known: readonly Entry[]): Promise<void> {
  const opened = await store.open(id, "read");
  if (!opened.ok) return;
  const reader: SessionReader = opened.value;
  const key = known.find((entry): entry is SubmissionEntry => entry.type === "submission");
  await collect(reader.changes());
  await collect(reader.branch()).catch(() => []);
  await collect(reader.scan(new Set(["user-message", "state"])));
  for (const entry of known.slice(0, 5)) await reader.get(entry.id);
  await reader.get("0190a0a0-0000-7000-8000-00000000ffff" as EntryId);
  await reader.resolveEntry((known[0]?.id ?? "").slice(-8));
  await reader.live();
  await reader.admission(key?.key ?? "k");
  if (key !== undefined) await reader.receipt(key.submission);
  await reader.sessionState("core", "mode");
  await reader.branchState("core", "mode");
  await collect(reader.unknownFrames());
  const ended = new AbortController();
  const following = reader.changes({ follow: true, signal: ended.signal })[Symbol.asyncIterator]();
  await following.next();
  ended.abort();
  await following.return?.();
  await reader.close();
}

/** Names, sizes, times and bytes of everything in a directory. */
async function snapshot(dir: string): Promise<readonly unknown[]> {
  const names = (await readdir(dir)).sort();
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs, ino } = await stat(join(dir, name));
      return [name, size, mtimeMs, ino, (await readFile(join(dir, name))).toString("base64")];
    }),
  );
}

describe("reading", () => {
  test("sound, torn, damaged and unfinished sessions in every way never writes, syncs, cuts, locks, links, renames or removes", async () => {
    await withStore(async (store, dir) => {
      const ids = seqIds();
      const known: Entry[] = [];
      const sessions: SessionId[] = [];
      for (let index = 0; index < 4; index += 1) {
        const writer = await created(store);
        sessions.push(writer.id);
        const changes = [allEntries(ids), ...messages(ids, 6, index)];
        known.push(...changes.flat());
        for (const entries of changes) await writer.commit({ entries, leaf: entries.at(-1)?.id ?? null }).durable;
        await writer.close();
      }
      const pathOf = (index: number): string => join(dir, `${sessions[index] ?? ""}.smith`);
      await truncate(pathOf(1), (await stat(pathOf(1))).size - 150);
      const damaged = await readFile(pathOf(2));
      damaged.fill(0, 2000, 2100);
      await writeFile(pathOf(2), damaged);
      await writeFile(join(dir, "0190a0a0-0000-7000-8000-0000000000dd.smith"), "unfinished");
      await writeFile(
        join(dir, `${sessions[3] ?? ""}.owner`),
        JSON.stringify({ pid: process.pid, host: "here", startedAt: 1, version: "0" }),
      );

      const before = await snapshot(dir);
      const { store: recorded, calls } = recordedStore(dir);
      await collect(recorded.list());
      await collect(recorded.list({ detail: "header" }));
      await recorded.resolve((sessions[0] ?? "").slice(-8));
      await collect(recorded.grep(/lorem/u));
      await collect(recorded.grep(/x/u, { branch: "selected", before: 1, after: 1, oldestFirst: true }));
      for (const id of sessions) {
        await readEverything(recorded, id, known);
        await collect(recorded.verify(id));
      }
      expect([...calls].filter((call) => !READING.has(call))).toEqual([]);
      expect(calls.has("read")).toBe(true);
      expect(await snapshot(dir)).toEqual(before);
    });
  });

  test("the record of calls shows a writer's, so nothing hides from it", async () => {
    await withStore(async (_store, dir) => {
      const { store, calls } = recordedStore(dir);
      const writer = await created(store);
      await writer.commit({ entries: allEntries(seqIds()) }).durable;
      await writer.close();
      expect([...calls]).toEqual(expect.arrayContaining(["lock", "write", "fdatasync", "link", "unlink", "open wx+"]));
    });
  });
});
