/**
 * effect/text: comparing texts.
 * Promises: one way to compare for edits and for plugins, bounded in time and size. Must never know: where the texts are from.
 * Read first: unified-diff.ts.
 */
export { createTextFacilities } from "./facility.js";
export { unifiedDiff } from "./unified-diff.js";
