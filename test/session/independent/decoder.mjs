/**
 * A reader of session files written from docs/reference/session-format.md alone, as a stranger would: it shares no code
 * with src/. `decode(file)` gives everything in a file, what is damaged, and where the part that counts ends.
 */
import {
  blockOf,
  blockStart,
  bodyOf,
  logicalStream,
  physicalOf,
  readBlockHeader,
  readBlockHeaderOf,
  readFileHeader,
  readFrameHeader,
  viewOf,
  u64,
} from "./addressing.mjs";
import { readCbor } from "./cbor.mjs";
import { readCheckpoint } from "./checkpoints.mjs";
import { readPayloads, readTable } from "./commits.mjs";
import { crc32, initOf } from "./crc32.mjs";
import { interpret } from "./kinds.mjs";

const COMMIT = 1;
const BLOB = 2;
const CHECKPOINT = 3;
const ACK = 4;
const SUMMARY = 5;
const CLOSE = 6;
const GAP = 7;
/** Written only about commits that are durable: their seq proves it. */
const PROOFS = [CHECKPOINT, ACK, SUMMARY, CLOSE];

export function decode(file) {
  const header = readFileHeader(file);
  if (header.refused !== undefined) return { refused: header.refused };
  const stream = logicalStream(file);
  const session = {
    header,
    commits: [],
    checkpoints: [],
    summaries: [],
    gaps: [],
    unknown: [],
    damage: [],
    acked: 0,
    boundary: 0,
    /** The last COMMIT whose table is readable; its payloads may be damaged. */
    newest: { seq: 0, leaf: undefined },
    tail: { state: "whole" },
    isTailLost: false,
  };
  const steps = walk(file, stream, header.seed);
  session.acked = Math.max(0, ...steps.filter((frame) => frame.isWhole === true).map((frame) => proofOf(stream, frame)));
  judge(session, stream, steps);
  const { boundary, newest } = session;
  const proven = Math.max(provenIn(stream, header.seed, boundary), provenByDisplaced(file, header.seed, boundary));
  session.acked = Math.max(session.acked, proven, stream.length - boundary > 128 * 2 ** 20 ? newest.seq + 1 : 0);
  session.isTailLost = session.acked > session.newest.seq;
  session.boundaryInFile = session.boundary === 0 ? 256 : physicalOf(session.boundary - 1) + 1;
  return session;
}

/** Section 9.1: frames from the beginning to the end, and the stretches where the framing was lost. */
function walk(file, stream, seed) {
  const steps = [];
  let at = 0;
  while (at < stream.length) {
    const frame = readFrameHeader(stream, seed, at);
    if (frame !== undefined && frame.end <= stream.length) {
      steps.push({ ...frame, isWhole: isWhole(stream, frame) });
      at = frame.end;
      continue;
    }
    if (frame !== undefined) {
      steps.push({ torn: "a frame reaches beyond the end", offset: at, end: stream.length });
      break;
    }
    const next = resume(file, stream, seed, at);
    steps.push({ lost: true, offset: at, end: next ?? stream.length, isLast: next === undefined });
    at = next ?? stream.length;
  }
  return steps;
}

function resume(file, stream, seed, lostAt) {
  for (let block = blockOf(lostAt) + 1; block * 65_536 < file.length; block++) {
    const first = readBlockHeader(file, seed, block)?.firstFrame;
    if (first !== undefined && first > lostAt && first <= stream.length) return first;
  }
  return undefined;
}

/** Whether the body is what its header says; of a COMMIT the table only, its payloads come later. */
function isWhole(stream, frame) {
  const body = bodyOf(stream, frame);
  if (frame.type === COMMIT) return frame.tableBytes <= body.length && crc32(body.subarray(0, frame.tableBytes)) === frame.tableCrc;
  return crc32(body) === frame.tableCrc && (frame.type === BLOB || frame.tableBytes === body.length);
}

/** The seq that a whole frame proves to be durable, 0 for none. */
function proofOf(stream, frame) {
  if (PROOFS.includes(frame.type)) return frame.seq;
  if (frame.type === GAP) return gapOf(stream, frame)?.last ?? 0;
  if (frame.type !== COMMIT || frame.tableBytes < 64) return 0;
  return u64(viewOf(bodyOf(stream, frame)), 8) ?? 0;
}

function gapOf(stream, frame) {
  const body = bodyOf(stream, frame);
  if (body.length !== 16) return undefined;
  const [first, last] = [u64(viewOf(body), 0), u64(viewOf(body), 8)];
  return first >= 1 && last >= first ? { first, last } : undefined;
}

/** Frames that are valid at exactly their offset, behind the boundary: evidence only. A COMMIT needs no more than its table. */
function provenIn(stream, seed, from) {
  let acked = 0;
  for (let at = stream.indexOf("SmF\x01", from, "latin1"); at >= 0; at = stream.indexOf("SmF\x01", at + 1, "latin1")) {
    const frame = readFrameHeader(stream, seed, at);
    if (frame !== undefined && isWhole(stream, frame)) acked = Math.max(acked, proofOf(stream, frame));
  }
  return acked;
}

/** Headers that lie elsewhere than they belong, and belong behind the boundary: bytes were put in or taken out. Evidence only. */
function provenByDisplaced(file, seed, boundary) {
  let acked = 0;
  for (let at = file.indexOf("Sm", physicalOf(boundary), "latin1"); at >= 0; at = file.indexOf("Sm", at + 1, "latin1")) {
    const block = at + 32 <= file.length ? viewOf(file).getUint32(at + 4, true) : 0;
    if (block > 0 && block * 65_536 !== at) {
      acked = Math.max(acked, readBlockHeaderOf(file.subarray(at, at + 32), seed, block)?.lastCommit ?? 0);
    }
    const offset = placeOf(file, seed, at, boundary);
    if (offset === undefined || physicalOf(offset) === at) continue;
    const { stream, frame } = movedFrame(file, seed, at, offset);
    if (frame !== undefined && isWhole(stream, frame)) acked = Math.max(acked, proofOf(stream, frame));
  }
  return acked;
}

