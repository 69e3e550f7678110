import { invariant } from "../../base/index.js";
import type { AttemptFacts, ContextTransform, Message, PromptEntry, ToolDefinition, UserMessageEntry } from "../../schema/index.js";
import { extendProjection, newestCompaction, projectTransformed } from "../context/index.js";
import { Draft, type Mint } from "../draft.js";
import type { AgentState } from "../state.js";
import { type PreparedAttempt, recordAttempt, type SharedRequest } from "./attempt.js";
import { chainDigest, extendChain, type Sha256 } from "./digest.js";

/** What the next request is made with: resolved by the composition before the round. Its first attempt goes where it says. */
export interface RoundFacts extends AttemptFacts {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly generation: number;
  readonly selection: string;
}

export interface PreparedRound extends PreparedAttempt {
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
  const projection = extendProjection(state.sent, draft.history);
  const sent = { ...projection, ...extendChain(state.sent, projection.messages, sha256, projection.shared) };
  const messages = transforms.length === 0 ? projection.messages : projectTransformed(draft.history, transforms);
  const digest = chainDigest(transforms.length === 0 ? sent : extendChain(sent, messages, sha256));
  const first = newestCompaction(draft.history)?.firstKept;
  const shared: SharedRequest = {
    work: turn.work,
    prompt: prompt.id,
    selection: facts.selection,
    generation: facts.generation,
    messageCount: messages.length,
    ...(draft.leaf === undefined ? {} : { parent: draft.leaf }),
    ...(first === undefined ? {} : { first }),
    ...(transforms.length === 0 ? {} : { transforms }),
    ...(digest === undefined ? {} : { digest }),
  };
  const ids = recordAttempt(draft, mint, shared, { number: 1, facts });
  const after: AgentState = { ...state, leaf: draft.leaf, history: draft.history, prompt, notices: [], sent };
  return { state: after, entries: draft.entries, ...ids, shared, messages };
}

function samePrompt(known: PromptEntry, facts: RoundFacts): boolean {
  if (known.system !== facts.system || known.generation !== facts.generation || known.tools.length !== facts.tools.length) return false;
  return known.tools === facts.tools || JSON.stringify(known.tools) === JSON.stringify(facts.tools);
}
