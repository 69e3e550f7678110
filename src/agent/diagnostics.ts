import { type EffectId, type EntryId, plural, type RequestId, type SessionId, shortId } from "../base/index.js";
import { type Diagnostic, diagnostic, type RunReason, type UnknownEntry } from "../schema/index.js";

export const limitReached = (hit: { readonly what: string; readonly reason: RunReason }): Diagnostic =>
  diagnostic({
    code: "agent.limit",
    what: `The run stopped before the model was done: ${hit.what}.`,
    why: "A limit of this run forbids another round.",
    next: "Continue in the same session with a new prompt, or raise the limit (--max-turns, --max-tokens, --deadline).",
    ...(hit.reason === "deadline" ? { exit: 124 as const } : {}),
  });

export const interruptedWork = (): Diagnostic =>
  diagnostic({
    code: "agent.interrupted",
    what: "smith ended while this turn was running.",
    why: "No end was recorded for it; what it had started may or may not have happened.",
    next: "Check the effects marked unknown, then go on with a new prompt.",
  });

export const refusedResponse = (stop: "refusal" | "content-filter"): Diagnostic =>
  diagnostic({
    code: "agent.refused",
    what: stop === "refusal" ? "The model refused to answer." : "The provider's content filter stopped the answer.",
    why: "The provider ended the response with this reason.",
    next: "Rephrase the request, or use another model with --model.",
  });

export const cutResponse = (): Diagnostic =>
  diagnostic({
    code: "agent.output-limit",
    what: "The answer was cut at the model's output limit.",
    why: "The provider ended the response because its output-token limit was reached.",
    next: "Say `go on`, ask for a shorter answer, or use a model with a larger output limit.",
    severity: "warning",
  });

/** Everything of the cause is in it: it is one failure, told once. */
export const storageStopped = (cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "agent.storage",
    what: `The session could not be written, so the turn stopped: ${cause.what}`,
    why: `${cause.why} No effect runs without its record, so nothing more was run.`,
    next: cause.next,
    ...(cause.source === undefined ? {} : { source: cause.source }),
  });

export const unexpected = (error: unknown): Diagnostic =>
  diagnostic({
    code: "agent.bug",
    what: `The turn ended by an error inside smith: ${error instanceof Error ? error.message : String(error)}`,
    why: "This is a defect of smith, not of your project or model.",
    next: "The session file is intact; go on with a new prompt, and report this with the log (SMITH_LOG=debug).",
    exit: 70,
  });

export const unknownSemantics = (session: SessionId, entry: UnknownEntry): Diagnostic =>
  diagnostic({
    code: "agent.unknown-semantics",
    what: `Entry ${shortId(entry.id)} of session ${shortId(session)} is of kind ${String(entry.kind)}, which this version does not know.`,
    why: "It was written by a later version and decides what the model may see of this branch; leaving it out could send what was taken out.",
    next: `Update smith, or fork before that entry: smith sessions fork ${session} --at ${entry.parent ?? "ENTRY"}`,
    source: { type: "session", id: session },
  });

export const damagedHistory = (session: SessionId, entry: EntryId): Diagnostic =>
  diagnostic({
    code: "agent.damaged-history",
    what: `Entry ${shortId(entry)} of session ${shortId(session)} is damaged, so the conversation cannot go on from here.`,
    why: "The model would see a conversation with a hole that nothing in the file tells of; the rest of it can be read and exported.",
    next: `smith sessions repair ${session}`,
    source: { type: "session", id: session },
  });

export const unknownLeaf = (session: SessionId, leaf: EntryId): Diagnostic =>
  diagnostic({
    code: "agent.leaf-unknown",
    what: `Entry ${leaf} is not in session ${shortId(session)}.`,
    why: "Only an entry that is there can be gone back to.",
    next: `List the entries with: smith sessions get ${session} --json`,
    source: { type: "session", id: session },
  });

export const turnRunning = (wish: string): Diagnostic =>
  diagnostic({
    code: "agent.turn-running",
    what: `A turn is running, so ${wish} is not possible now.`,
    why: "What the model sees stays as it is until its turn is over.",
    next: "Wait until the turn has ended, or abort it, and try again.",
    retry: { type: "now" },
  });

export const inputQueued = (wish: string, waiting: number): Diagnostic =>
  diagnostic({
    code: "agent.input-queued",
    what: `${plural(waiting, "input")} ${waiting === 1 ? "waits" : "wait"} to be delivered, so ${wish} is not possible now.`,
    why: "Queued input was written for the branch that is selected.",
    next: "Let it be delivered, or withdraw it, and try again.",
  });

export const editTarget = (target: EntryId, why: string): Diagnostic =>
  diagnostic({
    code: "agent.edit-target",
    what: `Entry ${target} cannot be edited.`,
    why,
    next: "Name an input, an answer, a tool call or a tool result that the model sees now; nothing was changed.",
  });

export const editInvalid = (what: string, why: string, next: string): Diagnostic =>
  diagnostic({ code: "agent.edit-invalid", what, why, next: `${next} Nothing was changed.` });