/** The offset at which the frame header at `at` would hold: at or behind the boundary, within 16 MiB of the file's bytes. */
function placeOf(file, seed, at, boundary) {
  if (at + 32 > file.length) return undefined;
  const low = (initOf(file.subarray(at, at + 28), viewOf(file).getUint32(at + 28, true)) ^ seed) >>> 0;
  const offset = boundary + ((((low - boundary) % 2 ** 32) + 2 ** 32) % 2 ** 32);
  return offset <= file.length + 2 ** 24 ? offset : undefined;
}

/** The frame that was found at `at`, as a stream that begins with it: block headers lie inside it where they did at its own place. */
function movedFrame(file, seed, at, offset) {
  const parts = [];
  let from = at;
  let logical = offset;
  while (from < file.length && logical < offset + 32 + 4 * 2 ** 20) {
    const left = blockStart(blockOf(logical) + 1) - logical;
    parts.push(file.subarray(from, Math.min(file.length, from + left)));
    from += left + 32;
    logical += left;
  }
  const stream = Buffer.concat(parts);
  return { stream, frame: readFrameHeader(stream, seed, 0, offset) };
}

/** Section 9.2: which commits happened, what is damaged, where the file ends. */
function judge(session, stream, steps) {
  let expected = 1;
  const tear = (offset, reason) => {
    session.tail = { state: "torn", offset, reason };
  };
  for (const step of steps) {
    if (step.torn !== undefined) return tear(step.offset, step.torn);
    if (step.lost === true) {
      if (step.isLast) return tear(step.offset, "the framing is lost up to the end");
      session.damage.push({ offset: step.offset, end: step.end, what: "framing lost" });
      continue;
    }
    if (step.type === COMMIT) {
      const verdict = judgeCommit(session, stream, step, expected);
      if (verdict.torn !== undefined) return tear(step.offset, verdict.torn);
      expected = verdict.next;
      continue;
    }
    if (step.type === BLOB) continue;
    keepOther(session, stream, step);
    if (step.isWhole && step.type === GAP) expected = takeGap(session, gapOf(stream, step), step, expected);
  }
}

function judgeCommit(session, stream, frame, expected) {
  const { acked, header } = session;
  const damaged = (what) => session.damage.push({ offset: frame.offset, end: frame.end, seq: frame.seq, what });
  let commit;
  try {
    commit = readTable(stream, frame);
    if (frame.seq < expected) throw new Error("a seq that was already there");
  } catch (error) {
    if (expected > acked) return { torn: `${error.message}: commit ${expected} never happened` };
    damaged(error.message);
    return { next: expected };
  }
  // What is missing before it is either damage or the point where the file ends.
  if (frame.seq > expected && frame.seq - 1 > acked) return { torn: `commit ${expected} is missing` };
  try {
    readPayloads(stream, header.seed, commit, frame.tableBytes);
  } catch (error) {
    if (frame.seq > acked) return { torn: `commit ${frame.seq} does not verify: ${error.message}` };
    damaged(error.message);
    commit.records = undefined;
  }
  if (frame.seq > expected) damaged(`commits ${expected} to ${frame.seq - 1} are missing before it`);
  session.boundary = frame.end;
  session.newest = { seq: frame.seq, leaf: commit.leaf };
  if (commit.records !== undefined) {
    for (const record of commit.records) record.entry = interpret(record);
    session.commits.push(commit);
  }
  return { next: frame.seq + 1 };
}

function takeGap(session, gap, { offset, end }, expected) {
  if (gap === undefined || gap.last < expected) return expected;
  session.gaps.push({ offset, ...gap });
  if (gap.first > expected) session.damage.push({ offset, end, what: `commits ${expected} to ${gap.first - 1} are missing before it` });
  session.newest = { ...session.newest, seq: gap.last };
  return gap.last + 1;
}

function keepOther(session, stream, frame) {
  const { type, seq, offset, end } = frame;
  if (!frame.isWhole) {
    session.damage.push({ offset, end, what: `frame of type ${type} does not verify` });
    return;
  }
  const body = bodyOf(stream, frame);
  if (type === CHECKPOINT) session.checkpoints.push({ seq, offset, end, ...readCheckpoint(body, offset) });
  else if (type === SUMMARY) keepSummary(session, { seq, offset }, body);
  else if (![ACK, CLOSE, GAP].includes(type))
    session.unknown.push({ type, seq, offset, isCritical: frame.isCritical, frame: Uint8Array.from(stream.subarray(offset, end)) });
  session.boundary = end;
}

/** One that is no CBOR map is ignored. */
function keepSummary(session, place, body) {
  try {
    session.summaries.push({ ...place, value: readCbor(body) });
  } catch {
    session.damage.push({ ...place, end: place.offset, what: "a summary that is no value" });
  }
}

/** JSON of everything: byte strings as `{ "base64": … }`, negative zero as `{ "number": "-0" }`, as JSON has neither. */
export function toJson(session) {
  return JSON.stringify(
    session,
    (_key, value) => {
      if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
      if (typeof value === "number" && (Object.is(value, -0) || !Number.isFinite(value)))
        return { number: Object.is(value, -0) ? "-0" : String(value) };
      return value;
    },
    2,
  );
}
