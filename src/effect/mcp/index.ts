/**
 * effect/mcp: servers of the Model Context Protocol: started or reached, kept, asked, ended with everything they started.
 * Promises: nothing waits for a server it does not need; a call is never sent twice; what a server says is bounded and never a command.
 * Must never know: names of tools as models see them, sessions, plugins. Read first: types.ts, hub.ts, server/keeper.ts.
 */
import { Hub } from "./hub.js";
import type { McpHub, McpHubDeps } from "./types.js";

export type * from "./types.js";

/** Reads, starts and loads nothing before a server is configured. */
export const createMcpHub = (deps: McpHubDeps): McpHub => new Hub(deps);
