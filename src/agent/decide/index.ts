/**
 * decide: the policy: one recorded input to state, entries and requests.
 * Promises: pure; pairing is whole at the end of every change; children settle before the work that owns them.
 * Must never know: time, files, providers, tools. Read first: decide.ts, then response.ts.
 */
export { whyNotNavigate } from "./branch.js";
export { decide } from "./decide.js";
export { type EndFacts, failTurn, policyEnd, stopEnd } from "./ending.js";
export { reconcileEffect } from "./reconcile.js";
export { dueAt } from "./safe-point.js";
