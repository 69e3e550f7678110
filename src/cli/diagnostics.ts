import { type Diagnostic, diagnostic } from "../schema/index.js";

const usage = (fields: Pick<Diagnostic, "code" | "what" | "why" | "next">): Diagnostic => diagnostic({ ...fields, exit: 2 });

const helpFor = (command: string): string => `See smith ${command === "" ? "" : `${command} `}--help.`;

export const unknownFlag = (flag: string, command: string, suggestion: string | undefined): Diagnostic =>
  usage({
    code: "usage.unknown-flag",
    what: `unknown flag ${flag}`,
    why: `smith${command === "" ? "" : ` ${command}`} has no such flag.`,
    next:
      suggestion === undefined
        ? `${helpFor(command)} A prompt that begins with a dash is written after --.`
        : `Did you mean ${suggestion}? A prompt that begins with a dash is written after --.`,
  });

export const unknownCommand = (word: string, parent: string, suggestion: string | undefined): Diagnostic =>
  usage({
    code: "usage.unknown-command",
    what: `unknown command ${word}`,
    why: `smith${parent === "" ? "" : ` ${parent}`} has no such command.`,
    next:
      suggestion === undefined
        ? helpFor(parent)
        : `Did you mean smith ${suggestion}?${parent === "" ? ` To send the word as a prompt: smith -- ${word}` : ""}`,
  });

export const missingCommand = (parent: string, commands: readonly string[]): Diagnostic =>
  usage({
    code: "usage.missing-command",
    what: `smith ${parent} needs a command`,
    why: "It does nothing on its own.",
    next: `Use one of: ${commands.map((name) => `smith ${name}`).join(", ")}.`,
  });

export const missingArgument = (name: string, command: string): Diagnostic =>
  usage({ code: "usage.missing-argument", what: `smith ${command} needs ${name}`, why: "It was called without.", next: helpFor(command) });

export const missingValue = (flag: string, command: string): Diagnostic =>
  usage({ code: "usage.missing-value", what: `${flag} has no value`, why: "The flag needs one right after it.", next: helpFor(command) });

export const tooManyArguments = (command: string): Diagnostic =>
  usage({
    code: "usage.too-many-arguments",
    what: `too many arguments for smith ${command}`,
    why: "There are more words than it takes.",
    next: `Quote an argument that holds blanks. ${helpFor(command)}`,
  });

export const misplacedFlag = (flag: string, command: string): Diagnostic =>
  usage({
    code: "usage.misplaced-flag",
    what: `${flag} does not belong to smith ${command}`,
    why: "It would have no effect there.",
    next: `Leave it out. ${helpFor(command)}`,
  });

/** `why`: what both of them would decide. */
export const conflictingFlags = (one: string, other: string, why: string): Diagnostic =>
  usage({ code: "usage.conflict", what: `${one} and ${other} exclude each other`, why, next: "Use one of them." });

export const workNeedsSession = (): Diagnostic =>
  usage({
    code: "usage.work-needs-session",
    what: "--resume-work needs a session",
    why: "It goes on with the turn that an earlier process left open in a session; no session is named.",
    next: "Add -c for the newest session of this folder, or --session ID.",
  });

export const workNeedsNoPrompt = (): Diagnostic =>
  usage({
    code: "usage.work-needs-no-prompt",
    what: "--resume-work takes no prompt",
    why: "It goes on with the prompt that was interrupted.",
    next: "Leave the words out. To say something new instead, leave --resume-work out.",
  });

export const watchNeedsPlugin = (): Diagnostic =>
  usage({
    code: "usage.watch-needs-plugin",
    what: "--watch needs --plugin",
    why: "It reads the plugins named by --plugin again when they change; none is named.",
    next: "Name the folder of a plugin: smith --plugin DIR --watch.",
  });

/** `why`: what keeps the folder from being one of a plugin. */
export const notAPlugin = (path: string, why: string): Diagnostic =>
  usage({
    code: "usage.not-a-plugin",
    what: `${path === "" ? "--plugin (empty)" : path} is no plugin`,
    why,
    next: "Name a folder with a manifest.kdl. A new plugin is written with: smith plugins new DIR.",
  });

