/**
 * effect/search/grep: lines, names or counts of files that match.
 * Promises: no file is read that is no regular one, large ones in pieces; what is not shown is counted; one answer for one tree.
 * Must never know: threads, walks. Read first: scan.ts for files, merge.ts for the answer.
 */
export { createGrepMerge, type GrepEnd, type GrepMerge } from "./merge.js";
export { type BatchResult, createScan, type Scan } from "./scan.js";
