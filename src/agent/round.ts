import type { EffectId, RequestId } from "../base/index.js";
import { invariant } from "../base/index.js";
import type { Entry, ModelRef, PromptEntry, ToolDefinition } from "../schema/index.js";
import { Draft, type Mint } from "./draft.js";
import { project } from "./projection.js";
import type { AgentState } from "./state.js";

/** What the next request is made with: resolved by the composition before the round. */
export interface RoundFacts {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly generation: number;
  readonly dispatch: ModelRef;
  readonly selection: string;
  readonly plugin: string;
  readonly thinking?: string;
}

export interface PreparedRound {
  readonly state: AgentState;
  readonly entries: readonly Entry[];
  readonly request: RequestId;
  readonly effect: EffectId;
  readonly messages: ReturnType<typeof project>;
}

/**
 * Fixes one request before its provider effect starts: prompt and tools (recorded in full when they changed), the
 * messages as a projection of the branch, the intent. Pure. Specification, "Effective request context".
 */
export function prepareRound(state: AgentState, facts: RoundFacts, mint: Mint): PreparedRound {
  const { turn } = state;
  invariant(turn !== undefined, "no turn to make a request for");
  const draft = new Draft(state, mint);
  const known = state.prompt;
  const prompt =
    known !== undefined && samePrompt(known, facts)
      ? known
      : draft.append<PromptEntry>({ type: "prompt", system: facts.system, tools: facts.tools, generation: facts.generation });
  const request = mint.ids.next<RequestId>();
  const effect = mint.ids.next<EffectId>();
  const messages = project(draft.history);
  draft.record(
    {
      type: "request",
      request,
      work: turn.work,
      prompt: prompt.id,
      selection: facts.selection,
      dispatch: facts.dispatch,
      attempt: 1,
      generation: facts.generation,
      messageCount: messages.length,
      ...(facts.thinking === undefined ? {} : { thinking: facts.thinking }),
    },
    draft.leaf,
  );
  draft.record({
    type: "effect-intent",
    effect,
    work: turn.work,
    cause: request,
    operation: PROVIDER_OPERATION,
    plugin: facts.plugin,
    generation: facts.generation,
    input: { provider: facts.dispatch.provider, model: facts.dispatch.model, messages: messages.length },
  });
  const after: AgentState = { ...state, leaf: draft.leaf, history: draft.history, prompt };
  return { state: after, entries: draft.entries, request, effect, messages };
}

/** Effect class of one provider round. */
export const PROVIDER_OPERATION = "provider.respond";

function samePrompt(known: PromptEntry, facts: RoundFacts): boolean {
  if (known.system !== facts.system || known.generation !== facts.generation || known.tools.length !== facts.tools.length) return false;
  return known.tools === facts.tools || JSON.stringify(known.tools) === JSON.stringify(facts.tools);
}
