import { EVAL_FLAGS, type Flag, GET_FLAGS, GREP_FLAGS, INTERACTIVE_FLAGS, LIST_FLAGS } from "./flags.js";

export type CommandId = "interactive" | "eval" | "sessions" | "sessions list" | "sessions grep" | "sessions get";

/** Commands that do something; `sessions` alone only groups others. */
export type RunnableId = Exclude<CommandId, "sessions">;

export const isRunnable = (id: CommandId): id is RunnableId => id !== "sessions";

/** One command, once: the parser, its help and the reference are made from this. */
export interface CommandDeclaration {
  readonly id: CommandId;
  readonly summary: string;
  /** In commander's notation. */
  readonly argument?: { readonly notation: string; readonly description: string };
  readonly flags: readonly Flag[];
  /** Paragraphs after the flags in help. */
  readonly notes: readonly string[];
}

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
    argument: { notation: "[prompt...]", description: "what to do first" },
    flags: INTERACTIVE_FLAGS,
    notes: ["Words after -- are always the prompt, also when they look like a command or a flag.", EXIT_STATUSES],
  },
  {
    id: "eval",
    summary: "run one prompt without the interface",
    argument: { notation: "[prompt...]", description: "the prompt; - reads standard input, @FILE includes a file" },
    flags: EVAL_FLAGS,
    notes: [
      `Prompt:
  The words are joined by blanks. A word @FILE includes that file. Words after -- are taken as they are.
  Without words, standard input is the prompt. With words, a file or pipe on standard input is attached after
  them; a pipe that brings neither a byte nor its end within 1 s is left alone with a notice, unless the word -
  asks for it. Each of them may have 10 MiB.`,
      `Output:
  The text of the model on standard output as it comes, control characters made visible; everything else on
  standard error. With --json, one event a line; the last one is run_end, also when the run failed.
  When the reader of a pipe goes away, the run is stopped and ends quietly with the status so far.`,
      EXIT_STATUSES,
    ],
  },
  { id: "sessions", summary: "list, search and read recorded sessions", flags: [], notes: [] },
  {
    id: "sessions list",
    summary: "list sessions, newest first",
    flags: LIST_FLAGS,
    notes: [
      `Order and damage:
  Newest first, by the time of the last change. A damaged session is listed as damaged.
  Nothing is locked, repaired or run; sessions that are being written are listed as they are on disk.`,
      `Exit status:
  0    done, also when there are none
  2    wrong usage`,
    ],
  },
  {
    id: "sessions grep",
    summary: "search what was recorded",
    argument: { notation: "<pattern>", description: "JavaScript regular expression (Unicode mode), or text with -F" },
    flags: GREP_FLAGS,
    notes: [
      `Search:
  Line by line, in prompts, answers, thinking, tool arguments and tool results, on all branches.
  A line of output names session, entry and part:  <session>:<entry>:<part>:<line>: <text>
  Sessions newest first, entries in the order they were written.`,
      `Damage:
  A damaged part is told on standard error; the rest is still searched.`,
      `Exit status:
  0    found
  1    nothing found
  2    wrong usage, or something could not be read`,
    ],
  },
  {
    id: "sessions get",
    summary: "read one session",
    argument: { notation: "<id>", description: "its id, or the last digits of it (4 at least)" },
    flags: GET_FLAGS,
    notes: [
      `Order and damage:
  All entries of all branches in the order they were written, up to the last complete one.
  What cannot be read is told on standard error, the rest is still shown, and the status is 1.`,
      `Exit status:
  0    done
  1    no such session, or a part of it is damaged
  2    wrong usage`,
    ],
  },
];
