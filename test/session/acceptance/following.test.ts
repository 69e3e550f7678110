import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommittedChange, SessionReader } from "../../../src/session/index.js";
import { collect, created, openedReader, openedWriter, withStore } from "../support/store.js";
import type { Contenders } from "./support/processes.js";
import { bundleContender } from "./support/processes.js";

let program: Contenders;

beforeAll(async () => {
  program = await bundleContender();
});

afterAll(async () => {
  await program.remove();
});

/** Changes as they come, until `isEnough`; slow ones stop now and then to let many gather. */
async function follow(reader: SessionReader, from: number, isEnough: (change: CommittedChange) => boolean, pauseEvery?: number) {
  const found: CommittedChange[] = [];
  const position = { session: reader.id, epoch: reader.epoch, seq: from };
  for await (const change of reader.changes({ follow: true, from: position })) {
    found.push(change);
    if (isEnough(change)) break;
    if (pauseEvery !== undefined && found.length % pauseEvery === 0)
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  }
  return found;
}

const lineOf = (change: CommittedChange): string =>
  change.entries.map((entry) => `${entry.id} ${entry.type === "user-message" ? entry.text.length : -1}`).join();

describe("observers of a writer in another process", () => {
  test(
    "see every one of 3,000 changes once and in order, fast or slow or joining late, and after it was killed exactly what the file holds",
    { timeout: 60_000 },
    async () => {
      await withStore(async (store, dir) => {
        const session = await created(store);
        await session.close();
        const { id } = session;
        const writer = program.start(dir, id);
        expect(await writer.ask("open")).toBe("writer");
        const readers = await Promise.all([1, 2, 3].map(() => openedReader(store, id)));
        const [fast, slow, late] = readers as [SessionReader, SessionReader, SessionReader];
        const isLast = (change: CommittedChange): boolean => change.position.seq === 3000;
        writer.send("stream 1000000");
        const following = [follow(fast, 0, isLast), follow(slow, 0, isLast, 40)];
        await writer.reached(1500);
        following.push(follow(late, 700, isLast));
        const [all = [], slowly = [], lately = []] = await Promise.all(following);
        await writer.kill();

        expect(all.map((change) => change.position.seq)).toEqual(Array.from({ length: 3000 }, (_, index) => index + 1));
        expect(slowly).toEqual(all);
        expect(lately).toEqual(all.slice(700));
        // The first line is the answer to `open`. What was acknowledged is what was seen.
        const acknowledged = writer.lines.slice(1);
        expect(all.map(lineOf).slice(0, acknowledged.length)).toEqual(acknowledged.slice(0, 3000));

        const after = await openedWriter(store, id);
        const kept = await collect(after.changes());
        expect(kept.slice(0, 3000)).toEqual(all);
        expect(kept.map(lineOf).slice(0, acknowledged.length)).toEqual(acknowledged);
        const rest = await follow(fast, 3000, (change) => change.position.seq === kept.length).catch((error: unknown) => error);
        if (kept.length > 3000) expect(rest).toEqual(kept.slice(3000));
        expect(fast.access).toBe("read");
        await after.close();
        for (const reader of readers) await reader.close();
      });
    },
  );

  test("one that stops waiting stops nothing but itself", async () => {
    await withStore(async (store, dir) => {
      const session = await created(store);
      await session.close();
      const writer = program.start(dir, session.id);
      await writer.ask("open");
      const reader = await openedReader(store, session.id);
      const ended = new AbortController();
      const waiting = collect(reader.changes({ follow: true, signal: ended.signal }));
      await writer.ask("commit one");
      ended.abort();
      expect((await waiting).length).toBeLessThanOrEqual(1);
      await writer.ask("commit two");
      expect(await collect(reader.changes())).toHaveLength(2);
      expect(await writer.ask("close")).toBe("closed");
      await reader.close();
    });
  });
});
