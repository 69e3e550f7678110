import type { EntryId } from "../../base/index.js";
import { invariant } from "../../base/index.js";
import type { ByteRun, CborFields } from "../bytes/index.js";
import { BoundError, CODEC, CborEncoder, crc32, createLz4Encoder, putU64 } from "../bytes/index.js";
import { FRAME, putFrameHeader } from "./frame.js";
import {
  CHUNK_BYTES,
  DESCRIPTOR_BYTES,
  FRAME_HEADER_BYTES,
  MAX_DESCRIPTORS,
  MAX_INLINE_BYTES,
  MAX_RAW_BYTES,
  MAX_RECORDS,
  PRELUDE_BYTES,
  PRELUDE_LEAF_AT,
  RECORD_BYTES,
} from "./layout.js";
import type { PayloadDraft, RecordDraft } from "./record.js";
import { ENCODING } from "./record.js";
import { putId } from "./uuid.js";

/** Payloads below this are stored as they are. */
const COMPRESS_FROM_BYTES = 4096;
/** Payloads above this are stored as they are too: compressing them would hold up the calling thread. */
const COMPRESS_TO_BYTES = 1024 * 1024;
/** Scratch above this is given back after the commit that needed it. */
const KEEP_SCRATCH_BYTES = 1024 * 1024;

/** Where a commit goes in the file, and what it must know of the commits before it. */
export interface CommitPlace {
  readonly seq: number;
  readonly time: number;
  /** Logical offset of `run.bytes[0]`. */
  readonly base: number;
  readonly seed: number;
  /** Logical offset of the COMMIT before this one. */
  readonly previous: number | undefined;
  readonly leaf: EntryId | undefined;
  /** Logical offset of the newest CHECKPOINT (`CheckpointLog.newest`). */
  readonly checkpoint?: number | undefined;
  /** Logical offset of the COMMIT that holds an entry, where the writer knows it. */
  readonly locate: (id: EntryId) => number | undefined;
}

/** One frame inside a run: positions are relative to the run. `seq` is 0 for everything but commits. */
export interface PlacedFrame {
  readonly at: number;
  readonly end: number;
  readonly seq: number;
  readonly tableLen: number;
}

/** Where the encoding of a value is in the scratch; says nothing for other payloads. */
interface Span {
  readonly draft: PayloadDraft;
  readonly start: number;
  readonly end: number;
}

interface Prepared {
  readonly draft: PayloadDraft;
  /** Raw bytes, except for inline text, which is encoded right into its place. */
  readonly bytes: Uint8Array | undefined;
  readonly isLarge: boolean;
}

interface Commit {
  readonly drafts: readonly RecordDraft[];
  readonly prepared: readonly Prepared[];
  readonly place: CommitPlace;
  readonly groupBack: number;
  /** Raw bytes of payloads in chunks. */
  readonly chunkedBytes: number;
}

interface Stored {
  readonly codec: number;
  readonly stored: number;
  readonly raw: number;
}

/**
 * Writes commits into a run of logical bytes: their BLOB frames, then the COMMIT frame. Header checksum, table checksum
 * and durable mark of the COMMIT are left to {@link sealCommit}. Throws BoundError when the commit breaks a bound; the
 * run's length must then be set back by the caller.
 */
export class CommitEncoder {
  #cbor = new CborEncoder();
  readonly #lz4 = createLz4Encoder();
  readonly #packed = Buffer.allocUnsafeSlow(CHUNK_BYTES);

