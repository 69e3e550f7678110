import type { AssistantResult, Diagnostic } from "../../schema/index.js";
import { SessionStorageError } from "../../session/index.js";
import type { EndFacts } from "../decide/index.js";
import { storageStopped, unexpected, unrecordable } from "../diagnostics.js";
import type { AgentInput, RoundEnd } from "../state.js";

/** Codes of changes that a session refuses before it takes anything of them in. */
const REFUSALS: ReadonlySet<string> = new Set(["session.limit", "session.work-owns-unsettled", "session.commit-too-large"]);

/** Whether a change was refused by a bound: nothing of it is recorded, and the session goes on. All else ends the writing. */
export const isRefusal = (error: unknown): error is SessionStorageError =>
  error instanceof SessionStorageError && REFUSALS.has(error.diagnostic.code);

/** How a turn ends that an error ends: everything but storage is a bug of ours. */
export const failureOf = (error: unknown): EndFacts =>
  error instanceof SessionStorageError
    ? { status: "error", reason: "storage", error: storageStopped(error.diagnostic) }
    : { status: "error", reason: "bug", error: unexpected(error) };

type Fact = Extract<AgentInput, { type: "round-ended" | "tool-settled" }>;

/** The same fact without what the session refused to take in, and with words for that. */
export function withoutContent(fact: Fact, refused: Diagnostic): Fact {
  if (fact.type === "round-ended") return { ...fact, end: emptyEnd(fact.end, unrecordable("The response", refused)) };
  const { what, next } = unrecordable("The result", refused);
  const output = { text: `${what} What the call did is done; look at the actual state. ${next}`, isError: true };
  const { mutation, end, durationMs } = fact.outcome.settlement;
  const settlement = { output, mutation, end, ...(durationMs === undefined ? {} : { durationMs }) };
  return { ...fact, outcome: { ...fact.outcome, output, settlement } };
}

const emptyEnd = (end: RoundEnd, error: Diagnostic): RoundEnd => ({
  type: "failed",
  error,
  partial: { text: "", thinking: [], toolCalls: [], stop: "failed", ...usageOf(end.type === "done" ? end.result : end.partial) },
  outcome: end.type === "done" ? "applied" : "unknown",
});

/** What was charged is so whatever can be kept of it. */
const usageOf = ({ usage }: AssistantResult): Pick<AssistantResult, "usage"> => (usage === undefined ? {} : { usage });
