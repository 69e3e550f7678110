/**
 * effect/text: comparing texts.
 * Promises: one way to compare for edits and for plugins, bounded in time and size. Must never know: where the texts are from.
 * Read first: unified-diff.ts.
 */
export { createTextFacilities } from "./facility.js";
export { type LineChange, lineChanges } from "./line-diff.js";
export { composeSpans, type Span } from "./spans.js";
export { type DiffReport, unifiedDiff } from "./unified-diff.js";
