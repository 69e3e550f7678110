import { closest, type EntryId, type SessionId, shortId, type SubmissionId } from "../base/index.js";
import { type Diagnostic, diagnostic, type DiagnosticSource, type OwnerInfo, type Position } from "../schema/index.js";

export const emptyInput = (): Diagnostic =>
  diagnostic({
    code: "input.empty",
    what: "The prompt is empty.",
    why: "It holds nothing but white space.",
    next: 'Say what you want done, for example: smith eval "list the files here".',
    exit: 2,
  });

export const keyConflict = (key: string, other: "content" | "destination"): Diagnostic =>
  diagnostic({
    code: "runtime.key-conflict",
    what: `The deduplication key ${JSON.stringify(key)} was used before ${other === "content" ? "with other content" : "for another destination"}.`,
    why: "A key names one submission of a session for ever; the new one was not admitted.",
    next: "Use a new key for a new submission.",
  });

/** Told before anything happens. `owner` writes it at this moment. */
export const readOnlySession = (id: SessionId, owner: OwnerInfo | undefined): Diagnostic =>
  diagnostic({
    code: "session.read-only",
    what: "This session is open for reading only.",
    why:
      owner === undefined
        ? "It was opened as an observer, and an observer never becomes the writer by itself."
        : `It is being written by process ${String(owner.pid)} on ${owner.host}.`,
    next: `Go on in a copy of your own with \`smith --fork ${shortId(id)}\`, or open it again when the other process is done.`,
    source: { type: "session", id },
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
    next:
      damage.length === 0
        ? `Read it with \`smith sessions get ${shortId(id)}\`, and go on in a new session.`
        : `Run \`smith sessions repair ${shortId(id)}\`: it puts all that is left into a sound file and keeps this one. Then open it again.`,
    source: { type: "session", id },
    ...(damage.length === 0 ? {} : { causes: damage }),
  });

/** Input of an earlier process that was admitted and never delivered: it is, and people are told. */
export const queuedEarlier = (texts: readonly string[]): string =>
  `Queued in an earlier run and delivered in this one: ${texts.map((text) => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)).join(", ")}`;

export const unknownCost = (model: string): string =>
  `What an answer of ${model} cost is not known: no price is, or its server does not count tokens. It does not count for --max-cost.`;

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

const stateName = (owner: string, key: string): string => `${JSON.stringify(key)} of ${owner}`;

export const stateInvalid = (owner: string, key: string, problem: string): Diagnostic =>
  diagnostic({
    code: "state.invalid",
    what: `State ${stateName(owner, key)} cannot be declared: ${problem}.`,
    why: "Every change of state records who owns it and by which rules; they have to be storable.",
    next: "Correct the declaration. Nothing was stored.",
    source: { type: "plugin", id: owner },
  });

export const stateContract = (owner: string, key: string): Diagnostic =>
  diagnostic({
    code: "state.contract",
    what: `State ${stateName(owner, key)} is declared twice with different rules.`,
    why: "Version, scope, retention, bounds and behaviour in a fork belong to the key, for everyone who uses it.",
    next: "Declare it once and share it, or use another key.",
    source: { type: "plugin", id: owner },
  });

export const stateTooLarge = (owner: string, key: string, size: { readonly bytes: number; readonly maxBytes: number }): Diagnostic =>
  diagnostic({
    code: "state.too-large",
    what: `State ${stateName(owner, key)} was not stored: its value has ${String(size.bytes)} bytes.`,
    why: `It was declared with at most ${String(size.maxBytes)} bytes.`,
    next: "The value before it stays. Store less, or in several keys.",
    source: { type: "plugin", id: owner },
  });

export const stateNeedsWork = (owner: string, key: string): Diagnostic =>
  diagnostic({
    code: "state.needs-work",
    what: `State ${stateName(owner, key)} was not stored: it was given no work to end with.`,
    why: "It is declared to end with a work.",
    next: "Store it from inside a turn, or declare it with retention session.",
    source: { type: "plugin", id: owner },
  });

export const stateNoSession = (owner: string, key: string): Diagnostic =>
  diagnostic({
    code: "state.no-session",
    what: `State ${stateName(owner, key)} was not stored: the session has no file yet.`,
    why: "A session's file is made by its first input.",
    next: "Store it after the first input.",
    source: { type: "plugin", id: owner },
  });

export const stateNoPosition = ({ session, epoch, seq }: Position): Diagnostic =>
  diagnostic({
    code: "state.no-position",
    what: `State cannot be read as of ${session}/${String(epoch)}/${String(seq)}.`,
    why: "That change was never stored, or cannot be read any more.",
    next: "Use a position that the session itself gave.",
  });

export const receiptUnknown = (id: SessionId, submission: SubmissionId): Diagnostic =>
  diagnostic({
    code: "receipt.unknown",
    what: `Session ${shortId(id)} has no submission ${submission}.`,
    why: "No input with this id was ever admitted to it.",
    next: "Ask the session that gave the id, and give all of it.",
    source: { type: "session", id },
  });

/** `source` is absent when the file does not say where its first entries came from. */
export const receiptInherited = (submission: SubmissionId, source: SessionId | undefined): Diagnostic =>
  diagnostic({
    code: "receipt.inherited",
    what: `Submission ${submission} belongs to ${source === undefined ? "the session this one was made from" : `session ${source}`}.`,
    why: "This session was forked or imported. What it inherited is history; its work and its receipts stay with their own session.",
    next: source === undefined ? "Ask the session it was made from." : `Ask session ${source}.`,
    ...(source === undefined ? {} : { source: { type: "session", id: source } }),
  });

/** The input continues another place than the one that is selected. */
export const notSelected = (destination: EntryId, leaf: EntryId | undefined): Diagnostic =>
  diagnostic({
    code: "submission.not-selected",
    what: `The input was not admitted: it is meant to continue entry ${destination}, which is not the selected leaf.`,
    why:
      leaf === undefined ? "Nothing is selected: the session goes on before its first entry." : `The session goes on after entry ${leaf}.`,
    next: "Navigate to that entry first, or send the input without a destination.",
  });

/** It is there all the same, under its id. */
export const forkUnnamed = (id: SessionId, name: string, cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "session.fork-unnamed",
    what: `Session ${id} was forked, but could not be named ${JSON.stringify(name)}: ${cause.what}`,
    why: cause.why,
    next: `Name it with \`smith sessions rename ${shortId(id)} NAME\`.`,
    source: { type: "session", id },
    causes: [cause],
  });

/** The same history in another file, as a repair makes it that lost nothing. */
export const historyReplaced = (): string => "The session's file was replaced by one with the same history; reading goes on where it was.";

/** What an observer was told before it may not be in the history any more. */
export const historyRepaired = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.history-repaired",
    what: "The session was repaired while it was being read, and something of its history was lost.",
    why: "A repair put a sound file with all that is left into its place; it is read from there now, from its newest page on.",
    next: "Nothing has to be done here. The damaged file is kept beside the new one.",
    source: { type: "session", id },
    severity: "warning",
  });

export const sessionNamed = (name: string): string => `The session is called ${JSON.stringify(name)} now.`;

/** A turn of an earlier process that nobody has ended yet. */
export const turnInterrupted = (): string =>
  "smith ended in the middle of this turn: /continue goes on where it was, a new prompt ends it.";
