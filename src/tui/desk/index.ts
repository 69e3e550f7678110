/**
 * desk: where the interface looks after plugins: asks the administration, has the runtime read again what changed.
 * Promises: one thing after the other; what comes of it returns as an event. Must never know: pages, keys. Read first: desk.ts.
 */
export { ModelDesk } from "./model-desk.js";
export { PluginDesk } from "./desk.js";
