import { invariant } from "../../base/index.js";
import type { Diagnostic, UserMessageEntry } from "../../schema/index.js";
import { limitReached } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import { nothingRecovered } from "../facts.js";
import { stoppedByPolicy } from "../lifecycle/index.js";
import { settleOpenCalls } from "../recovery/index.js";
import type { AgentRequest, AgentState, Decision, PolicyStop, Turn, TurnEnd } from "../state.js";

/** How a turn ends that was asked to stop. */
export function stopEnd(turn: Turn): EndFacts {
  if (turn.stopping !== "deadline") return { status: "aborted", reason: "abort" };
  const hit = { status: "limit", reason: "deadline", what: "its deadline passed" } as const;
  return { status: hit.status, reason: hit.reason, error: limitReached(hit) };
}

/** A policy stops the run before the model is done, as a limit does. */
export const policyEnd = ({ plugin, why }: PolicyStop): EndFacts => ({
  status: "limit",
  reason: "policy",
  error: stoppedByPolicy(plugin, why),
});

export interface EndFacts extends Pick<TurnEnd, "status" | "reason"> {
  readonly error?: Diagnostic;
}

/** The turn is over: its works settle, children first, and each of its submissions gets its receipt, in one change. */
export function finish(state: AgentState, draft: Draft, turn: Turn, facts: EndFacts): Decision {
  const end: TurnEnd = {
    work: turn.work,
    status: facts.status,
    reason: facts.reason,
    error: facts.error,
    reply: turn.reply,
    spend: turn.spend,
    submissions: turn.submissions.map((one) => one.submission),
    rounds: turn.rounds,
  };
  recordEnd(draft, turn, facts);
  for (const text of state.notices) draft.append<UserMessageEntry>({ type: "user-message", source: "notice", text });
  const requests: readonly AgentRequest[] = [{ type: "turn-ended", end }];
  return { state: next({ ...state, notices: [] }, draft, undefined), entries: draft.entries, requests };
}

function recordEnd(draft: Draft, turn: Turn, facts: EndFacts): void {
  for (const { work } of [...turn.submissions].reverse()) draft.record({ type: "work", work, state: "settled" });
  for (const { submission, work } of turn.submissions) {
    draft.record({
      type: "receipt",
      submission,
      work,
      status: facts.status,
      reason: facts.reason,
      ...(facts.error === undefined ? {} : { error: facts.error }),
    });
  }
}

/** A turn that ended by something outside the policy: storage, or a bug. Its open calls get results that say so. */
export function failTurn(state: AgentState, facts: EndFacts, mint: Mint): Decision {
  const { turn } = state;
  invariant(turn !== undefined, "no turn to fail");
  const draft = new Draft(state, mint);
  settleOpenCalls(draft, nothingRecovered);
  return finish(state, draft, turn, facts);
}

/** The state after a change that is in a draft. */
export const next = (state: AgentState, draft: Draft, turn: Turn | undefined): AgentState => ({
  ...state,
  leaf: draft.leaf,
  history: draft.history,
  turn,
});
