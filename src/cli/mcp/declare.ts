import { type CommandDeclaration, MCP_FLAGS } from "../flags.js";
import { note, statuses } from "../output/notes.js";

/** The command that serves another client: what `smith help`, the parser and the reference know of it. */
export const MCP_COMMAND = {
  id: "mcp",
  summary: "serve tools, prompts and sessions to a client of the Model Context Protocol",
  operands: [],
  flags: MCP_FLAGS,
  notes: [
    note(
      "Protocol",
      "One JSON-RPC message a line, read from standard input and written to standard output; nothing else is written there. It ends when standard input is closed.",
    ),
    note(
      "Mode",
      "auto when neither --mode nor the settings say otherwise: whoever starts a server asked for its work, and the client asks its own user before it calls a tool. With --mode read-only nothing can be changed.",
    ),
    note("Example", "claude mcp add smith -- smith mcp --cwd /path/to/project"),
    statuses("0 the client closed the connection", "2 wrong usage or configuration", "130, 143 ended by SIGINT, SIGTERM"),
  ],
} as const satisfies CommandDeclaration<string>;
