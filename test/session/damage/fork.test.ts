import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionId } from "../../../src/base/index.js";
import { createSessionStore } from "../../../src/session/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { user } from "../support/entries.js";
import { idsOf } from "../support/images.js";
import { faultyOperations } from "../support/operations.js";
import { bundled, type Program } from "../support/program.js";
import { collect, created, depsFor, openedReader, withStore } from "../support/store.js";
import { verified } from "../maintenance/checks.js";
import { HistoryWriter } from "../maintenance/history.js";

let program: Program;

beforeAll(async () => {
  program = await bundled(new URL("../fixtures/forker.ts", import.meta.url));
});

afterAll(async () => {
  await program.remove();
});

/** Starts forking in another process and kills it when it has said `lines` lines. What it said. */
async function killedForker(dir: string, id: SessionId, lines: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [program.path, dir, id], { stdio: ["ignore", "pipe", "inherit"] });
  const said: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    said.push(line);
    if (said.length === lines) child.kill("SIGKILL");
  });
  await once(child, "exit");
  return said;
}

const sessions = (names: readonly string[]): readonly SessionId[] =>
  names.filter((name) => name.endsWith(".smith")).map((name) => name.slice(0, -6) as SessionId);

describe("a fork", () => {
  test(
    "killed at any moment leaves whole sessions only, and what it left half made goes with the next one",
    { timeout: 120_000 },
    async () => {
      await withStore(async (store, dir) => {
        const writer = await created(store);
        const history = new HistoryWriter(writer);
        const first = await history.turn(undefined, "first", { big: true });
        await history.turn(first.leaf, "second", { big: true });
        await writer.close();
        const before = await readFile(writer.path);
        for (let round = 0; round < 12; round += 1) {
          const said = await killedForker(dir, writer.id, 1 + round);
          expect(said.filter((line) => line.startsWith("failed"))).toEqual([]);
          const there = sessions(await readdir(dir));
          for (const line of said) if (line !== "forking") expect(there).toContain(line);
          for (const id of there) expect(await verified(store, id)).toMatchObject({ findings: [], report: { tailBytes: 0 } });
        }
        expect(await store.fork(writer.id)).toMatchObject({ ok: true });
        expect((await readdir(dir)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
        expect(await readFile(writer.path)).toEqual(before);
      });
    },
  );

  test("of a session that is being written takes one moment of it, whole", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      let leaf = (await history.turn(undefined, "first")).leaf;
      for (let round = 0; round < 10; round += 1) {
        const forking = store.fork(writer.id);
        leaf = (await history.turn(leaf, `turn ${round}`)).leaf;
        const made = await forking;
        if (!made.ok) throw new Error(made.error.what);
        expect((await verified(store, made.value.id)).findings).toEqual([]);
        const reader = await openedReader(store, made.value.id);
        const entries = (await collect(reader.changes())).flatMap((change) => change.entries);
        const origin = entries.at(-1);
        if (origin?.type !== "origin") throw new Error("no origin");
        const wanted = history.all.filter(({ seq }) => seq <= origin.seq).map(({ entry }) => entry.id);
        expect(entries.slice(0, -1).map(({ id }) => id)).toEqual(wanted);
        await reader.close();
      }
      await writer.close();
    });
  });

  test.each(["EIO", "ENOSPC"])("stopped by %s at any call leaves nothing that can be read, or all of it", async (error) => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      await new HistoryWriter(writer).turn(undefined, "first", { big: true });
      await writer.close();
      const bytes = await readFile(writer.path);
      let calls = 1;
      for (let failing = -1; failing < calls; failing += 1) {
        const place = await mkdtemp(join(tmpdir(), "smith-fork-"));
        try {
          await writeFile(join(place, `${writer.id}.smith`), bytes);
          const ops = faultyOperations(({ index }) => (index === failing ? { error } : undefined));
          const made = await createStoreOn(depsFor(place), ops, createLocker()).fork(writer.id);
          if (failing === -1) calls = ops.calls();
          const names = await readdir(place);
          expect(sessions(names)).toHaveLength(made.ok ? 2 : 1);
          if (!made.ok) expect(made.error.code).toMatch(/^session\.(storage-failed|storage-full)$/);
          for (const id of sessions(names)) expect((await verified(createSessionStore(depsFor(place)), id)).findings).toEqual([]);
        } finally {
          await rm(place, { recursive: true, force: true });
        }
      }
      expect(calls).toBeGreaterThan(12);
      expect(await readdir(dir)).toHaveLength(1);
    });
  });

  test("of a source that is damaged before the fork point is refused until it is repaired, and then goes on to the root", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      const first = await history.turn(undefined, "first");
      const second = await history.turn(first.leaf, "second");
      await writer.close();
      const bytes = await readFile(writer.path);
      const at = bytes.indexOf("Done with first.");
      bytes[at] = 0;
      await writeFile(writer.path, bytes);
      const refused = await store.fork(writer.id);
      expect(refused).toMatchObject({
        ok: false,
        error: { code: expect.stringMatching(/^session\.(fork-damaged|branch-broken)$/) as string },
      });
      expect(await store.fork(writer.id, { at: first.history[1] ?? first.leaf })).toMatchObject({ ok: true });
      expect(await store.repair(writer.id)).toMatchObject({ ok: true });
      const made = await store.fork(writer.id);
      if (!made.ok) throw new Error(made.error.what);
      expect((await verified(store, made.value.id)).findings).toEqual([]);
      const reader = await openedReader(store, made.value.id);
      const branch = (await collect(reader.branch())).reverse();
      expect(branch.map(({ id }) => id)).toEqual([...first.history, ...second.history]);
      expect(branch.filter(({ type }) => type === "lost")).toMatchObject([{ id: first.leaf, kind: 2, inherited: true }]);
      await reader.close();
    });
  });

  test("of a long session has checkpoints, so that it opens as fast as any", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      let parent: ReturnType<typeof history.id> | undefined;
      for (let change = 0; change < 50; change += 1) {
        const entries = Array.from({ length: 100 }, (_, index) => {
          const entry = user(history.ids, `${change} ${index}`, parent);
          parent = entry.id;
          return entry;
        });
        await history.commit(entries, parent);
      }
      await writer.close();
      const made = await store.fork(writer.id);
      if (!made.ok) throw new Error(made.error.what);
      expect(made.value.entries).toBe(5000);
      const { report, findings } = await verified(store, made.value.id);
      expect(findings).toEqual([]);
      expect(report?.checkpoints).toBeGreaterThanOrEqual(2);
      const reader = await openedReader(store, made.value.id);
      expect(idsOf(await collect(reader.changes()))).toHaveLength(5001);
      expect((await reader.live()).turns).toBe(5000);
      await reader.close();
      expect((await collect(store.list())).map(({ turns }) => turns)).toEqual([5000, 5000]);
    });
  });
});