export const nothingInterrupted = (): Diagnostic =>
  diagnostic({
    code: "agent.nothing-interrupted",
    what: "There is no interrupted turn to go on with.",
    why: "Every turn of this session has a recorded end.",
    next: "Send a new prompt.",
  });

/** `missing` names each tool and provider that is not there, with its plugin. */
export const workBlocked = (missing: readonly string[]): Diagnostic =>
  diagnostic({
    code: "agent.work-blocked",
    what: `The interrupted turn cannot go on: missing ${missing.join("; ")}.`,
    why: "The turn was made with them, and another plugin is not taken for them because it has the same name.",
    next: "Bring them back and resume again, or send a new prompt: it ends the interrupted turn and goes on with what there is.",
  });

export const unknownEffect = (session: SessionId, name: string): Diagnostic =>
  diagnostic({
    code: "agent.effect-unknown",
    what: `Session ${shortId(session)} has no effect ${JSON.stringify(name)}.`,
    why: "An effect is named by its id or by at least 4 hex digits its id ends with.",
    next: `Find it with: smith sessions get ${session} --json`,
    source: { type: "session", id: session },
  });

export const ambiguousEffect = (name: string, effects: readonly EffectId[]): Diagnostic =>
  diagnostic({
    code: "agent.effect-ambiguous",
    what: `${JSON.stringify(name)} names ${plural(effects.length, "effect")}: ${effects.slice(0, 5).join(", ")}${effects.length > 5 ? " …" : ""}.`,
    why: "A part of an id has to be the end of one id only.",
    next: "Give more digits of the one you mean.",
  });

export const effectKnown = (effect: EffectId, outcome: string): Diagnostic =>
  diagnostic({
    code: "agent.effect-known",
    what: `The outcome of effect ${shortId(effect)} is known: ${outcome}.`,
    why: "Its end was observed and recorded; a word on it would contradict a fact or repeat it.",
    next: "Tell the model in a prompt if you changed something since.",
  });

export const effectInherited = (effect: EffectId, session: SessionId | undefined): Diagnostic =>
  diagnostic({
    code: "agent.effect-inherited",
    what: `Effect ${shortId(effect)} belongs to ${session === undefined ? "the file this session was imported from" : `session ${session}`}.`,
    why: "It came here with a fork or an import as history; only where it began can be said what became of it.",
    next:
      session === undefined
        ? "Reconcile it where that file is still used. Here, check the actual state; nothing will be run again."
        : `Reconcile it there: smith sessions reconcile ${session} ${effect} --as applied`,
  });

export const effectRunning = (effect: EffectId): Diagnostic =>
  diagnostic({
    code: "agent.effect-running",
    what: `Effect ${shortId(effect)} is running.`,
    why: "Its end is not recorded yet, and the turn it belongs to goes on.",
    next: "Wait for it, or abort the turn; if its outcome is unknown then, say what became of it.",
    retry: { type: "now" },
  });

export const effectSaid = (effect: EffectId, outcome: string): Diagnostic =>
  diagnostic({
    code: "agent.effect-said",
    what: `That effect ${shortId(effect)} was ${outcome} is recorded already.`,
    why: "The newest word on an effect counts, and it is this one.",
    next: "Say the other outcome if it was wrong.",
    severity: "warning",
  });

export const unknownRequest = (session: SessionId, which: string, count: number): Diagnostic =>
  diagnostic({
    code: "agent.request-unknown",
    what: `Session ${shortId(session)} has no request ${which}.`,
    why: count === 0 ? "No request was recorded in it." : `It has ${plural(count, "request")}; they are named by number from 1 or by id.`,
    next: count === 0 ? "Send a prompt first." : `Use a number from 1 to ${String(count)}.`,
    source: { type: "session", id: session },
  });

export const ambiguousRequest = (which: string, count: number): Diagnostic =>
  diagnostic({
    code: "agent.request-ambiguous",
    what: `${JSON.stringify(which)} names ${plural(count, "request")}.`,
    why: "A part of an id has to be the end of one id only.",
    next: "Give more digits, or the number of the request.",
  });

export const requestIncomplete = (
  session: SessionId,
  request: RequestId,
  { what, isRepaired }: { readonly what: string; readonly isRepaired: boolean },
): Diagnostic =>
  diagnostic({
    code: "agent.request-incomplete",
    what: `Request ${shortId(request)} of session ${shortId(session)} cannot be rebuilt: ${what} is not in the file.`,
    why: isRepaired ? "It was damaged, and a repair of the session could not save it." : "It is damaged.",
    next: isRepaired
      ? "Nothing in this file brings it back; other requests are not affected. A backup of the session from before the damage may hold it."
      : `See what else is damaged: smith sessions verify ${shortId(session)}`,
    source: { type: "session", id: session },
  });

/** A response or result that storage refuses to take in, told instead of it. */
export const unrecordable = (thing: string, cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "agent.unrecordable",
    what: `${thing} could not be recorded: ${cause.what}`,
    why: `${cause.why} What is not recorded is not used.`,
    next: cause.next,
  });
