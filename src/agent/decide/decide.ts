import type { RunLimits } from "../../schema/index.js";
import type { Mint } from "../draft.js";
import type { AgentInput, AgentState, Decision } from "../state.js";
import { admitTurn, beginQueued, changeBranchState, enqueue, rename, requestStop, withdraw } from "./admission.js";
import { publishActions } from "./actions.js";
import { editContext, endInterruption, selectLeaf } from "./branch.js";
import { reconcileEffect } from "./reconcile.js";
import { endRound, settleTool } from "./response.js";
import { resumeWork } from "./resume.js";
import { passSafePoint } from "./safe-point.js";

/**
 * The agent's policy: one recorded input to state change, entries to commit and requests to run after they are durable.
 * Pure: same state, input and mint give the same decision (product page section 3, law 3).
 */
export function decide(state: AgentState, input: AgentInput, limits: RunLimits, mint: Mint): Decision {
  switch (input.type) {
    case "submitted":
      return state.turn === undefined ? admitTurn(state, input, mint) : enqueue(state, input, mint);
    case "withdrawn":
      return withdraw(state, input.submission, mint);
    case "round-ended":
      return endRound(state, input, limits, mint);
    case "tool-settled":
      return settleTool(state, input, limits, mint);
    case "renamed":
      return rename(state, input.name, mint);
    case "branch-state-changed":
      return changeBranchState(state, input.fields, mint);
    case "actions-published":
      return publishActions(state, input, mint);
    case "safe-point":
      return passSafePoint(state, input, limits, mint);
    case "queue-due":
      return beginQueued(state, mint);
    case "stop-requested":
      return requestStop(state, input.cause, mint);
    case "context-edited":
      return editContext(state, input, mint);
    case "leaf-selected":
      return selectLeaf(state, input, mint);
    case "work-resumed":
      return resumeWork(state, input, limits, mint);
    case "interruption-ended":
      return endInterruption(state, mint);
    case "effect-reconciled":
      return reconcileEffect(state, input.effect, input.word, mint);
  }
}
