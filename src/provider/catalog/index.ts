/**
 * provider/catalog: what is known of models, fact by fact, and who says it. Promises: pure; the same input gives the same answers in the
 * same order; what is absent is unknown. Must never know: connections' keys, the network, files. Read first: types.ts, layers.ts.
 */
export { createCatalog } from "./catalog.js";
export { describeEntry, type FactRow } from "./describe.js";
export type * from "./types.js";
