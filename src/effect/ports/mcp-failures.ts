import type { Diagnostic, McpCallInput } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";

export const mcpDenied = (plugin: string, server: string | undefined, granted: readonly string[]): Diagnostic =>
  grantDenied({
    plugin,
    wanted:
      server === undefined ? "use servers of the Model Context Protocol" : `use the MCP server ${JSON.stringify(server.slice(0, 80))}`,
    why: granted.length === 0 ? "It has no grant mcp." : `Its grant is mcp ${granted.join(", ")}.`,
    manifest: `mcp ${JSON.stringify(server?.slice(0, 80) ?? "*")}`,
  });

export const mcpUnavailable = (): Diagnostic =>
  diagnostic({
    code: "mcp.unavailable",
    what: "No MCP server can be used here.",
    why: "This run was started without any.",
    next: "Set one up with `smith mcp-servers add`.",
  });

export const mcpArgumentsTooLarge = ({ server, tool }: McpCallInput, bytes: number, most: number): Diagnostic =>
  diagnostic({
    code: "mcp.arguments-too-large",
    what: `The arguments for ${tool} of ${server} have ${bytes} bytes of JSON.`,
    why: `At most ${most} bytes are sent in one call.`,
    next: "Send less, or in several calls.",
  });
