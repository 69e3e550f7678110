import { closest, type SessionId, shortId } from "../base/index.js";
import { type Diagnostic, diagnostic, type DiagnosticSource, type OwnerInfo } from "../schema/index.js";

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

/** Others and the turn go on: what one observer does with an event concerns nobody else. */
export const observerFailed = (error: unknown): Diagnostic =>
  diagnostic({
    code: "runtime.observer",
    what: `An observer of the session failed on an event: ${error instanceof Error ? error.message : String(error)}`,
    why: "What it made of this event is lost; the turn and the other observers are not affected.",
    next: "Report this with the log (SMITH_LOG=debug); the session file holds everything.",
  });

export const noSessionHere = (cwd: string): Diagnostic =>
  diagnostic({
    code: "session.none-here",
    what: `There is no session of ${cwd} to continue.`,
    why: "No recorded session was started in this directory.",
    next: "Start one without -c, or see all with `smith sessions list`.",
  });

/** No other process is in the way: the end of the file is lost, or was written by a version that knows more. */
export const notWritable = (id: SessionId, damage: readonly Diagnostic[]): Diagnostic =>
  diagnostic({
    code: "session.not-writable",
    what: `Session ${shortId(id)} can be read but not continued.`,
    why:
      damage.length === 0
        ? "It holds records this version of smith does not know, and what is written after them could contradict them."
        : "What was stored last in it is damaged, and a continuation would hide that.",
    next: `Read it with \`smith sessions get ${shortId(id)}\`, and go on in a new session.`,
    source: { type: "session", id },
    ...(damage.length === 0 ? {} : { causes: damage }),
  });

/** Input of an earlier process that was admitted and never delivered: it is, and people are told. */
export const queuedEarlier = (texts: readonly string[]): string =>
  `Queued in an earlier run and delivered in this one: ${texts.map((text) => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)).join(", ")}`;

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

export const unknownPlugin = (id: string, known: readonly string[]): Diagnostic =>
  diagnostic({
    code: "plugins.unknown",
    what: `No plugin is called ${JSON.stringify(id)}, so nothing was disabled by that name.`,
    why: "The setting disabledPlugins names it.",
    next: `Use ${closest(id, known) ?? `any of: ${known.join(", ")}`}.`,
    severity: "warning",
  });

/** `source` is what switched plugins off. */
export const pluginsOff = (source: DiagnosticSource | undefined): Diagnostic =>
  diagnostic({
    code: "plugins.off",
    what: "No plugin is loaded, so there is no model to ask and no tool to use.",
    why: `${switchedBy(source)} switched plugins off; models and tools are plugins, the bundled ones too.`,
    next: "Leave it out. For a model without tools use --no-tools; to leave out single plugins set plugins.disabled.",
    ...(source === undefined ? {} : { source }),
    exit: 2,
  });

const switchedBy = (source: DiagnosticSource | undefined): string =>
  source?.type === "flag" || source?.type === "env" ? source.name : "The setting plugins.enabled";
