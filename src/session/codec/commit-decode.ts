import type { EntryId } from "../../base/index.js";
import { CODEC, crc32, getU64, viewOf } from "../bytes/index.js";
import type { Frame } from "./frame.js";
import {
  CHUNK_BYTES,
  DESCRIPTOR_BYTES,
  MAX_DESCRIPTORS,
  MAX_INLINE_BYTES,
  MAX_RAW_BYTES,
  MAX_RECORDS,
  PRELUDE_BYTES,
  PRELUDE_LEAF_AT,
  RECORD_BYTES,
} from "./layout.js";
import type { RecordView } from "./record.js";
import { ENCODING } from "./record.js";
import { getId, ID_BYTES } from "./uuid.js";

/** Upper half of the largest u64 there may be, 2^53-1. */
const MAX_HIGH = 0x1f_ffff;

/** Where one payload is and how it is stored. */
export interface Descriptor {
  readonly role: number;
  readonly encoding: number;
  readonly codec: number;
  /** Inline: stored bytes. Chunked: number of chunks. */
  readonly stored: number;
  readonly raw: number;
  readonly crc: number;
  /** Inline: offset from the end of the table. Chunked: ordinal of the first chunk. */
  readonly offset: number;
  readonly isChunked: boolean;
}

/**
 * The validated table of one COMMIT: everything but payload bytes. It borrows `bytes`; `detach` before the buffer they
 * came from is reused.
 */
export class CommitTable {
  readonly frame: Frame;
  readonly records: number;
  readonly descriptors: number;
  #bytes: Buffer;
  #view: DataView;

  constructor(frame: Frame, bytes: Buffer) {
    this.frame = frame;
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.records = this.#view.getUint32(40, true);
    this.descriptors = this.#view.getUint32(44, true);
  }

