/**
 * reader: one session file read by branch, by change, by type, by id, live if wanted.
 * Promises: bounded reads, no locks, no writes; a change is seen whole or not at all; what is skipped is in `damage`.
 * Must never know: who writes the file. Read first: source.ts, traverse.ts.
 */
export { CommitWalk } from "./commits.js";
export { foldables, LiveCursor, loadLog } from "./live.js";
export { createReader, type Reading, readingOf } from "./session-reader.js";
export { DamageLog, type GrowthWatch, identityOf, momentOf, Places, positionOf, type ReaderParts, type Source } from "./source.js";
export { walkBranch } from "./traverse.js";
export { summarize } from "./summarize.js";
export { News } from "./watch.js";
