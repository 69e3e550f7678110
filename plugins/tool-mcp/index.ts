import { definePlugin, type ToolSet } from "smith-agent/plugin";
import { mcpCommand } from "./command/mcp.js";
import { runPrompt } from "./command/prompt.js";
import { type McpSource, offer } from "./offer/offer.js";
import { run } from "./run.js";

/** Tools, readers and prompts of the servers of the Model Context Protocol. */
export const mcp: ToolSet<McpSource> = { offer, run, command: runPrompt };

export default definePlugin({ toolSets: { mcp }, commands: { mcp: mcpCommand } });
