/** The commands below `smith mcp-servers`, their flags and their help. Knows nothing of how any of them works. */
import { type CommandDeclaration, type Flag, JSON_FLAG, PLACE_FLAGS } from "../flags.js";
import { note, PIPES, statuses } from "../output/notes.js";

const PROJECT: Flag = { name: "--project", description: "in .mcp.json of the project instead of your own mcp.json" };
const NAME = { notation: "<name>", description: "the server's name" };

const LIST = {
  id: "mcp-servers list",
  summary: "show the servers that are set up, and where",
  operands: [],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      "One line for each: its name, whether it is on, how it is reached, and the file that names it. Nothing is started: smith mcp-servers check does that.",
    ),
    note(
      "Places",
      "mcp.json and the mcp block of config.kdl in your configuration folder; .mcp.json and the mcp block of .smith/config.kdl in the project, once it is trusted. Of two servers with one name that of the project counts.",
    ),
    PIPES,
    statuses("0 done", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const ADD = {
  id: "mcp-servers add",
  summary: "set up a server: a command to start, or a url to reach",
  operands: [NAME, { notation: "[command...]", description: "program and arguments, after --" }],
  flags: [
    { name: "--url", value: "URL", description: "reach it over HTTP instead of starting a command" },
    { name: "--env", value: "NAME=VALUE", description: "a variable of the command (may be repeated)" },
    { name: "--header", value: "NAME: VALUE", description: "a header of each request (may be repeated)" },
    { name: "--bearer-env", value: "NAME", description: "send the value of this variable as a bearer token" },
    { name: "--timeout", value: "MS", description: "milliseconds one request may take; 30000 when left out" },
    { name: "--allow", value: "TOOL", description: "offer only these of its tools, with * for any text (may be repeated)" },
    { name: "--deny", value: "TOOL", description: "do not offer these (may be repeated)" },
    { name: "--required", description: "a run that cannot reach it fails" },
    PROJECT,
    { name: "--cwd", value: "DIR", description: "work in this folder" },
  ],
  notes: [
    note(
      "Examples",
      "smith mcp-servers add files -- npx -y @modelcontextprotocol/server-filesystem .; smith mcp-servers add docs --url https://example.com/mcp --bearer-env DOCS_TOKEN.",
    ),
    note(
      "Secrets",
      "Values are written to the file as they are given, so a key has no place in them: {secret:NAME} stands for a stored secret or a variable, ${NAME} for a variable.",
    ),
    note(
      "What is done",
      "The file is changed, and what else is in it stays. A server of that name is replaced. It is used from the next start on.",
    ),
    statuses("0 set up", "1 the file could not be written", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const REMOVE = {
  id: "mcp-servers remove",
  summary: "take a server out of mcp.json",
  operands: [NAME],
  flags: [PROJECT, { name: "--cwd", value: "DIR", description: "work in this folder" }],
  notes: [
    note(
      "What is done",
      "Only mcp.json files are changed. A server of a config.kdl is taken out there by hand; the command says where it is.",
    ),
    statuses("0 removed", "1 there is none in that file, or it could not be written", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const CHECK = {
  id: "mcp-servers check",
  summary: "connect to servers and show what they have",
  operands: [{ notation: "[name...]", description: "only these; all that are on when left out" }],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      "For each server what it calls itself, the revision of the protocol, its tools and prompts, and what was odd; of one that failed why, and the end of what it wrote to standard error.",
    ),
    PIPES,
    statuses("0 all of them answered", "1 one of them did not", "2 wrong usage, or no such server"),
  ],
} as const satisfies CommandDeclaration<string>;

const LOGIN = {
  id: "mcp-servers login",
  summary: "sign in to a server in the browser",
  operands: [NAME],
  flags: [...PLACE_FLAGS],
  notes: [
    note(
      "What is done",
      "The address to open is shown; the browser comes back to this machine. The sign-in is kept in mcp-auth.json below the data folder, which only you can read, and renewed by itself.",
    ),
    statuses("0 signed in", "1 it did not come to that", "2 wrong usage, or no such server"),
  ],
} as const satisfies CommandDeclaration<string>;

const LOGOUT = {
  id: "mcp-servers logout",
  summary: "forget a sign-in",
  operands: [NAME],
  flags: [...PLACE_FLAGS],
  notes: [statuses("0 forgotten", "1 there was none", "2 wrong usage, or no such server")],
} as const satisfies CommandDeclaration<string>;

const ALL = [LIST, ADD, REMOVE, CHECK, LOGIN, LOGOUT] as const;

export type ServerCommandId = (typeof ALL)[number]["id"];

export const SERVER_COMMANDS: readonly CommandDeclaration<ServerCommandId>[] = ALL;
