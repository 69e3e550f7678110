/**
 * models: models in the words of the interface: which of them can be used, what is known of each, which one a few letters mean.
 * Promises: pure; texts of servers and plugins are sanitized here. Must never know: keys, the store, Ink. Read first: types.ts, rows.ts.
 */
export { fittingRows } from "./filter.js";
export { levelsOf, modelRows } from "./rows.js";
export type { ModelPort, ModelRow } from "./types.js";
