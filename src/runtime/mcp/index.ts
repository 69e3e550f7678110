/**
 * runtime/mcp: servers of the Model Context Protocol as all sessions of a runtime share them, and the tools made of them.
 * Promises: a start waits for no server; what servers list becomes tools through a plugin, at the next request. Must never know: names
 * of tools, what servers can do. Read first: servers.ts, tool-sets.ts.
 */
export type { McpCheck } from "../../effect/index.js";
export type { ServerAdmin, ServerPlace } from "./admin.js";
export { createServers, type Servers } from "./servers.js";
