/** A fifth door, for looking after MCP servers: no plugin, provider or session is loaded. */
export { createServerAdmin, type ServerAdmin, type ServerPlace } from "./mcp/admin.js";
export type { McpCheck } from "../effect/index.js";
