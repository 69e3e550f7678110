import { isUtf8 } from "node:buffer";
import { crc32, decodeCbor, MalformedError, unpack } from "../../bytes/index.js";
import type { CommitTable, Descriptor, Frame } from "../../codec/index.js";
import { CHUNK_BYTES, CODEC_MASK, ENCODING, FRAME_HEADER_BYTES } from "../../codec/index.js";
import type { LogicalFile } from "../../log/index.js";
import { readPayload } from "../../log/index.js";
import type { RawCommit } from "../build/raw-commit.js";
import { inlineBytes } from "../build/raw-commit.js";
import { joinCrc } from "./crc-join.js";
import type { Findings } from "./findings.js";

interface Chunk {
  readonly frame: Frame;
  /** Checksum of the chunk as it was before it was compressed. */
  readonly crc: number;
  readonly isSound: boolean;
}

/** Checks payloads: checksums, exact lengths, order of chunks, the one encoding of values. Holds one chunk at a time. */
export class PayloadCheck {
  readonly #findings: Findings;
  /** BLOB frames since the last other frame. */
  #chunks: Chunk[] = [];

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  addChunk(frame: Frame, body: Buffer): void {
    if (frame.seq === 0) this.dropChunks();
    const stored = crc32(body, 0, body.length);
    const codec = frame.flags & CODEC_MASK;
    const raw = stored === frame.tableCrc && frame.tableLen <= CHUNK_BYTES ? unpack(body, codec, frame.tableLen) : undefined;
    if (raw === undefined) {
      this.#findings.damaged(`Chunk ${frame.seq} of a payload fails its checksum or its length.`, frame.offset, frame.end);
    }
    const crc = raw === undefined ? 0 : codec === 0 ? stored : crc32(raw, 0, raw.length);
    this.#chunks.push({ frame, crc, isSound: raw !== undefined });
  }

  /** A frame that is neither a chunk nor their COMMIT: what was collected belongs to nothing. */
  dropChunks(): void {
    const first = this.#chunks[0];
    const last = this.#chunks.at(-1);
    this.#chunks = [];
    if (first === undefined || last === undefined) return;
    this.#findings.warn("Chunks that no change claims, left by an interrupted write.", first.frame.offset, last.frame.end);
  }

  /** Checks all payloads of a commit. `whole` reads values too long to lie in the table; not the file of the commit. */
  async check(commit: RawCommit, whole: LogicalFile): Promise<void> {
    const { table } = commit;
    const group = this.#claim(table);
    for (let index = 0; index < table.descriptors; index += 1) {
      const descriptor = table.descriptor(index);
      if (!descriptor.isChunked) this.#inline(commit, descriptor);
      else if (this.#isSoundChunked(group, descriptor)) await this.#longValue(table, descriptor, whole);
      else this.#complain(table);
    }
  }

  /** The chunks the commit says are its own, in order from 0. */
  #claim(table: CommitTable): readonly Chunk[] {
    const { frame, groupBack } = table;
    const start = this.#chunks.findIndex((chunk) => chunk.frame.offset === frame.offset - groupBack);
    const own = groupBack === 0 || start < 0 ? [] : this.#chunks.slice(start);
    this.#chunks = this.#chunks.slice(0, this.#chunks.length - own.length);
    this.dropChunks();
    let claimed = 0;
    for (let index = 0; index < table.descriptors; index += 1) {
      const descriptor = table.descriptor(index);
      if (descriptor.isChunked) claimed += descriptor.stored;
    }
    if (own.length !== claimed || own.some((chunk, ordinal) => chunk.frame.seq !== ordinal)) {
      this.#findings.damaged(`Change ${frame.seq} does not find its ${claimed} chunks before it.`, frame.offset, frame.end);
    }
    return own;
  }

  #inline(commit: RawCommit, descriptor: Descriptor): void {
    const stored = inlineBytes(commit, descriptor);
    const isIntact = crc32(stored, 0, stored.length) === descriptor.crc;
    const raw = isIntact ? unpack(stored, descriptor.codec, descriptor.raw) : undefined;
    if (raw === undefined) {
      const at = commit.frame.offset + FRAME_HEADER_BYTES + commit.frame.tableLen + descriptor.offset;
      const what = `A payload of change ${commit.frame.seq} fails its checksum or does not unpack to its length.`;
      this.#findings.damaged(what, at, at + Math.max(1, descriptor.stored));
    } else if (!isEncoded(raw, descriptor.encoding)) this.#warn(commit.table);
  }

  #isSoundChunked(group: readonly Chunk[], descriptor: Descriptor): boolean {
    const chunks = group.slice(descriptor.offset, descriptor.offset + descriptor.stored);
    let crc = 0;
    let raw = 0;
    for (const { frame, crc: own, isSound } of chunks) {
      if (!isSound || raw % CHUNK_BYTES !== 0) return false;
      crc = raw === 0 ? own : joinCrc(crc, own, frame.tableLen);
      raw += frame.tableLen;
    }
    return chunks.length === descriptor.stored && raw === descriptor.raw && crc === descriptor.crc;
  }

  async #longValue(table: CommitTable, descriptor: Descriptor, whole: LogicalFile): Promise<void> {
    if (descriptor.encoding !== ENCODING.cbor) return;
    table.detach();
    const raw = await readPayload(whole, table, descriptor);
    if (raw !== undefined && !isEncoded(raw, descriptor.encoding)) this.#warn(table);
  }

  #complain({ frame, groupBack }: CommitTable): void {
    const what = `A long payload of change ${frame.seq} fails its checksum, its length or the order of its chunks.`;
    this.#findings.damaged(what, frame.offset - groupBack, frame.end);
  }

  /** Its bytes are what was written, so nothing is lost: readers show it as they show what they do not know. */
  #warn({ frame }: CommitTable): void {
    this.#findings.warn(`A payload of change ${frame.seq} is not encoded as it says.`, frame.offset, frame.end);
  }
}

/** Whether raw bytes are what their encoding says: valid UTF-8, the one encoding of a value. */
function isEncoded(raw: Buffer, encoding: number): boolean {
  if (encoding === ENCODING.utf8) return isUtf8(raw);
  if (encoding !== ENCODING.cbor) return true;
  try {
    decodeCbor(raw);
    return true;
  } catch (error) {
    if (error instanceof MalformedError) return false;
    throw error;
  }
}
