import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const mcpTokensFailed = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "mcp.sign-ins-unusable",
    what: `The sign-ins with MCP servers in ${path} cannot be used.`,
    why,
    next: "Look at the file, or remove it and sign in again with `smith mcp-servers login`.",
    source: { type: "file", path },
  });

export const mcpTokensBusy = (path: string, waitedMs: number): Diagnostic =>
  diagnostic({
    code: "mcp.sign-ins-busy",
    what: `Another process holds ${path}, still after ${Math.round(waitedMs / 1000)} s.`,
    why: "Only one process changes it at a time.",
    next: "Try again when the other smith has finished.",
    source: { type: "file", path },
    retry: { type: "now" },
  });

/** What a tool set says of what it could not offer. */
export const toolSetNote = (plugin: string, note: string): Diagnostic =>
  diagnostic({
    code: "mcp.tools-left-out",
    what: note,
    why: "It is said by the plugin that turns what servers list into tools.",
    next: "`/mcp` and `smith mcp-servers check` show what each server has.",
    source: { type: "plugin", id: plugin },
    severity: "warning",
  });

export const mcpCredentialMissing = (name: string): Diagnostic =>
  diagnostic({
    code: "mcp.credential-missing",
    what: `The token of the MCP server is not set: ${name}.`,
    why: "Its setting says that it is there.",
    next: "Set it, or change the server's bearer.",
    exit: 3,
  });

export const mcpCredentialFailed = (command: string): Diagnostic =>
  diagnostic({
    code: "mcp.credential-command",
    what: `The command that gives the MCP server's token failed: ${command.slice(0, 120)}`,
    why: "It ended with an error, or printed nothing.",
    next: "Run it by hand, and correct the server's bearer.",
    exit: 3,
  });

export const noServer = (server: string): Diagnostic =>
  diagnostic({
    code: "mcp.none",
    what: `There is no MCP server ${JSON.stringify(server.slice(0, 100))}.`,
    why: "None is set up in this run.",
    next: "Set one up with `smith mcp-servers add`.",
  });
