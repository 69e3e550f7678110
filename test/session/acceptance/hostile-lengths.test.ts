import { deflateRawSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { decoded, strangersReading, storesReading } from "../independent/agreement.js";
import { crc32 } from "../independent/crc32.mjs";
import type { DecodedSession } from "../independent/decoder.mjs";
import { ID, noise, packable, written } from "../independent/files.js";
import { frameAt, resealed, withFrames } from "../independent/frames.js";
import { seqIds, user } from "../support/entries.js";
import { imagePath } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { collect } from "../support/store.js";

const MIB = 1024 * 1024;
const HUGE = 0xffff_ffff;

const ids = seqIds();
const sound = user(ids, "sound");
const carrier: Entry = {
  type: "effect-intent",
  id: ids.next<EntryId>(),
  time: 1_700_000_000_300,
  effect: ids.next(),
  cause: ids.next(),
  operation: "fs.read",
  plugin: "p",
  generation: 1,
  input: noise(600, 4),
};
/** Long enough to be packed, and long enough to be chunked. */
const packed = user(ids, packable(8000));
const chunked = user(ids, packable(80_000));
const last = user(ids, "last");

let file: Buffer;
let session: DecodedSession;

beforeAll(async () => {
  file = await written([[[sound], [carrier], [packed], [chunked], [last]]]);
  session = decoded(file);
  expect(session.commits).toHaveLength(5);
  expect(file.length).toBeLessThan(65_536);
});

/** The commit of that seq, with its body changed; everything checks out but what it says. */
const commit = (seq: number, body: (body: Buffer) => void): Buffer => {
  const found = session.commits[seq - 1];
  if (found === undefined) throw new Error("no such commit");
  return resealed(file, session.header.seed, found, { body });
};
const header = (seq: number, edit: (header: Buffer) => void): Buffer => {
  const found = session.commits[seq - 1];
  if (found === undefined) throw new Error("no such commit");
  return resealed(file, session.header.seed, found, { header: edit });
};
const RECORD = 64;
/** The one descriptor of a commit with one record. */
const DESCRIPTOR = RECORD + 96;
const PAYLOAD = DESCRIPTOR + 32;
const withPayload =
  (bytes: Uint8Array, descriptor: (body: Buffer) => void = () => undefined) =>
  (body: Buffer): void => {
    const stored = body.readUInt32LE(DESCRIPTOR + 4);
    const filled = Buffer.alloc(stored);
    filled.set(bytes);
    body.set(filled, PAYLOAD);
    body.writeUInt32LE(crc32(filled), DESCRIPTOR + 12);
    descriptor(body);
  };
const summary = (body: Uint8Array): Buffer =>
  withFrames(file, session.boundary, [(offset) => frameAt(offset, session.header.seed, { type: 5, seq: 5, body })]);
const checkpoint = (body: Uint8Array): Buffer =>
  withFrames(file, session.boundary, [(offset) => frameAt(offset, session.header.seed, { type: 3, seq: 5, body })]);
const words = (...values: readonly number[]): Buffer => {
  const body = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => body.writeUInt32LE(value, index * 4));
  return body;
};
const hex = (text: string): Buffer => Buffer.from(text, "hex");

