/**
 * stream: what single events of an answer say.
 * Promises: pure; state is plain JSON and small, and what comes out does not depend on how events were batched.
 * Must never know: how an answer ends, which server sent it. Read first: delta.ts, then calls.ts and inline.ts.
 */
export { type Calls, closeCalls, takeFragments } from "./calls.js";
export { callsOf, spoken } from "./delta.js";
export { detailOf } from "./details.js";
export { flushInline, type Inline, MAY_BE_INLINE, NO_INLINE, takeInline } from "./inline.js";
export { laterUsage, usageOf } from "./usage.js";
