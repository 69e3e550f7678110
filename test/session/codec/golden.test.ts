import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ByteRun, crc32 } from "../../../src/session/bytes/index.js";
import type { RecordDraft } from "../../../src/session/codec/index.js";
import {
  CommitEncoder,
  decodeFileHeader,
  draftOf,
  encodeFileHeader,
  encodeSummary,
  FRAME,
  getBlockHeader,
  getFrame,
  putBlockHeader,
  putFrameHeader,
  sealCommit,
} from "../../../src/session/codec/index.js";
import type { SessionId } from "../../../src/base/index.js";
import { CheckpointLog, decodeFold, type LiveState } from "../../../src/session/live/index.js";
import { everyEntry, laterEntries, newestEntries, pluginEntries, pricedEntries, seqIds, user } from "../support/entries.js";
import { sampleFile } from "../support/sample.js";

/** Hex dumps are kept in files of 32 bytes a line, so that a change shows where it is. */
const golden = (name: string): string => readFileSync(new URL(`../golden/${name}.hex`, import.meta.url), "utf8").replaceAll(/\s/gu, "");

const seed = 0x01020304;

function frame(type: number, body: Buffer, fields: { readonly seq: number; readonly flags?: number }): string {
  const bytes = Buffer.concat([Buffer.alloc(32), body]);
  const { seq, flags = 0 } = fields;
  putFrameHeader(
    bytes,
    0,
    { type, flags, bodyLen: body.length, tableLen: body.length, tableCrc: crc32(body, 0, body.length), seq },
    { offset: 1000, seed },
  );
  expect(getFrame(bytes, 0, { offset: 1000, seed })).toMatchObject({
    type,
    flags,
    seq,
    bodyLen: body.length,
    offset: 1000,
    end: 1032 + body.length,
  });
  return bytes.toString("hex");
}

function commit(drafts: readonly RecordDraft[], checkpoint?: number): string {
  const run = new ByteRun(1024);
  const place = { seq: 2, time: 1_700_000_000_500, base: 1000, seed, previous: 500, checkpoint, leaf: drafts[0]?.id, locate: () => 500 };
  const frames = new CommitEncoder().append(run, drafts, place);
  for (const placed of frames) if (placed.seq > 0) sealCommit(run, placed, { base: 1000, seed, durableSeq: 1 });
  return run.bytes.toString("hex", 0, run.length);
}

describe("golden bytes", () => {
  test("file header: two identical copies of 128 bytes", () => {
    const id = "0190a0a0-0000-7000-8000-000000000001" as SessionId;
    const generation = Uint8Array.from({ length: 16 }, (_, index) => index + 1);
    const bytes = encodeFileHeader({ id, createdAt: 1_700_000_000_000, generation, epoch: 0 });
    expect(bytes.toString("hex")).toBe(golden("file-header"));
    expect(decodeFileHeader(bytes)).toMatchObject({ type: "sound", seed: 0x04030201, mirrored: true, header: { id, epoch: 0 } });
  });

  test("block header", () => {
    const bytes = Buffer.alloc(32);
    const header = { block: 3, frame: 130_000, firstFrame: 77, lastSeq: 41 };
    putBlockHeader(bytes, 0, header, seed);
    expect(bytes.toString("hex")).toBe("536d426b03000000d0fb0100000000004d0000002900000000000000cb1a22e8");
    expect(getBlockHeader(bytes, 0, 3, seed)).toEqual(header);
    expect(getBlockHeader(bytes, 0, 4, seed)).toBeUndefined();
    expect(getBlockHeader(bytes, 0, 3, seed + 1)).toBeUndefined();
  });

  test.each([
    ["ack", FRAME.ack, Buffer.alloc(0)],
    ["close", FRAME.close, Buffer.alloc(0)],
    ["summary", FRAME.summary, encodeSummary({ name: "n", cwd: "/w", model: "p/m", turns: 2, firstPrompt: "hi", lastText: "ho" })],
    ["checkpoint", FRAME.checkpoint, Buffer.alloc(32, 1)],
    ["gap", FRAME.gap, Buffer.from("05000000000000000600000000000000", "hex")],
  ] as const)("frame %s", (name, type, body) => {
    expect(frame(type, body, { seq: 7 })).toBe(golden(`frame-${name}`));
  });

  test("frame commit: one record of every kind", () => {
    expect(commit(everyEntry(seqIds()).map((entry) => draftOf(entry)))).toBe(golden("frame-commit"));
  });

  test("frame commit: one record of every later kind, behind a checkpoint", () => {
    const drafts = laterEntries(seqIds()).map((entry) => draftOf(entry));
    expect(commit(drafts, 700)).toBe(golden("frame-commit-later"));
  });

  test("frame commit: what a repair puts where an entry was", () => {
    expect(commit(newestEntries(seqIds()).map((entry) => draftOf(entry)))).toBe(golden("frame-commit-lost"));
  });

  test("frame commit: what plugins add", () => {
    expect(commit(pluginEntries(seqIds()).map((entry) => draftOf(entry)))).toBe(golden("frame-commit-plugins"));
  });

  test("frame commit: what providers add", () => {
    expect(commit(pricedEntries(seqIds()).map((entry) => draftOf(entry)))).toBe(golden("frame-commit-priced"));
  });

  test("frame checkpoint: ids and keys of two commits and the live state after them", () => {
    const ids = seqIds();
    const log = new CheckpointLog();
    [everyEntry(ids), laterEntries(ids)].forEach((entries, index) => {
      const records = Buffer.alloc(96 * entries.length);
      entries.forEach((entry, place) => records.write(entry.id.replaceAll("-", ""), place * 96, "hex"));
      log.add({ seq: index + 1, offset: 100 + 400 * index, records, count: entries.length }, entries);
    });
    const taken = log.take(1000);
    expect(taken?.seq).toBe(2);
    expect(frame(FRAME.checkpoint, taken?.body ?? Buffer.alloc(0), { seq: 2 })).toBe(golden("frame-checkpoint-index"));
  });

  test("frame checkpoint of the version before: everything but what was used is read as it was", () => {
    const liveOf = (name: string): LiveState | undefined => {
      const body = Buffer.from(golden(name), "hex").subarray(32);
      return decodeFold(body.subarray(body.length - body.readUInt32LE(20)))?.state();
    };
    const [old, now] = [liveOf("frame-checkpoint-index-1"), liveOf("frame-checkpoint-index")];
    expect(now?.spend).toEqual({ usage: { inputTokens: 10, outputTokens: 0 }, unpriced: 1 });
    const { spend: _, ...rest } = now ?? {};
    expect(old).toEqual(rest);
  });

  test("frames blob and commit: a text of more than 64 KiB in chunks, one of 5 KiB compressed", () => {
    const ids = seqIds();
    const long = "All work and no play makes Jack a dull boy.\n".repeat(1600);
    const hex = commit([draftOf(user(ids, long)), draftOf(user(ids, long.slice(0, 5000)))]);
    expect(hex).toBe(golden("frame-blob"));
  });

  test("a whole file: creation, three commits, summary, close", async () => {
    const bytes = await sampleFile();
    expect(bytes.toString("hex")).toBe(golden("sample"));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(golden("sample.sha256"));
  });
});
