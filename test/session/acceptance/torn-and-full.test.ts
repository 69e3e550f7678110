import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import type { UserMessageEntry } from "../../../src/schema/index.js";
import type { SessionStore } from "../../../src/session/index.js";
import { createSessionStore } from "../../../src/session/index.js";
import { createLocker } from "../../../src/session/lock.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { physicalOf } from "../independent/addressing.mjs";
import { decoded } from "../independent/agreement.js";
import { seqIds, user } from "../support/entries.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";

const MIB = 1024 * 1024;

const WORDS = ["first", "second", "the last one ends in 漢字"];

/** A session of three messages; gives its bytes and the place of the last character, which takes three bytes. */
async function threeMessages(store: SessionStore): Promise<{ readonly id: SessionId; readonly path: string; readonly bytes: Buffer }> {
  const writer = await created(store);
  const ids = seqIds();
  let parent: EntryId | undefined;
  for (const text of WORDS) {
    const entry: UserMessageEntry = user(ids, text, parent);
    parent = entry.id;
    await writer.commit({ entries: [entry], leaf: entry.id }).durable;
  }
  await writer.close();
  return { id: writer.id, path: writer.path, bytes: await readFile(writer.path) };
}

async function textsOf(store: SessionStore, id: SessionId): Promise<readonly string[]> {
  const reader = await openedReader(store, id);
  const branch = await collect(reader.branch());
  expect(reader.damage()).toEqual([]);
  await reader.close();
  return branch.map((entry) => (entry.type === "user-message" ? entry.text : entry.type)).reverse();
}

describe("a session file that was cut", () => {
  const lastCommit = (bytes: Buffer) => {
    const found = decoded(bytes).commits.at(-1);
    if (found === undefined) throw new Error("no commit");
    return { start: physicalOf(found.offset), end: physicalOf(found.end) };
  };

  test.each<readonly [string, (bytes: Buffer) => number, number]>([
    ["in the middle of its last change", (bytes) => (lastCommit(bytes).start + lastCommit(bytes).end) >> 1, 2],
    ["inside a character", (bytes) => lastCommit(bytes).end - 2, 2],
    ["one byte before the end of its last change", (bytes) => lastCommit(bytes).end - 1, 2],
    ["behind its last change", (bytes) => lastCommit(bytes).end, 3],
    ["one byte before its end", (bytes) => bytes.length - 1, 3],
    ["behind its header", () => 256, 0],
  ])("%s keeps every whole change, tells what was dropped once, and goes on", async (_name, place, whole) => {
    await withStore(async (store) => {
      const { id, path, bytes } = await threeMessages(store);
      const size = place(bytes);
      await writeFile(path, bytes.subarray(0, size));
      const kept = WORDS.slice(0, whole);
      const writer = await openedWriter(store, id);
      const boundary = decoded(bytes.subarray(0, size)).boundaryInFile;
      if (size > boundary) expect(writer.dropped).toMatchObject({ bytes: size - boundary });
      else expect(writer.dropped).toBeUndefined();
      const leaf = writer.leaf();
      const next = user(seqIds(1_800_000_000_000), "after the cut", leaf);
      await writer.commit({ entries: [next], leaf: next.id }).durable;
      await writer.close();
      const again = await openedWriter(store, id);
      expect(again.dropped).toBeUndefined();
      await again.close();
      expect(await textsOf(store, id)).toEqual([...kept, "after the cut"]);
    });
  });

  test.each([0, 1, 127, 255])("to %i bytes is refused by name, stays as it is, and is in nobody's way", async (size) => {
    await withStore(async (store, dir) => {
      const { id, path, bytes } = await threeMessages(store);
      await writeFile(path, bytes.subarray(0, size));
      for (const want of ["read", "write"] as const)
        expect(await store.open(id, want)).toMatchObject({ ok: false, error: { code: "session.unreadable" } });
      expect((await stat(path)).size).toBe(size);
      const other = await created(store);
      await other.close();
      expect((await collect(store.list())).map((found) => found.id)).toContain(other.id);
      expect((await readdir(dir)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    });
  });
});

/** File operations over a disk with so much room: what does not fit is written in part, and then nothing is. */
function roomFor(bytes: number): FileOperations & { readonly makeRoom: () => void } {
  let room = bytes;
  return {
    ...nodeFileOperations,
    makeRoom: () => {
      room = Number.MAX_SAFE_INTEGER;
    },
    write: async (fd, data, position) => {
      if (room === 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      const part = data.subarray(0, Math.min(data.length, room));
      room -= part.length;
      return nodeFileOperations.write(fd, part, position);
    },
  };
}

interface Disk {
  readonly store: SessionStore;
  readonly makeRoom: () => Promise<void>;
}

/** A disk of 1 MiB: a real one where this process may mount one, else one that is simulated. */
async function onSmallDisk(dir: string, kind: "real" | "simulated", run: (disk: Disk) => Promise<void>): Promise<void> {
  const place = join(dir, "disk");
  await mkdir(place);
  if (kind === "real" && isMounted(place)) {
    const ballast = join(place, "ballast");
    try {
      await writeFile(ballast, Buffer.alloc(MIB / 2));
      await run({ store: createSessionStore(depsFor(place)), makeRoom: () => rm(ballast) });
    } finally {
      execFileSync("umount", [place]);
    }
    return;
  }
  const ops = roomFor(MIB / 2);
  await run({ store: createStoreOn(depsFor(place), ops, createLocker()), makeRoom: async () => ops.makeRoom() });
}

function isMounted(place: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", place], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("a full disk", () => {
  test.each(["real", "simulated"] as const)(
    "(%s) fails the change that does not fit and everything after it; what was acknowledged stays, and with room it goes on",
    async (kind) => {
      await withStore(async (_store, dir) => {
        await onSmallDisk(dir, kind, async ({ store, makeRoom }) => {
          const ids = seqIds();
          const writer = await created(store);
          const small = user(ids, "fits");
          await writer.commit({ entries: [small], leaf: small.id }).durable;
          const big = user(ids, Buffer.alloc(2 * MIB, "result ").toString(), small.id);
          const after = user(ids, "too late", small.id);
          const refused = await Promise.allSettled([
            writer.commit({ entries: [big], leaf: big.id }).durable,
            writer.commit({ entries: [after], leaf: after.id }).durable,
          ]);
          const full = { code: expect.stringMatching(/^session\.storage-(?:full|failed)$/u) as unknown, severity: "error" };
          expect(refused).toMatchObject(
            [1, 2].map(() => ({ status: "rejected", reason: { name: "SessionStorageError", diagnostic: full } })),
          );
          expect(writer.state()).toBe("uncertain");
          await expect(writer.commit({ entries: [after], leaf: after.id }).durable).rejects.toMatchObject({ diagnostic: full });
          await writer.close();
          expect(await textsOf(store, writer.id)).toEqual(["fits"]);

          await makeRoom();
          const again = await openedWriter(store, writer.id);
          expect(again.dropped?.bytes).toBeGreaterThan(0);
          const next = user(seqIds(1_800_000_000_000), "goes on", small.id);
          await again.commit({ entries: [next], leaf: next.id }).durable;
          await again.close();
          expect(await textsOf(store, writer.id)).toEqual(["fits", "goes on"]);
        });
      });
    },
  );
});
