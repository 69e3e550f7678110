/**
 * transcript: the items of a session in order, their rows, the window onto them.
 * Promises: an event costs O(1), a frame the visible rows; what a person looks at does not move by itself. Must never know: terminals, Ink.
 * Read first: store.ts, viewport.ts.
 */
export { type Item } from "./items.js";
export { type RowView, TranscriptRows } from "./rows.js";
export { TranscriptStore } from "./store.js";
export { FOLLOW, look, MAX_COUNTED, type RowSource, scroll, scrollTo, topSeq, type Viewport, type Window } from "./viewport.js";
