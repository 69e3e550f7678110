import type { ContextEditEntry, Diagnostic } from "../../schema/index.js";
import { validateEdits } from "../context/index.js";
import { inputQueued, turnRunning } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import { settleAll } from "../recovery/index.js";
import type { AgentInput, AgentState, Decision } from "../state.js";
import { next } from "./ending.js";

/** An input that is not followed and changes nothing. */
export const refuse = (state: AgentState, refused: Diagnostic): Decision => ({ state, entries: [], requests: [], refused });

/** Why no other leaf can be selected now: a turn and queued input belong to the branch that is selected. */
export function whyNotNavigate(state: AgentState): Diagnostic | undefined {
  if (state.turn !== undefined) return turnRunning("selecting another entry");
  return state.queue.length > 0 ? inputQueued("selecting another entry", state.queue.length) : undefined;
}

/** Selects another leaf; what an earlier process left open ends on the branch it belongs to, in the same change. */
export function selectLeaf(state: AgentState, input: Extract<AgentInput, { type: "leaf-selected" }>, mint: Mint): Decision {
  const refused = whyNotNavigate(state);
  if (refused !== undefined) return refuse(state, refused);
  const { to, loaded } = input;
  if (to === state.leaf) return { state, entries: [], requests: [] };
  const draft = new Draft(state, mint);
  if (state.interrupted !== undefined) settleAll(draft, state.interrupted);
  draft.record({
    type: "leaf",
    ...(draft.leaf === undefined ? {} : { from: draft.leaf }),
    ...(to === undefined ? {} : { to }),
  });
  const { history, prompt } = loaded;
  return { state: { ...state, leaf: to, history, prompt, interrupted: undefined }, entries: draft.entries, requests: [] };
}

/** Records a batch of context edits, all or none. */
export function editContext(state: AgentState, input: Extract<AgentInput, { type: "context-edited" }>, mint: Mint): Decision {
  if (state.turn !== undefined) return refuse(state, turnRunning("editing the context"));
  const draft = new Draft(state, mint);
  if (state.interrupted !== undefined) settleAll(draft, state.interrupted);
  const edits = validateEdits(draft.history, input.edits);
  if (!edits.ok) return refuse(state, edits.error);
  for (const edit of edits.value) draft.append<ContextEditEntry>(edit);
  return { state: next({ ...state, interrupted: undefined }, draft, undefined), entries: draft.entries, requests: [] };
}

/** Ends what an earlier process left open where it lies, as new input would, but without any. */
export function endInterruption(state: AgentState, mint: Mint): Decision {
  if (state.turn !== undefined || state.interrupted === undefined) return { state, entries: [], requests: [] };
  const draft = new Draft(state, mint);
  settleAll(draft, state.interrupted);
  return { state: next({ ...state, interrupted: undefined }, draft, undefined), entries: draft.entries, requests: [] };
}
