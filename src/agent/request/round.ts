import type { EffectId, RequestId } from "../../base/index.js";
import { invariant } from "../../base/index.js";
import {
  type ContextTransform,
  type Entry,
  type Message,
  type ModelRef,
  PROVIDER_OPERATION,
  type PromptEntry,
  type ToolDefinition,
  type UserMessageEntry,
} from "../../schema/index.js";
import { extendProjection, newestCompaction, projectTransformed } from "../context/index.js";
import { Draft, type Mint } from "../draft.js";
import type { AgentState } from "../state.js";
import { chainDigest, extendChain, type Sha256 } from "./digest.js";

/** What the next request is made with: resolved by the composition before the round. Its first attempt goes where it says. */
export interface RoundFacts extends AttemptFacts {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly generation: number;
  readonly selection: string;
}

export interface PreparedRound {
  readonly state: AgentState;
  readonly entries: readonly Entry[];
  readonly request: RequestId;
  readonly effect: EffectId;
  /** Exactly these are sent, and exactly these the recorded digest covers. */
  readonly messages: readonly Message[];
}

/**
 * Fixes one request before its provider effect starts: notices that waited for this safe point, prompt and tools (recorded in
 * full when they changed), the messages as a projection of the branch with their digest, the intent. `transforms` change what this
 * one request shows; the next goes on from the branch as it is. Pure. Specification,
 * "Effective request context".
 */
export function prepareRound(
  state: AgentState,
  facts: RoundFacts,
  mint: Mint,
  { sha256, transforms: wanted = [] }: { readonly sha256: Sha256; readonly transforms?: readonly ContextTransform[] },
): PreparedRound {
  const { turn } = state;
  invariant(turn !== undefined, "no turn to make a request for");
  // As the file stores them, so that what is rebuilt is what is sent.
  const transforms = wanted.map((one) => (one.operation === "omit" ? one : { ...one, text: one.text.toWellFormed() }));
  const draft = new Draft(state, mint);
  for (const text of state.notices) draft.append<UserMessageEntry>({ type: "user-message", source: "notice", text });
  const known = state.prompt;
  const prompt =
    known !== undefined && samePrompt(known, facts)
      ? known
      : draft.append<PromptEntry>({ type: "prompt", system: facts.system, tools: facts.tools, generation: facts.generation });
  const request = mint.ids.next<RequestId>();
  const effect = mint.ids.next<EffectId>();
  const projection = extendProjection(state.sent, draft.history);
  const sent = { ...projection, ...extendChain(state.sent, projection.messages, sha256, projection.shared) };
  const messages = transforms.length === 0 ? projection.messages : projectTransformed(draft.history, transforms);
  const digest = chainDigest(transforms.length === 0 ? sent : extendChain(sent, messages, sha256));
  const first = newestCompaction(draft.history)?.firstKept;
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
      ...(first === undefined ? {} : { first }),
      ...(facts.thinking === undefined ? {} : { thinking: facts.thinking }),
      ...(transforms.length === 0 ? {} : { transforms }),
      ...(digest === undefined ? {} : { digest }),
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
  const after: AgentState = { ...state, leaf: draft.leaf, history: draft.history, prompt, notices: [], sent };
  return { state: after, entries: draft.entries, request, effect, messages };
}

function samePrompt(known: PromptEntry, facts: RoundFacts): boolean {
  if (known.system !== facts.system || known.generation !== facts.generation || known.tools.length !== facts.tools.length) return false;
  return known.tools === facts.tools || JSON.stringify(known.tools) === JSON.stringify(facts.tools);
}