export const notAFolder = (path: string): Diagnostic =>
  usage({
    code: "usage.not-a-folder",
    what: `--cwd ${path} is no folder`,
    why: "It does not exist, is something else, or cannot be entered.",
    next: "Name a folder that exists.",
  });

export const cannotHold = (path: string): Diagnostic =>
  usage({
    code: "usage.no-place",
    what: `${path} is not there and cannot be made`,
    why: "What is above it shows things of the system, or mounts what others keep, and takes no new folders.",
    next: "Name another folder with SMITH_HOME, or with HOME.",
  });

export const noTerminal = (stream: string): Diagnostic =>
  usage({
    code: "usage.no-terminal",
    what: "smith needs a terminal",
    why: `${stream} is not a terminal, and the interface cannot be shown without one.`,
    next: 'For one run without the interface use: smith eval "what to do".',
  });

export const dumbTerminal = (): Diagnostic =>
  usage({
    code: "usage.dumb-terminal",
    what: "smith needs a terminal that can move its cursor",
    why: "TERM is dumb: such a terminal has no second screen for the interface and no way to paint it.",
    next: 'For one run without the interface use: smith eval "what to do". If the terminal can do more, set TERM to its name.',
  });

export const noPrompt = (why: string): Diagnostic =>
  usage({
    code: "usage.no-prompt",
    what: "there is no prompt",
    why,
    next: 'Give it as words, smith eval "what to do", or on standard input.',
  });

export const fileNotIncluded = (path: string, why: string): Diagnostic =>
  usage({
    code: "input.file",
    what: `@${path} cannot be included`,
    why,
    next: "Correct the path. To send the word itself, write it after --.",
  });

export const inputTooLong = (maxBytes: number): Diagnostic =>
  usage({
    code: "input.too-long",
    what: "standard input is too long",
    why: `More than ${String(maxBytes)} bytes were offered, and a prompt may have so many at most.`,
    next: "Put it into a file and name the file in the prompt, so that only what is needed is read.",
  });

export const inputUnreadable = (reason: string): Diagnostic =>
  usage({
    code: "input.unreadable",
    what: "standard input cannot be read",
    why: `The system says: ${reason}.`,
    next: "Connect a file or a pipe to it, or < /dev/null for none.",
  });

export const inputNotText = (): Diagnostic =>
  usage({
    code: "input.not-text",
    what: "standard input is not text",
    why: "It holds zero bytes.",
    next: "Put it into a file and name the file in the prompt.",
  });

export const outputFailed = (reason: string): Diagnostic =>
  diagnostic({
    code: "output.failed",
    what: "standard output cannot be written",
    why: reason,
    next: "Make room or choose another place for the output. What was recorded is not lost: smith sessions list.",
  });

const STOPPED: Readonly<Record<string, readonly [why: string, next: string]>> = {
  rounds: ["The limit of requests to the model (limits.max-turns) was reached.", "Raise it with --max-turns, or continue with -c."],
  tree: ["The limit of requests including sub-agents was reached.", "Continue with -c, or ask for less at once."],
  tokens: ["The limit of tokens (limits.max-tokens) was reached.", "Raise it with --max-tokens, or continue with -c."],
  cost: ["The limit of cost (limits.max-cost) was reached.", "Raise it with --max-cost, or continue with -c."],
  deadline: ["The deadline (limits.deadline) was reached.", "Allow more time with --deadline, or continue with -c."],
  stall: ["The model made the same tool calls again and again.", "Say more exactly what to do, or use another model; -c continues."],
};

/** For a run that ended without an error of its own. */
export function runStopped(reason: string): Diagnostic {
  const [why, next] = STOPPED[reason] ?? ["The run ended before the model was done.", "Read what happened: smith sessions get."];
  return diagnostic({ code: "run.stopped", what: "the run was stopped before it was done", why, next });
}

export const internalError = (detail: string): Diagnostic =>
  diagnostic({
    code: "internal.bug",
    what: `smith failed: ${detail}`,
    why: "This is a bug in smith, not something you did.",
    next: "Please report it with this message. What was recorded is in the session and can be continued with -c.",
    exit: 70,
  });
