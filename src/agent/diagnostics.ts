import { type Diagnostic, diagnostic } from "../schema/index.js";
import type { LimitHit } from "./limits.js";

export const limitReached = (hit: LimitHit): Diagnostic =>
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
