/** Section 5 of the format document: the table of a COMMIT and its payloads. */
import { inflateRawSync } from "node:zlib";
import { FRAME_HEADER, bodyOf, idAt, readFrameHeader, u64, viewOf } from "./addressing.mjs";
import { crc32 } from "./crc32.mjs";
import { unpackLz4 } from "./lz4.mjs";

const CHUNK = 65_536;
const MIB = 1024 * 1024;

const need = (holds, rule) => {
  if (!holds) throw new Error(rule);
};

/** The table of a COMMIT frame, checked against itself; throws at the first rule broken. Payloads are not looked at. */
export function readTable(stream, frame) {
  const body = bodyOf(stream, frame);
  const table = body.subarray(0, frame.tableBytes);
  need(frame.tableBytes >= 64 && frame.tableBytes <= body.length, "table reaches beyond the body");
  need(crc32(table) === frame.tableCrc, "table checksum");
  const view = viewOf(table);
  const [time, durable, previous, firstBlob, checkpoint] = [0, 8, 16, 24, 32].map((at) => u64(view, at));
  need(![time, durable, previous, firstBlob, checkpoint].includes(undefined), "a u64 beyond 2^53-1");
  const records = view.getUint32(40, true);
  const descriptors = view.getUint32(44, true);
  need(records >= 1 && records <= 4096, "number of records");
  need(descriptors <= 16_384, "number of descriptors");
  need(frame.tableBytes === 64 + 96 * records + 32 * descriptors, "table bytes");
  need(durable < frame.seq, "durable seq is not smaller than the seq");
  need(frame.seq > 1 || previous === 0, "a commit before the first");
  need(previous <= frame.offset && firstBlob <= frame.offset && checkpoint <= frame.offset, "distance beyond the beginning");
  const commit = { seq: frame.seq, offset: frame.offset, end: frame.end, time, durable, previous, firstBlob, checkpoint };
  commit.leaf = idAt(table, 48);
  const all = Array.from({ length: descriptors }, (_, index) => readDescriptor(view, 64 + 96 * records + 32 * index));
  commit.records = Array.from({ length: records }, (_, index) => readRecord(table, 64 + 96 * index));
  claimDescriptors(commit, all);
  checkLayout(all, body.length - frame.tableBytes, firstBlob);
  return commit;
}

function readRecord(table, at) {
  const view = viewOf(table);
  const record = {
    id: idAt(table, at),
    parent: idAt(table, at + 16),
    pairing: idAt(table, at + 32),
    owner: idAt(table, at + 48),
    time: u64(view, at + 64),
    kind: view.getUint16(at + 72, true),
    flags: view.getUint16(at + 74, true),
    sub: view.getUint16(at + 76, true),
    count: view.getUint16(at + 78, true),
    first: view.getUint32(at + 80, true),
    aux: view.getUint32(at + 84, true),
    parentBack: u64(view, at + 88),
  };
  need(record.id !== undefined, "record without an id");
  need(record.time !== undefined && record.parentBack !== undefined, "a u64 beyond 2^53-1");
  return record;
}

function readDescriptor(view, at) {
  const [role, encoding, codec] = [view.getUint16(at, true), view.getUint8(at + 2), view.getUint8(at + 3)];
  const [stored, raw, sum, place, chunked] = [4, 8, 12, 16, 20].map((field) => view.getUint32(at + field, true));
  need(encoding <= 2 && codec <= 2, "encoding or codec of a payload");
  need(chunked <= 1, "place of a payload");
  return { role, encoding, codec, stored, raw, sum, place, isChunked: chunked === 1 };
}

function claimDescriptors(commit, all) {
  let next = 0;
  for (const record of commit.records) {
    need(record.first === next || record.count === 0, "descriptors are not owned in order");
    record.descriptors = all.slice(next, next + record.count);
    need(record.descriptors.length === record.count, "descriptors beyond the table");
    next += record.count;
  }
  need(next === all.length, "a descriptor without an owner");
}

function checkLayout(all, inlineBytes, firstBlob) {
  let [offset, ordinal, raw] = [0, 0, 0];
  for (const payload of all) {
    raw += payload.raw;
    if (payload.isChunked) {
      need(payload.codec === 0 && payload.place === ordinal, "chunk ordinals have a gap");
      need(payload.raw > CHUNK && payload.stored === Math.ceil(payload.raw / CHUNK), "number of chunks");
      ordinal += payload.stored;
    } else {
      need(payload.place === offset && payload.raw <= CHUNK, "inline payloads have a gap or are too big");
      need(payload.codec !== 0 || payload.stored === payload.raw, "bytes of a payload that is not compressed");
      offset += payload.stored;
    }
  }
  need(offset === inlineBytes && offset <= 3 * MIB, "inline bytes");
  need(raw <= 96 * MIB, "raw bytes of a commit");
  need(ordinal > 0 === firstBlob > 0, "chunks without BLOB or the other way");
}

function unpack(codec, stored, rawBytes) {
  if (codec === 0) {
    need(stored.length === rawBytes, "raw length");
    return stored;
  }
  need(codec === 1 || codec === 2, "unknown codec");
  const raw = codec === 1 ? unpackLz4(stored, rawBytes) : inflateRawSync(stored, { maxOutputLength: Math.max(1, rawBytes) });
  need(raw.length === rawBytes, "raw length");
  return raw;
}

/** The frames of the chunks of a commit, walked from its first BLOB up to the COMMIT itself. */
function* chunksOf(stream, seed, commit) {
  let at = commit.offset - commit.firstBlob;
  for (let ordinal = 0; at < commit.offset; ordinal++) {
    const frame = readFrameHeader(stream, seed, at);
    need(frame !== undefined && frame.type === 2 && frame.seq === ordinal && frame.end <= commit.offset, "a chunk is not in its place");
    need(frame.tableBytes <= CHUNK, "raw bytes of a chunk");
    const body = bodyOf(stream, frame);
    need(crc32(body) === frame.tableCrc, "checksum of a chunk");
    yield unpack(frame.codec, body, frame.tableBytes);
    at = frame.end;
  }
}

/** Reads every payload of a commit into its records; throws at the first that does not verify. */
export function readPayloads(stream, seed, commit, tableBytes) {
  const inline = stream.subarray(commit.offset + FRAME_HEADER + tableBytes, commit.end);
  const chunks = commit.firstBlob === 0 ? [].values() : chunksOf(stream, seed, commit);
  for (const record of commit.records)
    record.payloads = record.descriptors.map((payload) => valueOf(payload, rawOf(payload, inline, chunks)));
  need(chunks.next().done === true, "more chunks than claimed");
}

function rawOf(payload, inline, chunks) {
  if (!payload.isChunked) {
    const stored = inline.subarray(payload.place, payload.place + payload.stored);
    need(crc32(stored) === payload.sum, "checksum of a payload");
    return unpack(payload.codec, stored, payload.raw);
  }
  const parts = [];
  for (let index = 0; index < payload.stored; index++) {
    const { value, done } = chunks.next();
    const expected = index < payload.stored - 1 ? CHUNK : payload.raw - CHUNK * (payload.stored - 1);
    need(done === false && value.length === expected, "bytes of a chunk");
    parts.push(value);
  }
  const raw = Buffer.concat(parts);
  need(crc32(raw) === payload.sum, "checksum of a chunked payload");
  return raw;
}

function valueOf({ role, encoding }, raw) {
  return { role, encoding, raw: Uint8Array.from(raw) };
}
