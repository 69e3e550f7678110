import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { SessionStore, SessionWriter } from "../../../src/session/index.js";
import { SessionStorageError } from "../../../src/session/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { idsOf } from "../support/images.js";
import type { Call, Fault } from "../support/operations.js";
import { faultyOperations } from "../support/operations.js";
import { collect, depsFor, openedWriter, withStore } from "../support/store.js";

interface Attempt {
  readonly acknowledged: readonly EntryId[];
  readonly rejected: number;
  readonly codes: ReadonlySet<string>;
  readonly writer: SessionWriter | undefined;
}

/** Creates a session and commits to it, whatever fails on the way. */
async function attempt(store: SessionStore): Promise<Attempt> {
  const made = await store.create({});
  if (!made.ok) return { acknowledged: [], rejected: 0, codes: new Set([made.error.code]), writer: undefined };
  const ids = seqIds();
  const acknowledged: EntryId[] = [];
  const codes = new Set<string>();
  let rejected = 0;
  for (let index = 0; index < 6; index += 1) {
    const entry = user(ids, `${index}`.repeat(30_000));
    const ticket = made.value.commit({ entries: [entry], leaf: entry.id });
    try {
      await ticket.durable;
      acknowledged.push(entry.id);
    } catch (error) {
      expect(error).toBeInstanceOf(SessionStorageError);
      if (error instanceof SessionStorageError) codes.add(error.diagnostic.code);
      rejected += 1;
      expect(made.value.state()).toBe("uncertain");
    }
  }
  await made.value.close().catch(() => undefined);
  return { acknowledged, rejected, codes, writer: made.value };
}

async function inDirectory(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "smith-fault-"));
  try {
    await run(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function countCalls(): Promise<number> {
  let calls = 0;
  await inDirectory(async (dir) => {
    const ops = faultyOperations(() => undefined);
    expect((await attempt(createStoreOn(depsFor(dir), ops, createLocker()))).acknowledged).toHaveLength(6);
    calls = ops.calls();
  });
  return calls;
}

describe("a file system that fails", () => {
  test.each([
    ["EIO", { error: "EIO" }],
    ["ENOSPC", { error: "ENOSPC" }],
    ["a short write", { short: 100 }],
  ] as readonly (readonly [string, Fault])[])(
    "with %s at any call keeps everything acknowledged and acknowledges nothing else",
    async (_name, fault) => {
      const calls = await countCalls();
      expect(calls).toBeGreaterThan(20);
      for (let failing = 0; failing < calls; failing += 1) {
        await inDirectory(async (dir) => {
          const ops = faultyOperations(({ index }: Call) => (index === failing ? fault : undefined));
          const result = await attempt(createStoreOn(depsFor(dir), ops, createLocker()));
          if (result.rejected > 0) expect(result.acknowledged.length + result.rejected).toBe(6);
          for (const code of result.codes) expect(code).toMatch(/^session\.(storage-full|storage-failed|unreadable|unknown)$/);
          expect((await readdir(dir)).filter((name) => name.endsWith(".smith")).length).toBeLessThanOrEqual(1);
          if (result.writer === undefined) return;
          const again = createStoreOn(
            depsFor(dir),
            faultyOperations(() => undefined),
            createLocker(),
          );
          const writer = await openedWriter(again, result.writer.id);
          const found = idsOf(await collect(writer.changes()));
          expect(found.slice(0, result.acknowledged.length)).toEqual(result.acknowledged);
          expect(writer.damage?.()).toEqual([]);
          await writer.close();
        });
      }
    },
  );

  test.each([
    ["write", "ENOSPC", "session.storage-full"],
    ["write", "EDQUOT", "session.storage-full"],
    ["fdatasync", "EIO", "session.storage-failed"],
  ] as const)("in %s with %s rejects that change and all later ones as %s, and syncs no more", async (name, error, code) => {
    await inDirectory(async (dir) => {
      let isBroken = false;
      const after: string[] = [];
      const ops = faultyOperations((call) => {
        if (isBroken) after.push(call.name);
        return isBroken && call.name === name ? { error } : undefined;
      });
      const store = createStoreOn(depsFor(dir), ops, createLocker());
      const made = await store.create({});
      if (!made.ok) throw new Error(made.error.what);
      const writer = made.value;
      const ids = seqIds();
      await writer.commit({ entries: [user(ids, "good")] }).durable;
      isBroken = true;
      const failing = writer.commit({ entries: [user(ids, "bad")] });
      const queued = writer.commit({ entries: [user(ids, "queued")] });
      await expect(failing.durable).rejects.toMatchObject({ name: "SessionStorageError", diagnostic: { code } });
      await expect(queued.durable).rejects.toBeInstanceOf(SessionStorageError);
      expect(writer.state()).toBe("uncertain");
      await expect(writer.commit({ entries: [user(ids, "late")] }).durable).rejects.toMatchObject({ diagnostic: { code } });
      await writer.close();
      expect(writer.state()).toBe("closed");
      expect(after.filter((call) => call === name)).toHaveLength(1);
    });
  });

  test("reads go on from what was committed when writing has failed", async () => {
    await inDirectory(async (dir) => {
      let isBroken = false;
      const ops = faultyOperations((call) => (isBroken && call.name === "write" ? { error: "EIO" } : undefined));
      const made = await createStoreOn(depsFor(dir), ops, createLocker()).create({});
      if (!made.ok) throw new Error(made.error.what);
      const good = user(seqIds(), "good");
      await made.value.commit({ entries: [good], leaf: good.id }).durable;
      isBroken = true;
      await made.value.commit({ entries: [user(seqIds(1_700_000_100_000), "bad")] }).durable.catch(() => undefined);
      expect(await collect(made.value.branch())).toEqual([good]);
      await made.value.close();
    });
  });

  test("a change after closing is rejected with a diagnostic", async () => {
    await withStore(async (store) => {
      const made = await store.create({});
      if (!made.ok) throw new Error(made.error.what);
      await made.value.close();
      await expect(made.value.commit({ entries: [user(seqIds(), "late")] }).durable).rejects.toMatchObject({
        diagnostic: { code: "session.closed" },
      });
    });
  });
});
