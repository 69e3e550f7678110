/**
 * effect/search/pool: the threads that search.
 * Promises: the leader walks and gives batches of files to helpers, in the order of paths; a thread that hangs is known by its file.
 * Must never know: how answers are put together. Read first: messages.ts, leader.ts, threads.ts.
 */
export { openBoard } from "./board.js";
export { createHelper } from "./files-searcher.js";
export { lead } from "./leader.js";
export type { HelperRequest, SearchRequest, ThreadData, ThreadMessage, WalkedCounts } from "./messages.js";
export { startThreads, type Threads } from "./threads.js";
