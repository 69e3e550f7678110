import { copyFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import type { SessionStore } from "../../../src/session/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";
import type { Contenders } from "./support/processes.js";
import { bundleContender } from "./support/processes.js";

/** More on demand: `SMITH_RACE_ROUNDS=5000 npx vitest run test/session/acceptance/ownership.test.ts`. */
const rounds = Number(process.env["SMITH_RACE_ROUNDS"] ?? 200);

let program: Contenders;

beforeAll(async () => {
  program = await bundleContender();
});

afterAll(async () => {
  await program.remove();
});

async function texts(store: SessionStore, id: SessionId): Promise<readonly string[]> {
  const reader = await openedReader(store, id);
  try {
    const changes = await collect(reader.changes());
    expect(changes.map((change) => change.position.seq)).toEqual(changes.map((_, index) => index + 1));
    expect(reader.damage()).toEqual([]);
    return changes.flatMap((change) => change.entries.map((entry) => (entry.type === "user-message" ? entry.text : entry.type)));
  } finally {
    await reader.close();
  }
}

async function emptySession(store: SessionStore): Promise<SessionId> {
  const writer = await created(store);
  await writer.close();
  return writer.id;
}

describe("ownership of a session", () => {
  test(`of two processes that open it at once exactly one may write, ${rounds} times`, { timeout: 30_000 + rounds * 100 }, async () => {
    await withStore(async (store, dir) => {
      const id = await emptySession(store);
      const contenders = [program.start(dir, id), program.start(dir, id)];
      const wins = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        // The order in which they are told alternates, so that neither wins by habit.
        const order = round % 2 === 0 ? [0, 1] : [1, 0];
        const answers: string[] = [];
        await Promise.all(order.map(async (index) => (answers[index] = (await contenders[index]?.ask("open")) ?? "")));
        expect([...answers].sort()).toEqual(["reader", "writer"]);
        const winner = answers.indexOf("writer");
        wins[winner] = (wins[winner] ?? 0) + 1;
        await contenders[winner]?.ask(`commit round ${round}`);
        for (const contender of contenders) expect(await contender.ask("close")).toBe("closed");
      }
      expect(Math.min(...wins)).toBeGreaterThan(0);
      expect(await texts(store, id)).toEqual(Array.from({ length: rounds }, (_, round) => `round ${round}`));
    });
  });

  test("handed over while another one asks for it, it is never held twice and every change stays", { timeout: 60_000 }, async () => {
    await withStore(async (store, dir) => {
      const id = await emptySession(store);
      let holder = program.start(dir, id);
      let other = program.start(dir, id);
      const expected: string[] = [];
      expect(await holder.ask("open")).toBe("writer");
      for (let round = 0; round < 60; round += 1) {
        await holder.ask(`commit ${round}`);
        expected.push(`${round}`);
        const [, answer] = await Promise.all([holder.ask("close"), other.ask("open")]);
        if (answer === "reader") {
          expect(await other.ask("close")).toBe("closed");
          expect(await other.ask("open")).toBe("writer");
        }
        [holder, other] = [other, holder];
      }
      expect(await texts(store, id)).toEqual(expected);
    });
  });

  test("a stopped holder keeps it, a killed one does not, and who only observed stays an observer", { timeout: 30_000 }, async () => {
    await withStore(async (store, dir) => {
      const id = await emptySession(store);
      const holder = program.start(dir, id);
      expect(await holder.ask("open")).toBe("writer");
      // Two, so that the holder's name is written long before it stops.
      await holder.ask("commit before");
      await holder.ask("commit still before");
      holder.signal("SIGSTOP");
      const observers = [];
      for (let index = 0; index < 20; index += 1) {
        const opened = await store.open(id, "write");
        if (!opened.ok) throw new Error(opened.error.what);
        expect(opened.value).toMatchObject({ access: "read", owner: { pid: holder.pid } });
        observers.push(opened.value);
      }
      holder.signal("SIGCONT");
      await holder.ask("commit after");
      await holder.kill();
      // At once: nothing has to expire.
      const next = await openedWriter(store, id);
      for (const observer of observers) {
        expect(observer.access).toBe("read");
        expect(await collect(observer.changes())).toHaveLength(3);
        await observer.close();
      }
      await next.close();
      expect(await texts(store, id)).toEqual(["before", "still before", "after"]);
    });
  });

  test.each([
    ["a running process that has nothing to do with it", { pid: process.pid, host: "here" }],
    ["the first process of the system", { pid: 1, host: "here" }],
    ["a process of another host", { pid: 12, host: "elsewhere" }],
    ["nothing readable", "{"],
  ])("a name left behind of %s locks nobody out", { timeout: 30_000 }, async (_name, left) => {
    await withStore(async (store, dir) => {
      const id = await emptySession(store);
      const holder = program.start(dir, id);
      await holder.ask("open");
      await holder.ask("commit kept");
      await holder.kill();
      const owner = typeof left === "string" ? left : JSON.stringify({ ...left, startedAt: 1, version: "0.0.0" });
      await writeFile(join(dir, `${id}.owner`), owner);
      const writer = await openedWriter(store, id);
      expect(writer.owner).toBeUndefined();
      await writer.close();
      expect(await collect(store.list())).toMatchObject([{ id, state: "sound" }]);
    });
  });

  test("a file put in its place between opening and locking is the one that is written", async () => {
    await withStore(async (store, dir) => {
      const id = await emptySession(store);
      const path = join(dir, `${id}.smith`);
      const aside = join(dir, "aside");
      let replaced = 0;
      const ops = {
        ...nodeFileOperations,
        open: async (name: string, flags: "r" | "r+" | "wx+") => {
          const fd = await nodeFileOperations.open(name, flags);
          // Twice, as two repairs one after the other would.
          if (name === path && flags === "r+" && replaced < 2) {
            replaced += 1;
            await copyFile(path, `${aside}.${replaced}`);
            await rename(`${aside}.${replaced}`, path);
          }
          return fd;
        },
      };
      const writer = await openedWriter(createStoreOn(depsFor(dir), ops, createLocker()), id);
      expect(replaced).toBe(2);
      const entry = user(seqIds(), "in the new file");
      await writer.commit({ entries: [entry], leaf: entry.id }).durable;
      // The new file is locked, not only the old one.
      expect(await store.open(id, "write")).toMatchObject({ ok: true, value: { access: "read" } });
      await writer.close();
      expect(await texts(store, id)).toEqual(["in the new file"]);
    });
  });

  test("a file put in its place under a writer is never written by both", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      const entry = user(seqIds(), "first");
      await writer.commit({ entries: [entry], leaf: entry.id }).durable;
      const path = join(dir, `${writer.id}.smith`);
      await copyFile(path, join(dir, "aside"));
      await rename(join(dir, "aside"), path);
      const copy = await readFile(path);
      const second = await openedWriter(store, writer.id);
      const other = user(seqIds(1_800_000_000_000), "old file", entry.id);
      await writer.commit({ entries: [other], leaf: other.id }).durable;
      await writer.close();
      // What the old writer still wrote went into the old file, which nobody sees any more.
      expect((await readFile(path)).equals(copy)).toBe(true);
      expect(second.access).toBe("write");
      await second.close();
      expect(await texts(store, writer.id)).toEqual(["first"]);
    });
  });

  test("independent sessions are written by many processes at once", { timeout: 30_000 }, async () => {
    await withStore(async (store, dir) => {
      const sessions: SessionId[] = [];
      for (let index = 0; index < 4; index += 1) sessions.push(await emptySession(store));
      const writers = sessions.map((id) => program.start(dir, id));
      expect(await Promise.all(writers.map((writer) => writer.ask("open")))).toEqual(writers.map(() => "writer"));
      const committed = await Promise.all(
        writers.map(async (writer) => {
          const found: string[] = [];
          for (let index = 0; index < 50; index += 1) found.push(await writer.ask(`commit ${writer.pid}`));
          return found;
        }),
      );
      for (const writer of writers) expect(await writer.ask("close")).toBe("closed");
      for (const [index, id] of sessions.entries()) {
        const reader = await openedReader(store, id);
        const found = await collect(reader.changes());
        expect(found.map((change) => change.leaf)).toEqual(committed[index] as EntryId[]);
        await reader.close();
      }
    });
  });
});
