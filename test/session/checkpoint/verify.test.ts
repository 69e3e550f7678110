import { describe, expect, test } from "vitest";
import type { SubmissionId, WorkId } from "../../../src/base/index.js";
import { crc32 } from "../../../src/session/bytes/index.js";
import { FRAME, FRAME_HEADER_BYTES, logicalSize, putFrameHeader } from "../../../src/session/codec/index.js";
import { verified } from "../maintenance/checks.js";
import { ask, sample } from "../support/answers.js";
import { BUILT_ID, FileBuilder } from "../support/build.js";
import { seqIds, user } from "../support/entries.js";
import { imagePath } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { workEntries } from "../support/work-entries.js";

const PRELUDE = 32;
const ID_ITEM = 24;
const sound = sample([4]);
const { from } = sound.checkpoints[0] ?? { from: 0 };

/** The sample with another body in its checkpoint, which is its last frame; every checksum holds. */
function withBody(body: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), body]);
  const fields = { type: FRAME.checkpoint, flags: 0, bodyLen: body.length, tableLen: body.length, tableCrc: crc32(body, 0, body.length) };
  const seq = Number(sound.bytes.readBigUInt64LE(from + 16));
  putFrameHeader(frame, 0, { ...fields, seq }, { offset: logicalSize(from), seed: sound.bytes.readUInt32LE(40) });
  return Buffer.concat([sound.bytes.subarray(0, from), frame]);
}

function edited(edit: (body: Buffer) => Buffer | undefined): Buffer {
  const body = Buffer.from(sound.bytes.subarray(from + FRAME_HEADER_BYTES));
  return withBody(edit(body) ?? body);
}

const keysAt = (body: Buffer): number => PRELUDE + ID_ITEM * body.readUInt32LE(4);

const CASES: readonly (readonly [name: string, what: RegExp, bytes: Buffer])[] = [
  [
    "another number of turns",
    /live state/u,
    edited((body) => {
      const at = body.indexOf("turns") + 5;
      body.writeUInt8(body.readUInt8(at) + 1, at);
      return undefined;
    }),
  ],
  [
    "an entry less",
    /every entry/u,
    edited((body) => {
      body.writeUInt32LE(body.readUInt32LE(4) - 1, 4);
      return Buffer.concat([body.subarray(0, PRELUDE), body.subarray(PRELUDE + ID_ITEM)]);
    }),
  ],
  [
    "a key less",
    /deduplication keys/u,
    edited((body) => {
      const at = keysAt(body);
      body.writeUInt32LE(body.readUInt32LE(16) - 1, 16);
      return Buffer.concat([body.subarray(0, at), body.subarray(at + 16)]);
    }),
  ],
  [
    "another hash of a key",
    /deduplication keys/u,
    edited((body) => {
      const at = keysAt(body);
      body.writeUInt8(body.readUInt8(at + 7) ^ 1, at + 7);
      return undefined;
    }),
  ],
];

async function checkedAndRepaired(bytes: Buffer) {
  const directory = new MemoryDirectory();
  directory.put(imagePath(BUILT_ID), bytes);
  const store = directory.store();
  const before = await verified(store, BUILT_ID);
  const report = await store.repair(BUILT_ID);
  return { before, report, after: await verified(store, BUILT_ID), bytes: directory.get(imagePath(BUILT_ID)) };
}

describe("a checkpoint whose checksums hold", () => {
  test("is sound when it says what the changes before it say", async () => {
    for (const after of [[4], [0, 1, 2, 3, 4], [1, 3]]) {
      const { before } = await checkedAndRepaired(sample(after, [], "acknowledged").bytes);
      expect([after, before.damage]).toEqual([after, []]);
    }
  });

  test.each(CASES)("is damage with %s, and a repair makes it right without losing anything", async (_name, what, bytes) => {
    const { before, report, after, bytes: repaired } = await checkedAndRepaired(bytes);
    expect(before.damage).toHaveLength(1);
    expect(before.damage[0]?.what).toMatch(what);
    expect(report).toMatchObject({ ok: true, value: { lost: [] } });
    expect(after.damage).toEqual([]);
    expect(await ask(repaired, sound.ids)).toEqual(await ask(sound.bytes, sound.ids));
  });
});

describe("a change of which a record is damaged", () => {
  test("is no transition: nothing of its queue, work, receipts and state is live, the same before and after a repair", async () => {
    const ids = seqIds();
    const make = workEntries(ids);
    const [work, submission] = [ids.next<WorkId>(), ids.next<SubmissionId>()];
    const builder = new FileBuilder();
    builder.commit([make.submission(submission, work, "key"), make.work(work, "running"), make.put("mode", "old", { work })]);
    builder.commit([
      make.put("mode", "a value to be damaged"),
      make.receipt(submission, work),
      make.work(work, "settled"),
      user(ids, "kept"),
    ]);
    builder.commit([user(ids, "later")]);
    builder.frame(FRAME.ack, 3, new Uint8Array(0));
    const bytes = builder.bytes();
    bytes.write("A", bytes.indexOf("a value to be damaged"));
    const { before, bytes: repaired } = await checkedAndRepaired(bytes);
    expect(before.damage.length).toBeGreaterThan(0);
    for (const image of [bytes, repaired]) {
      const { reader, writer } = await ask(image, []);
      for (const { live } of [reader, writer]) {
        expect([...live.works.keys()]).toEqual([work]);
        expect([...live.submissions.keys()]).toEqual([submission]);
        expect([...live.states.values()]).toMatchObject([{ key: "mode", work }]);
        expect(live.turns).toBe(2);
      }
    }
  });
});
