/**
 * config/mcp: servers of the Model Context Protocol as `mcp` blocks of KDL files and as `mcp.json` files name them.
 * Promises: one wrong server takes no other along; every problem with its place. Must never know: how servers are started or reached.
 * Read first: servers.ts.
 */
export type { McpFile } from "./fields.js";
export { isMcpNode, readMcpServers } from "./servers.js";
export { addMcpServer, type McpFilePlace, removeMcpServer } from "./file-change.js";
