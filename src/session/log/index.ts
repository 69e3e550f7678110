/**
 * log: a session file as a stream of frames: bounded reads, walking, payloads, the judgement of its tail.
 * Promises: never writes through a reader; what it adopts is complete and verified; damage is told from a torn tail.
 * Must never know: entries' meaning beyond their codec, locks, the store. Read first: logical-file.ts, walk.ts, tail.ts.
 */
export { type ByteSource, shifted } from "./byte-source.js";
export { type Anchor, displacedAnchors, hasSoundBody } from "./displaced.js";
export { errorCode, type FileFacts, type FileOperations, nodeFileOperations, syncDirectory } from "./file-operations.js";
export { type Gap, gapBody, readGap } from "./gap.js";
export { LogicalFile, type ReadPlan, SCATTERED, SEQUENTIAL } from "./logical-file.js";
export { ClosedError, OpenFile } from "./open-file.js";
export { chunkFrames, peekEntry, readEntry, readPayload } from "./payload.js";
export { quickOperations } from "./quick-operations.js";
export { ReadAheadFile } from "./read-ahead.js";
export { type Damage, judgeTail, type Mark, readTail, type Tail } from "./tail.js";
export { FrameWalk, peekTable, readCommit, readFrame, readTable, type Step } from "./walk.js";
