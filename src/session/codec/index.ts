/**
 * codec: bytes of format v1 and the values they stand for; addressing, headers, frames, commits, CBOR, LZ4, CRC-32.
 * Promises: the same value gives the same bytes everywhere; decoding is bounded and never throws on foreign bytes.
 * Must never know: files, locks, time. Read first: layout.ts, frame.ts, commit-encode.ts.
 */
export {
  type Checkpoint,
  CHECKPOINT_PRELUDE_BYTES,
  CHECKPOINT_VERSION,
  type CheckpointSections,
  encodeCheckpoint,
  INDEX_ITEM_BYTES,
  KEY_HASH_BYTES,
  KEY_ITEM_BYTES,
  parseCheckpoint,
} from "./checkpoint.js";
export { type CommitTable, type Descriptor, parseCommitTable } from "./commit-decode.js";
export { CommitEncoder, type PlacedFrame, sealCommit } from "./commit-encode.js";
export { entryFromRecord } from "./entry-decode.js";
export { draftOf, SUB_USAGE } from "./entry-encode.js";
export {
  BLOCK_MAGIC,
  type BlockHeader,
  decodeFileHeader,
  encodeFileHeader,
  type FileHeader,
  generationSeed,
  getBlockHeader,
  type HeaderReading,
  putBlockHeader,
} from "./file-header.js";
export {
  CODEC_MASK,
  CRITICAL,
  DERIVED_FRAMES,
  FRAME,
  FRAME_MAGIC,
  type Frame,
  type FrameFields,
  getFrame,
  putFrameHeader,
} from "./frame.js";
export { KINDS, SOURCE as INPUT_SOURCE, typeOfKind } from "./kinds.js";
export {
  BLOCK_BYTES,
  BLOCK_HEADER_BYTES,
  blockOf,
  blockStart,
  CHUNK_BYTES,
  cutAt,
  DESCRIPTOR_BYTES,
  FILE_HEADER_BYTES,
  FRAME_HEADER_BYTES,
  logicalOf,
  logicalSize,
  MAX_BODY_BYTES,
  MAX_RECORDS,
  physicalOf,
  PRELUDE_LEAF_AT,
  PRELUDE_BYTES,
  RECORD_BYTES,
} from "./layout.js";
export { commitOfPlace, placeOf } from "./place.js";
export { ENCODING, FLAG, type PayloadView, type RecordDraft, type RecordView, ROLE } from "./record.js";
export { encodeSummary, foldSummary, joinSummary, type SummaryFields } from "./summary.js";
export { decodeSummary } from "./summary-decode.js";
export { getId, ID_BYTES, idTime, putId } from "./uuid.js";
