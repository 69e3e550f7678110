/**
 * recovery: what a session file holds as open, how it ends, what can be gone on with; effects nobody knows the outcome of.
 * Promises: bounded reads; nothing is run again; every sentence for the model says only what the records say.
 * Must never know: how a turn is driven. Read first: recover.ts, settle.ts.
 */
export { blockedBy } from "./blocked.js";
export { findEffect, unknownEffects } from "./effects.js";
export { loadBranch, loadState } from "./load.js";
export { openCalls } from "./open-calls.js";
export { recover, reportable } from "./recover.js";
export { endEffects, endWorks, settleAll, settleInterrupted, settleOpenCalls } from "./settle.js";
export { wordFor } from "./word.js";