  append(run: ByteRun, drafts: readonly RecordDraft[], place: CommitPlace): PlacedFrame[] {
    if (drafts.length === 0) throw new BoundError("a commit without entries");
    if (drafts.length > MAX_RECORDS) throw new BoundError(`${drafts.length} entries in one commit, more than ${MAX_RECORDS}`);
    const prepared = this.#prepare(drafts);
    const frames: PlacedFrame[] = [];
    const groupAt = run.length;
    let rawBytes = 0;
    for (const payload of prepared) {
      if (!payload.isLarge || payload.bytes === undefined) continue;
      rawBytes = within(rawBytes + payload.bytes.length);
      this.#appendChunks(run, payload.bytes, { frames, place });
    }
    const groupBack = frames.length === 0 ? 0 : run.length - groupAt;
    frames.push(this.#appendCommit(run, { drafts, prepared, place, groupBack, chunkedBytes: rawBytes }));
    return frames;
  }

  #prepare(drafts: readonly RecordDraft[]): readonly Prepared[] {
    if (this.#cbor.run.bytes.length > KEEP_SCRATCH_BYTES) this.#cbor = new CborEncoder();
    const cbor = this.#cbor;
    cbor.run.length = 0;
    const spans: Span[] = [];
    for (const draft of drafts) {
      for (const payload of draft.payloads) {
        // An unknown record comes with the bytes it was read with.
        const isFields = payload.encoding === ENCODING.cbor && !(payload.data instanceof Uint8Array);
        const start = isFields ? cbor.encodeFields(asFields(payload.data)) : 0;
        spans.push({ draft: payload, start, end: cbor.run.length });
      }
    }
    if (spans.length > MAX_DESCRIPTORS) throw new BoundError(`${spans.length} payloads in one commit, more than ${MAX_DESCRIPTORS}`);
    // The run may have grown meanwhile: bytes are taken from it only now.
    return spans.map((span) => prepare(span, cbor.run.bytes));
  }

  #appendChunks(run: ByteRun, bytes: Uint8Array, into: { readonly frames: PlacedFrame[]; readonly place: CommitPlace }): void {
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      const raw = bytes.subarray(start, start + CHUNK_BYTES);
      const at = run.reserve(FRAME_HEADER_BYTES + raw.length);
      const body = at + FRAME_HEADER_BYTES;
      run.bytes.set(raw, body);
      const { codec, stored } = bytes.length > COMPRESS_TO_BYTES ? uncompressed(raw.length) : this.#compress(run, body, raw.length);
      const end = body + stored;
      putFrameHeader(
        run.bytes,
        at,
        {
          type: FRAME.blob,
          flags: codec,
          bodyLen: stored,
          tableLen: raw.length,
          tableCrc: crc32(run.bytes, body, end),
          seq: into.frames.length,
        },
        { offset: into.place.base + at, seed: into.place.seed },
      );
      run.length = end;
      into.frames.push({ at, end, seq: 0, tableLen: raw.length });
    }
  }

  #appendCommit(run: ByteRun, commit: Commit): PlacedFrame {
    const { drafts, prepared, place, chunkedBytes } = commit;
    const tableLen = PRELUDE_BYTES + RECORD_BYTES * drafts.length + DESCRIPTOR_BYTES * prepared.length;
    const at = run.reserve(FRAME_HEADER_BYTES + tableLen);
    const table = at + FRAME_HEADER_BYTES;
    run.bytes.fill(0, at, table + tableLen);
    putPrelude(run, table, commit, place.base + at);
    putRecords(run, table + PRELUDE_BYTES, drafts, { place, offset: place.base + at });
    run.length = table + tableLen;
    this.#appendPayloads(run, prepared, { descriptors: table + PRELUDE_BYTES + RECORD_BYTES * drafts.length, chunkedBytes });
    return { at, end: run.length, seq: place.seq, tableLen };
  }

  #appendPayloads(
    run: ByteRun,
    prepared: readonly Prepared[],
    { descriptors, chunkedBytes }: { readonly descriptors: number; readonly chunkedBytes: number },
  ): void {
    const area = run.length;
    let at = descriptors;
    let chunk = 0;
    let rawBytes = chunkedBytes;
    for (const payload of prepared) {
      if (payload.isLarge && payload.bytes !== undefined) {
        const count = Math.ceil(payload.bytes.length / CHUNK_BYTES);
        const crc = crc32(payload.bytes, 0, payload.bytes.length);
        putDescriptor(run, at, payload.draft, {
          codec: CODEC.none,
          stored: count,
          raw: payload.bytes.length,
          crc,
          offset: chunk,
          place: 1,
        });
        chunk += count;
      } else {
        const start = run.length;
        const { codec, stored, raw } = this.#appendInline(run, payload);
        run.length = start + stored;
        rawBytes = within(rawBytes + raw);
        if (run.length - area > MAX_INLINE_BYTES)
          throw new BoundError(`more than ${MAX_INLINE_BYTES} bytes of short payloads in one commit`);
        const crc = crc32(run.bytes, start, run.length);
        putDescriptor(run, at, payload.draft, { codec, stored, raw, crc, offset: start - area, place: 0 });
      }
      at += DESCRIPTOR_BYTES;
    }
  }

  #appendInline(run: ByteRun, payload: Prepared): Stored {
    const { bytes } = payload;
    const text = payload.draft.data;
    let raw: number;
    let start: number;
    if (bytes !== undefined) {
      start = run.reserve(bytes.length);
      run.bytes.set(bytes, start);
      raw = bytes.length;
    } else {
      invariant(typeof text === "string", "only text is encoded in place");
      start = run.reserve(text.length * 3);
      raw = run.bytes.write(text, start, "utf8");
    }
    return this.#compress(run, start, raw);
  }

  /** Compresses in place when that saves an eighth. */
  #compress(run: ByteRun, start: number, raw: number): Stored {
    if (raw < COMPRESS_FROM_BYTES) return uncompressed(raw);
    const limit = raw - Math.ceil(raw / 8);
    const stored = this.#lz4(run.bytes, start, start + raw, { out: this.#packed, limit });
    if (stored === 0) return uncompressed(raw);
    this.#packed.copy(run.bytes, start, 0, stored);
    return { codec: CODEC.lz4, stored, raw };
  }
}

/** Raw bytes of a commit, as long as they are not too many. */
function within(rawBytes: number): number {
  if (rawBytes > MAX_RAW_BYTES) throw new BoundError(`more than ${MAX_RAW_BYTES} bytes in one commit`);
  return rawBytes;
}

