/**
 * provider/route: what a selection means now: which models at which connections, with which level, and what of a request they take.
 * Promises: pure, no network; the same input gives the same route; what fails says everything that is wrong. Must never know: values of
 * keys, vendors. Read first: types.ts, resolve.ts, select.ts, options.ts.
 */
export { connectionsOf, type ConnectionState } from "./connections.js";
export { isLastResort } from "./dispatch.js";
export { checkExtra, fitRequest, type Fitted } from "./fit.js";
export { matchesName } from "./match.js";
export { resolveRoute } from "./resolve.js";
export { splitLevel } from "./select.js";
export { effectiveThinking, type EffectiveThinking } from "./thinking.js";
export type * from "./types.js";
