import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

export const programDenied = (plugin: string, program: string, granted: readonly string[]): Diagnostic =>
  diagnostic({
    code: "grant.process-denied",
    what: `${plugin} may not run ${JSON.stringify(program)}.`,
    why:
      granted.length === 0
        ? "It has no grant process."
        : `Its grant is process=${granted.join(", ")}, and with such a grant a command is one program with plain words: no quotes, variables, pipes or lists.`,
    next: "Run a granted program, or ask the user to run it or to widen the grant of the plugin.",
    source: { type: "plugin", id: plugin },
  });

export const badCommand = (problem: string): Diagnostic =>
  diagnostic({
    code: "process.bad-command",
    what: `The command cannot be run: ${problem}.`,
    why: "It is handed to the shell as one argument, which must hold text and no NUL.",
    next: "Give one command line.",
  });

export const badFolder = (path: string): Diagnostic =>
  diagnostic({
    code: "process.bad-cwd",
    what: `The working directory ${path} is not a folder that exists.`,
    why: "A command starts in a folder; without one it would not start at all.",
    next: "Leave cwd out to start in the workspace, or make the folder first.",
  });

export const spawnFailed = (shell: string, errno: string): Diagnostic =>
  diagnostic({
    code: "process.not-started",
    what: `${shell} could not be started (${errno}).`,
    why:
      errno === "E2BIG"
        ? "The command line is longer than the system takes (about 128 KiB)."
        : "The operating system refused to make the process; nothing was run.",
    next:
      errno === "E2BIG"
        ? "Write the text to a file first and let the command read it."
        : "Check the shell and the limits of the system, then try again.",
  });

export const commandStopped = (): Diagnostic =>
  diagnostic({
    code: "process.aborted",
    what: "The command was stopped before it started.",
    why: "The call was aborted; nothing was run.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });
