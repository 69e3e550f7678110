/**
 * interchange: a session as lines of JSON and back, for inspection and for entries that were made elsewhere.
 * Promises: what a dump holds comes back equal, in order, one change in memory at a time; what it lacks is said in it.
 * Must never know: files, locks, how lines are printed or imported. Read first: docs/reference/session-dump.md, dump.ts, read.ts.
 */
export { dumpLines } from "./dump.js";
export { readDump } from "./read.js";
export type { DumpHeader } from "./header.js";
