/**
 * effect/search/walk: everything below a folder.
 * Promises: order by path bytes, links never followed, `.git` and denied places never entered. Must never know: patterns.
 * Read first: walk.ts.
 */
export { rootKind } from "./root.js";
export { type EntryKind, newCounts, readFolder, rulesAround, walk, type WalkCounts, type WalkEntry, type WalkOptions } from "./walk.js";
