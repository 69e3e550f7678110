/**
 * shape: strict readers of everything a guest says: operations, results, actions, views, provider answers.
 * Promises: a fresh value of exactly the declared fields, or one sentence with the path to what is wrong; what people see holds no
 * control characters. Must never know: cells, grants, sessions. Read first: shape.ts, view.ts.
 */
export { actions, oversized } from "./actions.js";
export { cleanLine, cleanText, clipUnits } from "./clean.js";
export { type GuestError, guestError, type GuestInput, hostErrorWords, OPERATION_INPUTS } from "./operations.js";
export { toolSetOffer, type WordedCommand, type WordedTool } from "./offer.js";
export { toolOutput } from "./output.js";
export { deltas, exchangePlan, exchangePlans, models, orAbsent, providerError } from "./provider.js";
export { json, list, object, readJson, type Reader, readShape, text } from "./shape.js";
export { renderNode, textRole } from "./view.js";
