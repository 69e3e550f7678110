/**
 * host: plugins at work: generations and leases, which plugin runs in which cell, what happens to one that breaks.
 * Promises: what a lease holds stays usable until it is given back; one plugin's faults cost its own calls. Must never know: names
 * of tools or vendors, sessions, frontends. Read first: host.ts, lease.ts, cell-pool.ts.
 */
export { type CellKind, cellStart, EVALUATE_CELL, type SandboxFiles, TEST_CELL, WORK_CELL } from "./cell-start.js";
export { loadPluginIndex } from "./index-file.js";
export { createPluginHost, type PluginHostOptions } from "./host.js";
export { type PluginFiles, pluginFiles, type StartedPlugins, startPlugins } from "./start.js";
