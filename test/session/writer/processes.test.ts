import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionId } from "../../../src/base/index.js";
import { bundled, type Program } from "../support/program.js";
import { collect, created, openedReader, openedWriter, withStore } from "../support/store.js";

let program: Program;

beforeAll(async () => {
  program = await bundled(new URL("../fixtures/committer.ts", import.meta.url));
});

afterAll(async () => {
  await program.remove();
});

interface Committer {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves when at least this many lines were printed, or the process ended. */
  reached(count: number): Promise<void>;
  ended(): Promise<void>;
}

function start(dir: string, id: SessionId): Committer {
  const child = spawn(process.execPath, [program.path, dir, id], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  let wake: () => void = () => undefined;
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    wake();
  });
  const closed = once(reader, "close").then(() => undefined);
  return {
    child,
    lines,
    reached: async (count) => {
      while (lines.length < count) {
        const more = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if ((await Promise.race([more.then(() => "more"), closed.then(() => "closed")])) === "closed") return;
      }
    },
    ended: () => closed,
  };
}

/** Every acknowledged line is in the file, with its content. */
async function expectAll(dir: string, lines: readonly string[], store: Parameters<typeof openedWriter>[0], id: SessionId): Promise<void> {
  const writer = await openedWriter(store, id);
  const found = new Map<string, string>();
  for (const change of await collect(writer.changes())) {
    for (const entry of change.entries) if (entry.type === "user-message") found.set(entry.id, entry.text);
  }
  expect(writer.damage?.()).toEqual([]);
  await writer.close();
  for (const line of lines) {
    const [entry = "", length = ""] = line.split(" ");
    expect(found.get(entry)?.length).toBe(Number(length));
  }
}

describe("two processes and one session", () => {
  test("a killed writer loses nothing it acknowledged, and the next one gets in at once", { timeout: 30_000 }, async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      await writer.close();
      const acknowledged: string[] = [];
      for (let round = 0; round < 12; round += 1) {
        const committer = start(dir, writer.id);
        await committer.reached(1 + round * 5);
        expect(committer.lines[0]).toBe("writing");
        committer.child.kill("SIGKILL");
        await committer.ended();
        acknowledged.push(...committer.lines.filter((line) => line.includes(" ")));
      }
      expect(acknowledged.length).toBeGreaterThan(100);
      await expectAll(dir, acknowledged, store, writer.id);
    });
  });

  test(
    "the second opener becomes an observer that knows the owner, sees changes live, and stays one when the writer dies",
    { timeout: 30_000 },
    async () => {
      await withStore(async (store, dir) => {
        const first = await created(store);
        await first.close();
        const committer = start(dir, first.id);
        await committer.reached(4);
        const opened = await store.open(first.id, "write");
        if (!opened.ok) throw new Error(opened.error.what);
        const observer = opened.value;
        expect(observer).toMatchObject({ access: "read", owner: { pid: committer.child.pid, host: "here", version: "0.0.0" } });
        expect(await store.remove(first.id)).toMatchObject({ ok: false, error: { code: "session.busy", exit: 4 } });
        expect(await collect(store.list())).toMatchObject([{ id: first.id, state: "busy" }]);
        const seqs: number[] = [];
        for await (const change of observer.changes({ follow: true })) {
          seqs.push(change.position.seq);
          if (seqs.length === 60) break;
        }
        expect(seqs).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
        const second = start(dir, first.id);
        await second.ended();
        expect(second.lines).toEqual(["refused"]);
        committer.child.kill("SIGSTOP");
        expect(await store.open(first.id, "write")).toMatchObject({ ok: true, value: { access: "read" } });
        committer.child.kill("SIGKILL");
        await committer.ended();
        expect(observer.access).toBe("read");
        await observer.close();
        const writer = await openedWriter(store, first.id);
        await writer.close();
        expect(await collect(store.list())).toMatchObject([{ id: first.id, state: "sound" }]);
      });
    },
  );

  test("one process cannot open a session for writing twice either", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const again = await store.open(writer.id, "write");
      expect(again).toMatchObject({ ok: true, value: { access: "read", owner: { pid: process.pid } } });
      if (again.ok) await again.value.close();
      await writer.close();
      const reader = await openedReader(store, writer.id);
      expect(reader.owner).toBeUndefined();
      await reader.close();
    });
  });
});