const cases: readonly (readonly [string, () => Buffer])[] = [
  ["a frame of 4 GiB", () => header(2, (bytes) => bytes.writeUInt32LE(HUGE, 4))],
  ["a frame of 4 MiB in a small file", () => header(2, (bytes) => bytes.writeUInt32LE(4 * MIB, 4))],
  ["a table of 4 GiB", () => header(2, (bytes) => bytes.writeUInt32LE(HUGE, 24))],
  ["4 billion records", () => commit(2, (body) => body.writeUInt32LE(HUGE, 40))],
  ["no record", () => commit(2, (body) => body.writeUInt32LE(0, 40))],
  ["4 billion descriptors", () => commit(2, (body) => body.writeUInt32LE(HUGE, 44))],
  ["a record with more descriptors than there are", () => commit(2, (body) => body.writeUInt16LE(65_535, 64 + 78))],
  ["a record whose descriptors begin far behind the table", () => commit(2, (body) => body.writeUInt32LE(HUGE, 64 + 80))],
  ["4 GiB stored inline", () => commit(2, (body) => body.writeUInt32LE(HUGE, DESCRIPTOR + 4))],
  ["4 GiB unpacked", () => commit(3, (body) => body.writeUInt32LE(HUGE, DESCRIPTOR + 8))],
  ["64 KiB unpacked of less", () => commit(3, (body) => body.writeUInt32LE(65_536, DESCRIPTOR + 8))],
  ["a payload that begins behind the body", () => commit(2, (body) => body.writeUInt32LE(HUGE, DESCRIPTOR + 16))],
  ["4 billion chunks", () => commit(4, (body) => body.writeUInt32LE(HUGE, DESCRIPTOR + 4))],
  [
    "96 MiB in chunks that are not there",
    () =>
      commit(4, (body) => {
        body.writeUInt32LE(1536, DESCRIPTOR + 4);
        body.writeUInt32LE(96 * MIB, DESCRIPTOR + 8);
      }),
  ],
  [
    "4 GiB in chunks",
    () =>
      commit(4, (body) => {
        body.writeUInt32LE(65_536, DESCRIPTOR + 4);
        body.writeUInt32LE(HUGE, DESCRIPTOR + 8);
      }),
  ],
  ["a first chunk before the beginning", () => commit(4, (body) => body.writeUInt32LE(HUGE, 24))],
  [
    "a DEFLATE payload of 64 MiB that claims 64 KiB",
    () =>
      commit(
        2,
        withPayload(deflateRawSync(Buffer.alloc(8 * MIB)).subarray(0, 600), (body) => {
          body.writeUInt8(2, DESCRIPTOR + 3);
          body.writeUInt32LE(65_536, DESCRIPTOR + 8);
        }),
      ),
  ],
  [
    "an LZ4 payload of lengths only",
    () =>
      commit(
        2,
        withPayload(Buffer.alloc(600, 0xff), (body) => {
          body.writeUInt8(1, DESCRIPTOR + 3);
          body.writeUInt32LE(65_536, DESCRIPTOR + 8);
        }),
      ),
  ],
  ["a parent 2^64-1 bytes before it", () => commit(2, (body) => body.fill(0xff, RECORD + 88, RECORD + 96))],
  ["a record made 2^64-1 ms after 1970", () => commit(2, (body) => body.fill(0xff, RECORD + 64, RECORD + 72))],
  ["a checkpoint before the beginning", () => commit(2, (body) => body.writeUInt32LE(HUGE, 32))],
  ["a list of 2^53-1 items", () => commit(2, withPayload(hex("9b001fffffffffffff")))],
  ["a list of 4 billion items", () => commit(2, withPayload(hex("9affffffff")))],
  ["a map of 4 billion fields", () => commit(2, withPayload(hex("baffffffff")))],
  ["an ordered map of 4 billion fields", () => commit(2, withPayload(hex("d9534d9affffffff")))],
  ["a text of 4 GiB", () => commit(2, withPayload(hex("7affffffff")))],
  ["a byte string of 2^63 bytes", () => commit(2, withPayload(hex("5b7fffffffffffffff")))],
  ["600 lists in each other", () => commit(2, withPayload(Buffer.alloc(600, 0x81)))],
  ["a list without an end", () => commit(2, withPayload(Buffer.alloc(600, 0x9f)))],
  ["a summary of 4 billion fields", () => summary(hex("baffffffff"))],
  ["a summary of 600 lists in each other", () => summary(Buffer.alloc(600, 0x81))],
  ["a checkpoint of 4 billion ids", () => checkpoint(words(1, HUGE, 0, 0, 0, 0, 0, 0))],
  ["a checkpoint of 4 billion keys", () => checkpoint(words(1, 0, 0, 0, HUGE, 0, 0, 0))],
  ["a checkpoint with 4 GiB of state", () => checkpoint(words(1, 0, 0, 0, 0, HUGE, 0, 0))],
  [
    "a checkpoint with a map of 4 billion fields for state",
    () => checkpoint(Buffer.concat([words(1, 0, 0, 0, 0, 5, 0, 0), hex("baffffffff")])),
  ],
];

describe("lengths that lie although every checksum holds", () => {
  let largest = 0;

  beforeEach(() => {
    largest = 0;
    for (const name of ["alloc", "allocUnsafe", "allocUnsafeSlow"] as const) {
      const real = Buffer[name].bind(Buffer);
      vi.spyOn(Buffer, name).mockImplementation((size: number) => {
        largest = Math.max(largest, size);
        return real(size);
      });
    }
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each(cases)("%s: nothing of that size is taken, what is sound is read, only typed errors come out", async (_name, make) => {
    const bytes = make();
    const before = process.memoryUsage.rss();
    const reading = await storesReading(ID, bytes);
    expect(reading).toEqual(strangersReading(bytes));
    const seqs = reading?.seqs ?? [];
    expect(reading?.changes.map((change) => change.entries[0]?.id)).toEqual(
      seqs.map((seq) => [sound, carrier, packed, chunked, last][seq - 1]?.id),
    );
    expect(seqs).toContain(1);

    const directory = new MemoryDirectory();
    directory.put(imagePath(ID), bytes);
    const store = directory.store();
    expect(await collect(store.list())).toHaveLength(1);
    await collect(store.grep(/sound/u));
    const opened = await store.open(ID, "read");
    if (!opened.ok) throw new Error(opened.error.what);
    const reader = opened.value;
    expect(await reader.get(sound.id)).toEqual(sound);
    await reader.live();
    await collect(reader.scan(new Set(["user-message", "effect-intent"])));
    await collect(reader.branch()).catch((error: unknown) => expect(error).toMatchObject({ name: "SessionStorageError" }));
    await reader.close();
    expect(directory.get(imagePath(ID)).equals(bytes)).toBe(true);

    // The largest payload the format allows is the most that one length may ask for.
    expect(largest).toBeLessThanOrEqual(96 * MIB);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MIB);
  });
});
