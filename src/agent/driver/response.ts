import { invariant, type WorkId } from "../../base/index.js";
import type { AttemptFacts } from "../../schema/index.js";
import { endAttempt, prepareAttempt, type PreparedAttempt, type PreparedRound, type RoundFacts } from "../request/index.js";
import type { AgentInput, RoundEnd } from "../state.js";
import { current, type StepPorts } from "./step-ports.js";
import type { RoundEvent } from "./types.js";

/** A request as it was recorded, about to be sent. */
export interface RecordedRound {
  readonly facts: RoundFacts;
  readonly prepared: PreparedRound;
  readonly signal: AbortSignal;
}

/** How a response ended, and at which attempt. */
export type ResponseEnd = Pick<Extract<AgentInput, { type: "round-ended" }>, "request" | "effect" | "attempt" | "end">;

/** The attempt that is under way, or was the last. */
interface Attempt {
  readonly facts: AttemptFacts;
  readonly prepared: PreparedAttempt;
  /** Its end is on record. */
  readonly isOver: boolean;
}

/**
 * One response with all its attempts: each is on record before it is sent, and its end before the next is. Nothing when the turn is
 * over before the response is; the stream is closed then.
 */
export async function receive(
  steps: StepPorts,
  work: WorkId,
  { facts, prepared, signal }: RecordedRound,
): Promise<ResponseEnd | undefined> {
  let attempt: Attempt = { facts, prepared, isOver: false };
  announce(steps, attempt);
  for await (const event of steps.ports.respond({ facts, messages: prepared.messages, signal })) {
    const end = endOf(steps, event);
    if (end !== undefined) return ended(attempt, end);
    attempt = await take(steps, attempt, event);
    if (current(steps, work) === undefined) return undefined;
  }
  invariant(false, "a provider stream ended without a terminal event");
}

/** What a passing event does: it goes out, and where it ends or begins an attempt that is recorded first. */
async function take(steps: StepPorts, attempt: Attempt, event: RoundEvent): Promise<Attempt> {
  const { ports, mint, state, record } = steps;
  switch (event.type) {
    case "text":
    case "thinking":
      ports.emit({ type: "progress", event });
      return attempt;
    case "retry":
    case "failover":
      if (!attempt.isOver) await record(endAttempt(state(), attempt.prepared, event.ended, mint()));
      ports.emit({ type: "progress", event });
      return { ...attempt, isOver: true };
    case "attempt": {
      invariant(attempt.isOver, "an attempt began before the one before it had ended");
      const prepared = prepareAttempt(state(), attempt.prepared.shared, event, mint());
      await record(prepared);
      const begun = { facts: event.facts, prepared, isOver: false };
      announce(steps, begun);
      return begun;
    }
    case "done":
    case "failed":
    case "aborted":
      return attempt;
  }
}

function announce({ ports }: StepPorts, { facts, prepared: { request } }: Attempt): void {
  const { contextTokens } = facts.facts;
  ports.emit({
    type: "response-started",
    request,
    model: facts.dispatch,
    ...(contextTokens === undefined ? {} : { contextLimit: contextTokens }),
    ...(facts.thinking === undefined ? {} : { thinking: facts.thinking }),
  });
}

/** Undefined for an event that ends nothing. */
function endOf({ ports }: StepPorts, event: RoundEvent): RoundEnd | undefined {
  switch (event.type) {
    case "done":
      return { type: "done", result: event.result };
    case "failed":
      return { type: "failed", ...ports.diagnose(event), partial: event.partial };
    case "aborted":
      return { type: "aborted", partial: event.partial };
    case "text":
    case "thinking":
    case "retry":
    case "failover":
    case "attempt":
      return undefined;
  }
}

/** Where the last attempt was over and none followed, nothing is left to be ended. */
const ended = ({ facts, prepared: { request, effect }, isOver }: Attempt, end: RoundEnd): ResponseEnd => ({
  request,
  ...(isOver ? {} : { effect }),
  attempt: { dispatch: facts.dispatch, facts: facts.facts },
  end,
});
