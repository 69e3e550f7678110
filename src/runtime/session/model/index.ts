/**
 * runtime/session/model: which model a session goes on with, and its memory of what was chosen in it.
 * Promises: what was chosen comes back with the session; a default is never recorded; a choice that cannot be used now stays recorded.
 * Must never know: how a selection is resolved, vendors. Read first: memory.ts, initial.ts.
 */
export { initialModel, type OpenedModel } from "./initial.js";
export { createModelMemory, type ModelMemory } from "./memory.js";
export { recordedChoice } from "./recorded.js";