const uncompressed = (raw: number): Stored => ({ codec: CODEC.none, stored: raw, raw });

function asFields(data: PayloadDraft["data"]): CborFields {
  invariant(typeof data === "object" && !(data instanceof Uint8Array), "a CBOR payload is a set of fields");
  return data;
}

function prepare({ draft, start, end }: Span, scratch: Buffer): Prepared {
  const { data } = draft;
  if (typeof data === "string") {
    if (data.length > MAX_RAW_BYTES) throw new BoundError(`a text of more than ${MAX_RAW_BYTES} bytes`);
    const isLarge = data.length > CHUNK_BYTES || (data.length * 3 > CHUNK_BYTES && Buffer.byteLength(data, "utf8") > CHUNK_BYTES);
    return { draft, bytes: isLarge ? Buffer.from(data, "utf8") : undefined, isLarge };
  }
  const bytes = data instanceof Uint8Array ? data : scratch.subarray(start, end);
  return { draft, bytes, isLarge: bytes.length > CHUNK_BYTES };
}

function putPrelude(run: ByteRun, table: number, commit: Commit, offset: number): void {
  const { view } = run;
  const { place } = commit;
  putU64(view, table, place.time);
  putU64(view, table + 16, place.previous === undefined ? 0 : offset - place.previous);
  putU64(view, table + 24, commit.groupBack);
  if (place.checkpoint !== undefined) putU64(view, table + 32, offset - place.checkpoint);
  view.setUint32(table + 40, commit.drafts.length, true);
  view.setUint32(table + 44, commit.prepared.length, true);
  putId(run.bytes, table + PRELUDE_LEAF_AT, place.leaf);
}

function putRecords(
  run: ByteRun,
  start: number,
  drafts: readonly RecordDraft[],
  at: { readonly place: CommitPlace; readonly offset: number },
): void {
  const { bytes, view } = run;
  const isOwn = membership(drafts);
  let pos = start;
  let descriptor = 0;
  for (const draft of drafts) {
    putId(bytes, pos, draft.id);
    if (draft.parent !== undefined) {
      putId(bytes, pos + 16, draft.parent);
      const holder = isOwn(draft.parent) ? undefined : at.place.locate(draft.parent);
      if (holder !== undefined) putU64(view, pos + 88, at.offset - holder);
    }
    if (draft.pairing !== undefined) putId(bytes, pos + 32, draft.pairing);
    if (draft.owner !== undefined) putId(bytes, pos + 48, draft.owner);
    putU64(view, pos + 64, draft.time);
    view.setUint16(pos + 72, draft.kind, true);
    view.setUint16(pos + 74, draft.flags, true);
    view.setUint16(pos + 76, draft.sub, true);
    view.setUint16(pos + 78, draft.payloads.length, true);
    view.setUint32(pos + 80, descriptor, true);
    view.setUint32(pos + 84, draft.aux, true);
    descriptor += draft.payloads.length;
    pos += RECORD_BYTES;
  }
}

/** Up to this many records are compared one by one; a set costs more to build. */
const COMPARED_RECORDS = 16;

function membership(drafts: readonly RecordDraft[]): (id: EntryId) => boolean {
  if (drafts.length <= COMPARED_RECORDS) return (id) => drafts.some((draft) => draft.id === id);
  const ids = new Set(drafts.map((draft) => draft.id));
  return (id) => ids.has(id);
}

function putDescriptor(
  run: ByteRun,
  at: number,
  draft: PayloadDraft,
  span: {
    readonly codec: number;
    readonly stored: number;
    readonly raw: number;
    readonly crc: number;
    readonly offset: number;
    readonly place: number;
  },
): void {
  const { view } = run;
  view.setUint16(at, draft.role, true);
  view.setUint8(at + 2, draft.encoding);
  view.setUint8(at + 3, span.codec);
  view.setUint32(at + 4, span.stored, true);
  view.setUint32(at + 8, span.raw, true);
  view.setUint32(at + 12, span.crc, true);
  view.setUint32(at + 16, span.offset, true);
  view.setUint32(at + 20, span.place, true);
}

/** Fills in what is only known when a commit is written: the durable mark, and with it both checksums. */
export function sealCommit(
  run: ByteRun,
  frame: PlacedFrame,
  seal: { readonly base: number; readonly seed: number; readonly durableSeq: number },
): void {
  const table = frame.at + FRAME_HEADER_BYTES;
  putU64(run.view, table + 8, seal.durableSeq);
  putFrameHeader(
    run.bytes,
    frame.at,
    {
      type: FRAME.commit,
      flags: 0,
      bodyLen: frame.end - table,
      tableLen: frame.tableLen,
      tableCrc: crc32(run.bytes, table, table + frame.tableLen),
      seq: frame.seq,
    },
    { offset: seal.base + frame.at, seed: seal.seed },
  );
}
