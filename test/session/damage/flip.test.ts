import { describe, expect, test } from "vitest";
import { imagePath, reopen, seededRandom } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { SAMPLE_ID, sampleFile } from "../support/sample.js";
import { collect } from "../support/store.js";
import type { Entry } from "../../../src/schema/index.js";
import type { CommittedChange } from "../../../src/session/index.js";

const asText = (change: CommittedChange): string => JSON.stringify(change);

describe("a damaged file", () => {
  test("with any one bit flipped gives right data or less, never wrong data, and only typed errors", { timeout: 30_000 }, async () => {
    const good = await sampleFile("short");
    const right = new Set((await reopen({ id: SAMPLE_ID, bytes: good })).changes.map(asText));
    expect(right.size).toBe(2);
    const lost: number[] = [];
    for (let bit = 0; bit < good.length * 8; bit += 1) {
      const bytes = Buffer.from(good);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const outcome = await reopen({ id: SAMPLE_ID, bytes });
      if (!outcome.changes.every((change) => right.has(asText(change)))) expect.fail(`bit ${bit}: wrong data`);
      if (outcome.access !== "refused" && outcome.changes.length === right.size) continue;
      lost.push(bit >> 3);
      if (outcome.damaged === 0) expect.fail(`bit ${bit}: silent loss`);
    }
    // One header copy always survives one bit.
    expect(Math.min(...lost)).toBeGreaterThanOrEqual(256);
  });

  test("read through every way of reading gives right data or a SessionStorageError", async () => {
    const good = await sampleFile();
    const right = new Set(
      (await reopen({ id: SAMPLE_ID, bytes: good })).changes.flatMap((change) => change.entries.map((entry) => JSON.stringify(entry))),
    );
    const ids = new Set([...right].map((line) => (JSON.parse(line) as Entry).id));
    const random = seededRandom(1);
    for (let round = 0; round < 400; round += 1) {
      const bytes = Buffer.from(good);
      const at = 256 + Math.floor(random() * (good.length - 256));
      for (let index = at; index < Math.min(at + 32, bytes.length); index += 1) bytes[index] = Math.floor(random() * 256);
      const directory = new MemoryDirectory();
      directory.put(imagePath(SAMPLE_ID), bytes);
      const store = directory.store();
      const opened = await store.open(SAMPLE_ID, "read");
      if (!opened.ok) throw new Error(opened.error.what);
      const reader = opened.value;
      const branch = await collect(reader.branch()).catch((error: unknown) => {
        expect(error).toMatchObject({ name: "SessionStorageError", diagnostic: { code: "session.branch-broken" } });
        return [];
      });
      const scanned = await collect(reader.scan(new Set(["assistant", "receipt"])));
      const lost = branch.filter((entry) => entry.type === "lost");
      for (const entry of lost) expect([ids.has(entry.id), entry]).toMatchObject([true, { unrepaired: true }]);
      for (const entry of [...branch.filter(({ type }) => type !== "lost"), ...scanned])
        if (!right.has(JSON.stringify(entry))) expect.fail(`round ${round}: wrong data`);
      for await (const found of store.grep(/letter|content/)) if ("line" in found) expect(found.text).toMatch(/letter|content/);
      expect(await collect(store.list())).toHaveLength(1);
      await reader.close();
      expect(directory.get(imagePath(SAMPLE_ID)).equals(bytes)).toBe(true);
    }
  });
});
