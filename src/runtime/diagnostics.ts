import { type Diagnostic, diagnostic, type OwnerInfo } from "../schema/index.js";

export const emptyInput = (): Diagnostic =>
  diagnostic({
    code: "input.empty",
    what: "The prompt is empty.",
    why: "It holds nothing but white space.",
    next: 'Say what you want done, for example: smith eval "list the files here".',
    exit: 2,
  });

export const keyConflict = (key: string): Diagnostic =>
  diagnostic({
    code: "submission.key-conflict",
    what: `The deduplication key ${JSON.stringify(key)} was used before with other content.`,
    why: "A key names one submission of a session for ever; the new content was not admitted.",
    next: "Use a new key for new content.",
  });

export const readOnlySession = (owner: OwnerInfo | undefined): Diagnostic =>
  diagnostic({
    code: "session.read-only",
    what: "This session is open for reading only.",
    why: owner === undefined ? "It was opened as an observer." : `It is being written by process ${String(owner.pid)} on ${owner.host}.`,
    next: "Wait until the other process is done, or start a new session.",
    exit: 4,
  });

export const busySession = (id: string, owner: OwnerInfo | undefined): Diagnostic =>
  diagnostic({
    code: "session.busy",
    what: `Session ${id} is being written by another process${owner === undefined ? "" : ` (pid ${String(owner.pid)} on ${owner.host})`}.`,
    why: "A session has one writer at a time; nothing was run.",
    next: "Wait for it, read along with `smith -r` in a terminal, or start a new session.",
    source: { type: "session", id },
    exit: 4,
  });

export const noSessionHere = (cwd: string): Diagnostic =>
  diagnostic({
    code: "session.none-here",
    what: `There is no session of ${cwd} to continue.`,
    why: "No recorded session was started in this directory.",
    next: "Start one without -c, or see all with `smith sessions list`.",
  });

export const closedSession = (): Diagnostic =>
  diagnostic({
    code: "session.closed",
    what: "This session is closed.",
    why: "Input came after it was closed.",
    next: "Open it again: smith -c.",
  });

export const unknownCost = (): string => "The cost of this model is not known, so --max-cost cannot stop this run.";

export const unknownTools = (names: readonly string[], known: readonly string[]): Diagnostic =>
  diagnostic({
    code: "tools.unknown",
    what: `No such tool: ${names.join(", ")}.`,
    why: "The list of tools for this run names what no plugin contributes.",
    next: `Use any of: ${known.join(", ")}.`,
    source: { type: "flag", name: "--tools" },
    exit: 2,
  });
