import { describe, expect, test } from "vitest";
import { collect, withStore } from "../support/store.js";
import { reopen, seededRandom } from "../support/images.js";
import { SAMPLE_ID, sampleFile } from "../support/sample.js";
import type { CommittedChange } from "../../../src/session/index.js";

const asText = (change: CommittedChange): string => JSON.stringify(change);

describe("a damaged file", () => {
  test("with any one bit flipped gives right data or less, never wrong data, and only typed errors", async () => {
    const good = await sampleFile();
    await withStore(async (store, dir) => {
      const sound = await reopen(store, dir, { id: SAMPLE_ID, bytes: good });
      const right = new Set(sound.changes.map(asText));
      expect(right.size).toBe(3);
      const lost: number[] = [];
      for (let bit = 0; bit < good.length * 8; bit += 1) {
        const bytes = Buffer.from(good);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const outcome = await reopen(store, dir, { id: SAMPLE_ID, bytes });
        if (!outcome.changes.every((change) => right.has(asText(change)))) expect.fail(`bit ${bit}: wrong data`);
        if (outcome.access !== "refused" && outcome.changes.length === 3) continue;
        lost.push(bit >> 3);
        if (outcome.access === "write" && outcome.changes.length < 3 && outcome.damaged === 0) expect.fail(`bit ${bit}: silent loss`);
      }
      // One header copy always survives one bit.
      expect(Math.min(...lost)).toBeGreaterThanOrEqual(256);
    });
  });

  test("read through every way of reading gives the same right data or a SessionStorageError", async () => {
    const good = await sampleFile();
    const random = seededRandom(1);
    await withStore(async (store, dir) => {
      for (let round = 0; round < 150; round += 1) {
        const bytes = Buffer.from(good);
        const at = 256 + Math.floor(random() * (good.length - 256));
        for (let index = at; index < Math.min(at + 32, bytes.length); index += 1) bytes[index] = Math.floor(random() * 256);
        await reopen(store, dir, { id: SAMPLE_ID, bytes });
        const opened = await store.open(SAMPLE_ID, "read");
        if (!opened.ok) continue;
        const reader = opened.value;
        await collect(reader.branch()).catch((error: unknown) => {
          expect(error).toMatchObject({ name: "SessionStorageError", diagnostic: { code: "session.branch-broken" } });
        });
        await collect(reader.scan(new Set(["assistant", "receipt"])));
        for await (const match of store.grep(/letter|content/)) expect(match).toBeDefined();
        expect(await collect(store.list())).toHaveLength(1);
        await reader.close();
      }
    });
  });
});
