import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import { seqIds, user } from "../support/entries.js";
import { idsOf, imagePath, reopen, seededRandom } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { collect, created, openedReader, openedWriter, withStore } from "../support/store.js";

describe("acknowledged history", () => {
  test("is never truncated by a writer, whatever byte of it is damaged; what is lost is reported", async () => {
    const random = seededRandom(7);
    await withStore(async (store) => {
      const writer = await created(store);
      const ids = seqIds();
      const all: EntryId[] = [];
      for (let index = 0; index < 120; index += 1) {
        const entry = user(ids, String(random()).repeat(20 + Math.floor(random() * 60)));
        all.push(entry.id);
        await writer.commit({ entries: [entry], leaf: entry.id }).durable;
      }
      await writer.close();
      const good = await readFile(writer.path);
      for (let round = 0; round < 250; round += 1) {
        const bytes = Buffer.from(good);
        const at = 256 + Math.floor(random() * (good.length - 400));
        if (round % 2 === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
        else bytes.fill(0xa5, at, at + 32);
        const directory = new MemoryDirectory();
        const outcome = await reopen({ id: writer.id, bytes }, directory);
        expect(outcome.access).not.toBe("refused");
        const after = directory.get(imagePath(writer.id));
        expect(after.subarray(0, good.length).equals(bytes)).toBe(true);
        const found = new Set(idsOf(outcome.changes));
        if (found.size < all.length) expect(outcome.damaged).toBeGreaterThan(0);
        // One bad spot costs its commit, or at most what starts in the rest of its block.
        expect(all.length - found.size).toBeLessThan(80);
        const rest = all.filter((id) => found.has(id));
        expect([...found]).toEqual(rest);
      }
    });
  });

  test("keeps its writer out when the newest acknowledged change is damaged", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const [first, second] = [user(ids, "first"), user(ids, "second and last")];
      await writer.commit({ entries: [first], leaf: first.id }).durable;
      await writer.commit({ entries: [second], leaf: second.id }).durable;
      await writer.close();
      const bytes = await readFile(writer.path);
      const frame = bytes.lastIndexOf(Buffer.from("SmF\u0001"), bytes.indexOf("second and last"));
      bytes[frame + 40] = 0xee;
      await writeFile(writer.path, bytes);
      const opened = await store.open(writer.id, "write");
      if (!opened.ok) throw new Error(opened.error.what);
      expect(opened.value.access).toBe("read");
      expect(opened.value.owner).toBeUndefined();
      expect(opened.value.damage?.()).toMatchObject([{ code: "session.damaged" }]);
      expect(idsOf(await collect(opened.value.changes()))).toEqual([first.id]);
      await opened.value.close();
      expect(await readFile(writer.path)).toEqual(bytes);
      expect(await collect(store.list())).toMatchObject([{ state: "damaged" }]);
    });
  });

  test("does not mistake a copy of the file inside a payload for frames, cut or smashed anywhere", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const first = user(ids, "the first prompt");
      await writer.commit({ entries: [first], leaf: first.id }).durable;
      const copy = await readFile(writer.path);
      const text = copy.toString("latin1");
      const nested = [user(ids, text.repeat(3)), user(ids, text.repeat(400))];
      for (const entry of nested)
        await writer.commit({
          entries: [entry, { ...user(ids, ""), images: [{ mediaType: "image/png", base64: copy.toString("base64") }] }],
        }).durable;
      await writer.close();
      const good = await readFile(writer.path);
      const known = new Set(idsOf((await reopen({ id: writer.id, bytes: good })).changes));
      expect(known.size).toBe(5);
      const random = seededRandom(3);
      for (let round = 0; round < 200; round += 1) {
        const bytes = Buffer.from(good.subarray(0, round % 2 === 0 ? good.length : 600 + Math.floor(random() * (good.length - 600))));
        const at = 256 + Math.floor(random() * (bytes.length - 300));
        bytes.fill(0, at, at + 32);
        const outcome = await reopen({ id: writer.id, bytes });
        const found = idsOf(outcome.changes);
        expect(found.every((id) => known.has(id))).toBe(true);
        expect(new Set(found).size).toBe(found.length);
      }
    });
  });

  test("with frames and features of later versions is read, and written only where nothing unknown must be understood", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const entry = user(ids, "hello");
      await writer.commit({ entries: [entry], leaf: entry.id }).durable;
      await writer.close();
      const { crc32 } = await import("../../../src/session/bytes/index.js");
      const { putFrameHeader } = await import("../../../src/session/codec/index.js");
      const sound = await readFile(writer.path);
      const frameOf = (flags: number): Buffer => {
        const body = Buffer.from("from the future");
        const bytes = Buffer.concat([Buffer.alloc(32), body]);
        const fields = { type: 77, flags, bodyLen: body.length, tableLen: body.length, tableCrc: crc32(body, 0, body.length), seq: 0 };
        putFrameHeader(bytes, 0, fields, { offset: sound.length - 256, seed: sound.readUInt32LE(40) });
        return bytes;
      };
      const tolerant = Buffer.concat([sound, frameOf(0)]);
      await writeFile(writer.path, tolerant);
      const again = await openedWriter(store, writer.id);
      const more = user(ids, "more");
      await again.commit({ entries: [more], leaf: more.id }).durable;
      await again.close();
      expect((await readFile(writer.path)).subarray(0, tolerant.length)).toEqual(tolerant);
      await writeFile(writer.path, Buffer.concat([sound, frameOf(0x8000)]));
      expect(await store.open(writer.id, "write")).toMatchObject({ ok: true, value: { access: "read" } });
      const feature = Buffer.from(sound);
      for (const copy of [0, 128]) {
        feature.writeUInt32LE(4, copy + 60);
        feature.writeUInt32LE(crc32(feature, copy, copy + 124), copy + 124);
      }
      await writeFile(writer.path, feature);
      expect(await store.open(writer.id, "write")).toMatchObject({ ok: true, value: { access: "read" } });
      const reader = await openedReader(store, writer.id);
      expect(idsOf(await collect(reader.changes()))).toEqual([entry.id]);
      await reader.close();
      // What is copied would say that nothing unknown is in it.
      expect(await store.fork(writer.id)).toMatchObject({ ok: false, error: { code: "session.fork-unsupported" } });
      expect(await store.repair(writer.id)).toMatchObject({ ok: false, error: { code: "session.repair-unsupported" } });
      for (const copy of [0, 128]) {
        feature.writeUInt16LE(2, copy + 8);
        feature.writeUInt32LE(crc32(feature, copy, copy + 124), copy + 124);
      }
      await writeFile(writer.path, feature);
      expect(await store.open(writer.id, "read")).toMatchObject({ ok: false, error: { code: "session.unsupported" } });
    });
  });
});
