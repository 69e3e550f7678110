/**
 * runtime/session: one open session as frontends see it: the live one over a driver, the observed one over a reader.
 * Promises: the same events live and from the file; a file appears with its first input; closing leaves nothing running.
 * Must never know: how the runtime was composed. Read first: live-session.ts, session-parts.ts, session-factory.ts.
 */
export { LiveSession } from "./live-session.js";
export { ObserverSession } from "./observer-session.js";
export { recoverable } from "./refusal.js";
export { createSessionParts, type SessionRequest } from "./session-factory.js";
export { type SessionTarget } from "./file/index.js";
export { callableTools } from "./plugins/index.js";
export { initialModel, type OpenedModel, recordedChoice } from "./model/index.js";
export { type Counting, countingAnew, countingFrom, recordedStatus, selectionOf } from "./view/index.js";
