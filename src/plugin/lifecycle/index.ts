/**
 * plugin/lifecycle: runs the handlers of one event in order and makes one boundary of what they want.
 * Promises: a batch is carried out whole or not at all; no key is given two values; a required handler that cannot answer is a no.
 * Must never know: what any action does, which plugins there are. Read first: merge.ts, lifecycle.ts.
 */
export type { EventInBrief, Occasion } from "./admit.js";
export { createLifecycle, judgeAlone, judgeCommand } from "./lifecycle.js";
