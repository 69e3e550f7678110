import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";

export const programDenied = (plugin: string, program: string, granted: readonly string[]): Diagnostic =>
  grantDenied({
    plugin,
    wanted: `run ${JSON.stringify(program)}`,
    why:
      granted.length === 0
        ? "It has no grant process."
        : `Its grant is process=${granted.join(", ")}. With such a grant a command line is one program with plain words: no quotes, variables, pipes or lists; a pattern of several words must fit the arguments too.`,
    instead: "Run a granted program",
    manifest: `process ${JSON.stringify(program)}`,
  });

export const variableDenied = (plugin: string, name: string, granted: readonly string[]): Diagnostic =>
  grantDenied({
    plugin,
    wanted: `set the variable ${name} of a process`,
    why: name.startsWith("SMITH_")
      ? "Variables that begin with SMITH_ are marks of smith itself."
      : granted.length === 0
        ? "Its grant process lists no variables."
        : `Its grant process has env=${granted.join(",")}. A variable that decides what code a program runs is granted by its own name only.`,
    instead: "Leave the variable out",
    manifest: `process "…" env="${name}"`,
  });

export const badVariable = (name: string): Diagnostic =>
  diagnostic({
    code: "process.bad-variable",
    what: `The variable ${JSON.stringify(name)} cannot be set.`,
    why: "A name is letters, digits and underscores, not beginning with a digit, and no value holds a NUL.",
    next: "Name it like MY_SETTING and give it a text.",
  });

export const programMissing = (program: string): Diagnostic =>
  diagnostic({
    code: "process.not-found",
    what: `There is no program ${JSON.stringify(program)}.`,
    why: program.includes("/")
      ? "At that path, seen from the folder the process starts in, there is no file that may be run."
      : "No folder of PATH holds a file of that name that may be run.",
    next: "Check the name, or ask the user to install the program.",
  });

export const stdinTooLarge = (bytes: number, most: number): Diagnostic =>
  diagnostic({
    code: "process.stdin-too-large",
    what: `The standard input given has ${bytes} bytes.`,
    why: `At most ${most} bytes are handed to a process.`,
    next: "Write the text to a file and let the process read that.",
  });

export const badCommand = (problem: string): Diagnostic =>
  diagnostic({
    code: "process.bad-command",
    what: `The command cannot be run: ${problem}.`,
    why: "A command line, and every argument of a program, is text without a NUL.",
    next: "Give one command line, or a program with its arguments.",
  });

export const badFolder = (path: string): Diagnostic =>
  diagnostic({
    code: "process.bad-cwd",
    what: `The working directory ${path} is not a folder that exists.`,
    why: "A command starts in a folder; without one it would not start at all.",
    next: "Name a folder that exists, or make it first; if it is the workspace itself, it has to be there again.",
  });

export const noTerminal = (): Diagnostic =>
  diagnostic({
    code: "process.no-terminal",
    what: "The command was not run: there is no terminal for it.",
    why: "Terminals need the package @lydell/node-pty, which is not installed or does not fit this machine.",
    next: "Run it without pty, or install smith again with its optional packages.",
  });

export const spawnFailed = (file: string, errno: string): Diagnostic =>
  diagnostic({
    code: "process.not-started",
    what: `${file} could not be started (${errno}).`,
    why:
      errno === "E2BIG"
        ? "The command line or its variables are longer than the system takes (about 128 KiB)."
        : "The operating system refused to make the process; nothing was run.",
    next:
      errno === "E2BIG"
        ? "Write the text to a file first and let the command read it."
        : "Check the program and the limits of the system, then try again.",
  });

export const commandStopped = (): Diagnostic =>
  diagnostic({
    code: "process.aborted",
    what: "The command was stopped before it started.",
    why: "The call was aborted; nothing was run.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });

export const processDeniedAtAll = (plugin: string): Diagnostic =>
  grantDenied({ plugin, wanted: "look after jobs", why: "It has no grant process.", manifest: 'process "…"' });

/** `formerFile`: what it printed in an earlier process. */
export const jobUnknown = (job: string, known: readonly string[], formerFile?: string): Diagnostic =>
  diagnostic({
    code: "process.no-such-job",
    what:
      formerFile === undefined
        ? `There is no job ${JSON.stringify(job.slice(0, 40))}.`
        : `${job} has ended: it was started by a smith that has ended since, or it was too long ago.`,
    why: known.length === 0 ? "Jobs end with the smith that started them, and none was started since." : `There are ${known.join(", ")}.`,
    next:
      formerFile === undefined
        ? "Use the name a job was started under, or start it again."
        : `What it printed is in ${formerFile}. Start it again if it is needed.`,
  });

export const jobsFull = (running: readonly string[]): Diagnostic =>
  diagnostic({
    code: "process.too-many-jobs",
    what: `The job was not started: ${running.length} run already.`,
    why: `More would not be looked after: ${running.join(", ")}.`,
    next: "End one that is not needed any more.",
  });