  get time(): number {
    return getU64(this.#view, 0);
  }

  get durableSeq(): number {
    return getU64(this.#view, 8);
  }

  /** Distance to the previous COMMIT, 0 for the first. */
  get previousBack(): number {
    return getU64(this.#view, 16);
  }

  /** Distance to this commit's first BLOB, 0 when it has none. */
  get groupBack(): number {
    return getU64(this.#view, 24);
  }

  /** Distance to the newest CHECKPOINT, 0 for none. A hint: what it leads to must validate. */
  get checkpointBack(): number {
    return getU64(this.#view, 32);
  }

  get leaf(): EntryId | undefined {
    return getId<EntryId>(this.#bytes, PRELUDE_LEAF_AT);
  }

  kind(index: number): number {
    return this.#view.getUint16(this.#record(index) + 72, true);
  }

  flags(index: number): number {
    return this.#view.getUint16(this.#record(index) + 74, true);
  }

  /** Whether record `index` has this id, given as its 16 bytes. */
  hasId(index: number, id: Uint8Array): boolean {
    return this.#holds(this.#record(index), id);
  }

  /** Whether the id of record `index` ends with these hex digits. */
  idEndsWith(index: number, digits: string): boolean {
    const end = this.#record(index) + ID_BYTES;
    return this.#bytes.toString("hex", end - ((digits.length + 1) >> 1), end).endsWith(digits);
  }

  /** Whether record `index` has this id in its pairing field. */
  hasPairing(index: number, id: Uint8Array): boolean {
    return this.#holds(this.#record(index) + 32, id);
  }

  /** Whether the u64s of record `index` are numbers that can be counted with. */
  hasSoundNumbers(index: number): boolean {
    const pos = this.#record(index);
    return this.#view.getUint32(pos + 68, true) <= MAX_HIGH && this.#view.getUint32(pos + 92, true) <= MAX_HIGH;
  }

  #holds(pos: number, id: Uint8Array): boolean {
    return this.#bytes.compare(id, 0, id.length, pos, pos + id.length) === 0;
  }

  record(index: number): RecordView {
    const pos = this.#record(index);
    const id = getId<EntryId>(this.#bytes, pos);
    return {
      // A record without id cannot be referred to; it still shows as what it is.
      id: id ?? ("00000000-0000-0000-0000-000000000000" as EntryId),
      parent: getId<EntryId>(this.#bytes, pos + 16),
      pairing: getId(this.#bytes, pos + 32),
      owner: getId(this.#bytes, pos + 48),
      time: getU64(this.#view, pos + 64),
      kind: this.#view.getUint16(pos + 72, true),
      flags: this.#view.getUint16(pos + 74, true),
      sub: this.#view.getUint16(pos + 76, true),
      descriptorCount: this.#view.getUint16(pos + 78, true),
      firstDescriptor: this.#view.getUint32(pos + 80, true),
      aux: this.#view.getUint32(pos + 84, true),
      parentBack: getU64(this.#view, pos + 88),
    };
  }

  /** First descriptor and count of record `index`, without building a view. */
  span(index: number): readonly [number, number] {
    const pos = this.#record(index);
    return [this.#view.getUint32(pos + 80, true), this.#view.getUint16(pos + 78, true)];
  }

  descriptor(index: number): Descriptor {
    const pos = PRELUDE_BYTES + RECORD_BYTES * this.records + DESCRIPTOR_BYTES * index;
    const view = this.#view;
    return {
      role: view.getUint16(pos, true),
      encoding: view.getUint8(pos + 2),
      codec: view.getUint8(pos + 3),
      stored: view.getUint32(pos + 4, true),
      raw: view.getUint32(pos + 8, true),
      crc: view.getUint32(pos + 12, true),
      offset: view.getUint32(pos + 16, true),
      isChunked: view.getUint32(pos + 20, true) === 1,
    };
  }

  /** All records as stored. Borrowed like the table. */
  get recordBytes(): Buffer {
    return this.#bytes.subarray(PRELUDE_BYTES, PRELUDE_BYTES + RECORD_BYTES * this.records);
  }

  detach(): void {
    this.#bytes = Buffer.from(this.#bytes);
    this.#view = viewOf(this.#bytes);
  }

  #record(index: number): number {
    return PRELUDE_BYTES + RECORD_BYTES * index;
  }
}

/** Validates the table of a COMMIT frame against its checksum and every bound. `bytes` begins at the body. */
export function parseCommitTable(frame: Frame, bytes: Buffer): CommitTable | undefined {
  const { tableLen } = frame;
  if (tableLen < PRELUDE_BYTES || bytes.length < tableLen || crc32(bytes, 0, tableLen) !== frame.tableCrc) return undefined;
  const table = new CommitTable(frame, bytes.subarray(0, tableLen));
  const { records, descriptors } = table;
  if (records < 1 || records > MAX_RECORDS || descriptors > MAX_DESCRIPTORS) return undefined;
  if (tableLen !== PRELUDE_BYTES + RECORD_BYTES * records + DESCRIPTOR_BYTES * descriptors) return undefined;
  if (!hasSoundPrelude(table) || !hasSoundRecords(table)) return undefined;
  return hasSoundPacking(table) ? table : undefined;
}

const hasSoundPrelude = (table: CommitTable): boolean =>
  table.time >= 0 &&
  table.durableSeq < table.frame.seq &&
  isBack(table, table.previousBack) &&
  isBack(table, table.groupBack) &&
  isBack(table, table.checkpointBack) &&
  // Behind a repair that lost everything before it, the first commit has a later seq.
  (table.frame.seq > 1 || table.previousBack === 0);

const isBack = (table: CommitTable, back: number): boolean => back >= 0 && back <= table.frame.offset;

function hasSoundRecords(table: CommitTable): boolean {
  let next = 0;
  for (let index = 0; index < table.records; index += 1) {
    const [first, count] = table.span(index);
    if (first !== next || first + count > table.descriptors || !table.hasSoundNumbers(index)) return false;
    next = first + count;
  }
  return next === table.descriptors;
}

/** Inline payloads fill the body behind the table in order and without gaps; chunks are numbered through; all stay within their bounds. */
function hasSoundPacking(table: CommitTable): boolean {
  let inline = 0;
  let chunk = 0;
  let raw = 0;
  for (let index = 0; index < table.descriptors; index += 1) {
    const descriptor = table.descriptor(index);
    if (descriptor.encoding > ENCODING.cbor || descriptor.codec > CODEC.deflate) return false;
    if (descriptor.offset !== (descriptor.isChunked ? chunk : inline)) return false;
    if (!(descriptor.isChunked ? isChunkedSpan(descriptor) : isInlineSpan(descriptor))) return false;
    if (descriptor.isChunked) chunk += descriptor.stored;
    else inline += descriptor.stored;
    raw += descriptor.raw;
  }
  if (inline > MAX_INLINE_BYTES || raw > MAX_RAW_BYTES) return false;
  return inline === table.frame.bodyLen - table.frame.tableLen && chunk > 0 === table.groupBack > 0;
}

const isInlineSpan = ({ raw, stored, codec }: Descriptor): boolean => raw <= CHUNK_BYTES && (codec !== CODEC.none || stored === raw);

const isChunkedSpan = ({ raw, stored, codec }: Descriptor): boolean => stored === Math.ceil(raw / CHUNK_BYTES) && codec === CODEC.none;
