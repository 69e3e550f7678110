import { AUTH_COMMANDS, type AuthCommandId } from "./auth/declare.js";
import { DOCTOR_COMMAND } from "./doctor/declare.js";
import { type CommandDeclaration as Declaration, EVAL_FLAGS, INTERACTIVE_FLAGS } from "./flags.js";
import { MCP_COMMAND } from "./mcp/declare.js";
import { SERVER_COMMANDS, type ServerCommandId } from "./mcp-servers/declare.js";
import { MODEL_COMMANDS, type ModelCommandId } from "./models/declare.js";
import { PLUGIN_COMMANDS, type PluginCommandId } from "./plugins/declare.js";
import { SECRET_COMMANDS, type SecretCommandId } from "./secrets/declare.js";
import { SESSION_COMMANDS, type SessionCommandId } from "./sessions/declare/commands.js";

export type CommandId =
  | "interactive"
  | "eval"
  | "mcp"
  | "doctor"
  | GroupId
  | SessionCommandId
  | PluginCommandId
  | AuthCommandId
  | ModelCommandId
  | SecretCommandId
  | ServerCommandId;

/** Words that do nothing on their own: they group commands. */
type GroupId = "sessions" | "plugins" | "auth" | "models" | "secrets" | "mcp-servers";

const GROUPS: ReadonlySet<CommandId> = new Set<GroupId>(["sessions", "plugins", "auth", "models", "secrets", "mcp-servers"]);

/** Commands that do something. */
export type RunnableId = Exclude<CommandId, GroupId>;

export const isRunnable = (id: CommandId): id is RunnableId => !GROUPS.has(id);

export type CommandDeclaration = Declaration<CommandId>;

const EXIT_STATUSES = `Exit status:
  0    done
  1    the run or the command failed (model, tool, limit, no such session)
  2    wrong usage or configuration
  3    no credentials, or authentication was refused
  4    the session is being written by another process
  70   a bug in smith
  124  the --deadline was reached
  129, 130, 143  ended by SIGHUP, SIGINT, SIGTERM`;

export const COMMANDS: readonly CommandDeclaration[] = [
  {
    id: "interactive",
    summary: "A coding agent in the terminal. Without a command: the fullscreen interface.",
    operands: [{ notation: "[prompt...]", description: "what to do first" }],
    flags: INTERACTIVE_FLAGS,
    notes: ["Words after -- are always the prompt, also when they look like a command or a flag.", EXIT_STATUSES],
  },
  {
    id: "eval",
    summary: "run one prompt without the interface",
    operands: [{ notation: "[prompt...]", description: "the prompt; - reads standard input, @FILE includes a file" }],
    flags: EVAL_FLAGS,
    notes: [
      `Prompt:
  The words are joined by blanks. A word @FILE includes that file. Words after -- are taken as they are.
  Without words, standard input is the prompt. With words, a file or pipe on standard input is attached after
  them; a pipe that brings neither a byte nor its end within 1 s is left alone with a notice, unless the word -
  asks for it. Each of them may have 10 MiB.`,
      `Commands of plugins:
  A first word /NAME that is a command of a plugin runs that command, with everything after it. What it asks the
  model is the run; when it asks nothing, the run ends with status 0. After -- it is a prompt like any other.`,
      `Output:
  The text of the model on standard output as it comes, control characters made visible; everything else on
  standard error. With --json, one event a line; the last one is run_end, also when the run failed.
  When the reader of a pipe goes away, the run is stopped and ends quietly with the status so far.`,
      EXIT_STATUSES,
    ],
  },
  MCP_COMMAND,
  { id: "sessions", summary: "list, search, read, move and mend recorded sessions", operands: [], flags: [], notes: [] },
  ...SESSION_COMMANDS,
  { id: "plugins", summary: "list, install, check, trust and switch plugins", operands: [], flags: [], notes: [] },
  ...PLUGIN_COMMANDS,
  { id: "models", summary: "list, show, choose and refresh models", operands: [], flags: [], notes: [] },
  ...MODEL_COMMANDS,
  { id: "auth", summary: "store, show, try and remove keys of providers", operands: [], flags: [], notes: [] },
  ...AUTH_COMMANDS,
  { id: "secrets", summary: "store, list and remove values that models and records must not see", operands: [], flags: [], notes: [] },
  ...SECRET_COMMANDS,
  {
    id: "mcp-servers",
    summary: "set up, list, check and remove servers of the Model Context Protocol",
    operands: [],
    flags: [],
    notes: [],
  },
  ...SERVER_COMMANDS,
  DOCTOR_COMMAND,
];
