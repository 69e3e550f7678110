import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { crc32 } from "../../../src/session/bytes/index.js";
import { encodeCheckpoint, FRAME, FRAME_HEADER_BYTES, logicalSize, putFrameHeader } from "../../../src/session/codec/index.js";
import { encodeFold, LiveFold } from "../../../src/session/live/index.js";
import { ask, sample } from "../support/answers.js";
import { BUILT_ID } from "../support/build.js";
import { seqIds, user } from "../support/entries.js";
import { reopen } from "../support/images.js";

const plain = sample([]);
const right = await ask(plain.bytes, plain.ids);
const few = (ids: readonly EntryId[]): readonly EntryId[] => ids.filter((_, index) => index % 5 === 0);
const rightFew = await ask(plain.bytes, few(plain.ids));

/** Where checkpoints follow: nowhere, at the very end, in the middle, everywhere. */
const PLACES = [[], [4], [0], [0, 1, 2, 3, 4], [1, 3]];

function flipped(bytes: Buffer, at: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << (at & 7));
  return damaged;
}

describe("checkpoints", () => {
  test("are a help only: reader and writer say the same of a file with and without them", async () => {
    expect(right.writer).toEqual(right.reader);
    expect(right.reader).toMatchObject({ live: { name: "named", turns: 2 }, state: { value: { n: 2 } } });
    expect(right.reader.admissions.filter((id) => id !== undefined)).toHaveLength(2);
    expect(right.reader.found).toEqual([...plain.ids, undefined]);
    expect([...right.reader.live.works.values()]).toMatchObject([{ state: "created" }]);
    for (const after of PLACES) {
      const { bytes, ids, checkpoints } = sample(after);
      expect(checkpoints).toHaveLength(after.length);
      expect(await ask(bytes, ids)).toEqual(right);
    }
  });

  test.each([[[4]], [[1, 3]]])("with any byte of them flipped give the same answers: after %j", { timeout: 60_000 }, async (after) => {
    const { bytes, ids, checkpoints } = sample(after);
    for (const { from, to } of checkpoints) {
      const isLast = to === bytes.length;
      for (let at = isLast ? from : from + FRAME_HEADER_BYTES; at < to; at += 1) {
        const answers = await ask(flipped(bytes, at), few(ids));
        try {
          expect(answers).toEqual(rightFew);
        } catch (error) {
          expect.fail(`byte ${at - from} of the checkpoint at ${from}: ${String(error)}`);
        }
      }
    }
  });

  test("with a bad frame header cost what every frame's header costs, the rest of the block, and that is told", async () => {
    const { bytes, checkpoints } = sample([1, 3], [], "acknowledged");
    for (const { from } of checkpoints) {
      for (let at = from; at < from + FRAME_HEADER_BYTES; at += 1) {
        const outcome = await reopen({ id: BUILT_ID, bytes: flipped(bytes, at) });
        expect([at - from, outcome.access, outcome.damaged]).toEqual([at - from, "read", 1]);
      }
    }
  });

  test("that are all damaged hide nothing", async () => {
    const { bytes, ids, checkpoints } = sample([0, 1, 2, 3, 4]);
    for (const { from } of checkpoints) bytes.fill(0xa5, from + 32, from + 64);
    expect(await ask(bytes, ids)).toEqual(right);
  });

  test("torn at any byte leave the changes before them as they are", { timeout: 60_000 }, async () => {
    const { bytes, ids, checkpoints } = sample([2, 4]);
    const { from, to } = checkpoints[1] ?? { from: 0, to: 0 };
    expect(to).toBe(bytes.length);
    for (let size = from; size < to; size += 1) {
      const answers = await ask(bytes.subarray(0, size), few(ids));
      try {
        expect(answers).toEqual(rightFew);
      } catch (error) {
        expect.fail(`cut after ${size - from} bytes of the checkpoint: ${String(error)}`);
      }
    }
  });

  test("of a later version, of a wrong order or with distances out of the file are passed over", async () => {
    const { bytes, ids, checkpoints } = sample([1, 3]);
    const { from, to } = checkpoints[1] ?? { from: 0, to: 0 };
    const body = from + 32;
    const seed = bytes.readUInt32LE(40);
    const changes: readonly (readonly [string, (damaged: Buffer) => void])[] = [
      ["version", (damaged) => damaged.writeUInt32LE(2, body)],
      ["ids out of order", (damaged) => damaged.fill(0xff, body + 32, body + 48)],
      ["distance beyond the beginning", (damaged) => damaged.writeUInt32LE(0x7fff_ffff, body + 48)],
      ["distance 0", (damaged) => damaged.writeUInt32LE(0, body + 48)],
      ["more ids than there are", (damaged) => damaged.writeUInt32LE(200_000, body + 4)],
      ["previous beyond the beginning", (damaged) => damaged.writeUInt32LE(0x7fff_ffff, body + 8)],
      ["live state that is none", (damaged) => damaged.fill(0xff, to - 20, to)],
    ];
    for (const [name, change] of changes) {
      const damaged = Buffer.from(bytes);
      change(damaged);
      damaged.writeUInt32LE(crc32(damaged, body, to), from + 12);
      damaged.writeUInt32LE(crc32(damaged, from, from + 28, (seed ^ logicalSize(from)) >>> 0), from + 28);
      expect([name, await ask(damaged, ids)]).toEqual([name, right]);
    }
  });
});

describe("checkpoint-shaped bytes in payloads", () => {
  const image = (content: Uint8Array): Entry => ({
    ...user(seqIds(1_700_000_900_000), ""),
    source: "notice",
    images: [{ mediaType: "image/png", base64: Buffer.from(content).toString("base64") }],
  });

  test("are inert: a copy of a real checkpoint of the same file", async () => {
    const { bytes, checkpoints } = sample([1, 3]);
    const copies = checkpoints.map(({ from, to }) => image(bytes.subarray(from, to)));
    const nested = sample([2], copies);
    expect(nested.bytes.indexOf(bytes.subarray(checkpoints[0]?.from, checkpoints[0]?.to))).toBeGreaterThan(0);
    const answers = await ask(nested.bytes, nested.ids);
    expect(answers.reader).toEqual(right.reader);
    expect(answers.writer).toEqual(right.writer);
  });

  test("are inert even when they validate at exactly their place", async () => {
    const fold = new LiveFold();
    fold.advance(14);
    const none = new Uint8Array(0);
    const body = encodeCheckpoint({ ids: none, keys: none, state: encodeFold(fold), previousBack: 0, restBack: 0 });
    const forged = Buffer.concat([Buffer.alloc(32, 0xee), body]);
    const { bytes } = sample([1], [image(forged)]);
    const at = bytes.indexOf(forged);
    const fields = { type: FRAME.checkpoint, flags: 0, bodyLen: body.length, tableLen: body.length, tableCrc: crc32(body, 0, body.length) };
    putFrameHeader(forged, 0, { ...fields, seq: 1 }, { offset: logicalSize(at), seed: bytes.readUInt32LE(40) });
    const { bytes: nested, ids } = sample([1], [image(forged)]);
    expect(nested.indexOf(forged)).toBe(at);
    expect(await ask(nested, ids)).toEqual(right);
  });
});
