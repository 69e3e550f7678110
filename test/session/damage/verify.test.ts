import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../../src/base/index.js";
import { BLOCK_BYTES } from "../../../src/session/codec/index.js";
import { imagePath, reopen, seededRandom } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { SAMPLE_ID, sampleFile } from "../support/sample.js";
import { created, withStore } from "../support/store.js";
import { verified } from "../maintenance/checks.js";
import { appendUnknownFrame, HistoryWriter } from "../maintenance/history.js";

async function verifiedBytes(id: SessionId, bytes: Buffer) {
  const directory = new MemoryDirectory();
  directory.put(imagePath(id), bytes);
  return verified(directory.store(), id);
}

const flip = (good: Buffer, bit: number): Buffer => {
  const bytes = Buffer.from(good);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes;
};

/** A file of several blocks with chunked and compressed payloads, unknown frames and an end in good order. */
async function longFile(): Promise<{ readonly id: SessionId; readonly bytes: Buffer }> {
  return withStore(async (store) => {
    const writer = await created(store);
    const history = new HistoryWriter(writer);
    let leaf;
    for (let turn = 0; turn < 5; turn += 1) leaf = (await history.turn(leaf, `turn ${turn}`, { big: turn % 2 === 0 })).leaf;
    await writer.close();
    await appendUnknownFrame(writer.path, "later");
    return { id: writer.id, bytes: await readFile(writer.path) };
  });
}

describe("verification", () => {
  test("finds nothing in a sound file and counts what is in it", async () => {
    const { id, bytes } = await longFile();
    const { findings, report } = await verifiedBytes(id, bytes);
    expect(findings).toEqual([]);
    expect(report).toMatchObject({ bytes: bytes.length, damage: 0, tailBytes: 0, unknownFrames: 1 });
    expect(report?.commits).toBeGreaterThan(30);
    expect(report?.entries).toBeGreaterThan(70);
  });

  test(
    "names every flipped bit by the bytes it is in, or what it does not name changes nothing that is read",
    { timeout: 60_000 },
    async () => {
      const good = await sampleFile("short");
      const right = JSON.stringify((await reopen({ id: SAMPLE_ID, bytes: good })).changes);
      let silent = 0;
      for (let bit = 0; bit < good.length * 8; bit += 1) {
        const bytes = flip(good, bit);
        const { damage, report } = await verifiedBytes(SAMPLE_ID, bytes);
        const at = bit >> 3;
        if (damage.some(({ offset, end }) => offset <= at && at < end)) continue;
        silent += 1;
        if (damage.length > 0) expect.fail(`bit ${bit} of byte ${at}: named elsewhere, ${JSON.stringify(damage)}`);
        // Behind the last change only: read as a torn end, which is no damage.
        expect(report?.tailBytes).toBeGreaterThan(0);
        expect(JSON.stringify((await reopen({ id: SAMPLE_ID, bytes })).changes)).toBe(right);
      }
      expect(silent).toBeLessThan(100 * 8);
    },
  );

  test("finds damage anywhere in a long file: tables, payloads, chunks, block headers, frames of later versions", async () => {
    const { id, bytes: good } = await longFile();
    const random = seededRandom(11);
    const places = Array.from({ length: 300 }, () => Math.floor(random() * good.length * 8));
    for (let block = BLOCK_BYTES; block < good.length; block += BLOCK_BYTES) places.push(block * 8 + 3, (block + 9) * 8, (block + 21) * 8);
    for (const bit of places) {
      const { damage, report } = await verifiedBytes(id, flip(good, bit));
      const at = bit >> 3;
      if (damage.some(({ offset, end }) => offset <= at && at < end)) continue;
      if (damage.length > 0 || (report?.tailBytes ?? 0) === 0) expect.fail(`bit ${bit} of byte ${at}: ${JSON.stringify(damage)}`);
    }
  });

  test("tells of a header both of whose copies are lost, and checks what follows it all the same", async () => {
    const { id, bytes } = await longFile();
    const headless = Buffer.from(bytes).fill(0, 0, 256);
    const { damage, report } = await verifiedBytes(id, headless);
    expect(damage.map(({ offset }) => offset)).toEqual([0, 128]);
    expect(report?.commits).toBeGreaterThan(30);
    expect((await verifiedBytes(id, Buffer.alloc(4096))).refused).toBe("session.unreadable");
    expect((await verifiedBytes(id, bytes.subarray(0, 200))).refused).toBe("session.unreadable");
  });

  test("of a file that is being written leaves what the writer appends out", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      const first = await history.turn(undefined, "first");
      const checking = verified(store, writer.id);
      await history.turn(first.leaf, "second");
      expect((await checking).findings).toEqual([]);
      await writer.close();
      expect((await verified(store, writer.id)).report).toMatchObject({ damage: 0, tailBytes: 0 });
    });
  });

  test("tells of an unknown session with a diagnostic", async () => {
    await withStore(async (store) => {
      expect((await verified(store, SAMPLE_ID)).refused).toBe("session.unknown");
    });
  });
});
