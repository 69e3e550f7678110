/**
 * mcp: smith as a server of the Model Context Protocol, over lines of bytes that somebody else reads and writes.
 * Promises: nothing but messages is written; a line that is none ends nothing; what runs for a client ends with its request or with it.
 * Must never know: command lines, processes, where files are. Read first: serve.ts, transport.ts, tools.ts.
 */
export { serveMcp } from "./serve.js";
export type { McpServerPorts, MessageOutput } from "./types.js";
