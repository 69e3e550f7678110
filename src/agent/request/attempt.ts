import type { EffectId, RequestId } from "../../base/index.js";
import {
  type AttemptFacts,
  type Diagnostic,
  type EffectDoneEntry,
  type EffectIntentEntry,
  type Entry,
  PROVIDER_OPERATION,
  type RequestEntry,
} from "../../schema/index.js";
import { Draft, type Mint } from "../draft.js";
import type { AgentState } from "../state.js";

/** One attempt that may be sent as soon as its entries are durable. */
export interface PreparedAttempt {
  readonly state: AgentState;
  readonly entries: readonly Entry[];
  readonly request: RequestId;
  readonly effect: EffectId;
  /** What of the request's record all attempts of its round share. */
  readonly shared: SharedRequest;
}

/** Of a request's record: what is the same for all attempts of a round. */
export type SharedRequest = Pick<
  RequestEntry,
  "work" | "first" | "prompt" | "selection" | "generation" | "messageCount" | "transforms" | "digest" | "parent"
>;

/** Puts one attempt on record: what it is made from, where it goes and why, and that it is about to be sent. */
export function recordAttempt(
  draft: Draft,
  mint: Mint,
  { parent, ...shared }: SharedRequest,
  { number, facts }: { readonly number: number; readonly facts: AttemptFacts },
): Pick<PreparedAttempt, "request" | "effect"> {
  const request = mint.ids.next<RequestId>();
  const effect = mint.ids.next<EffectId>();
  const { dispatch, plugin, thinking, routing, facts: known, sampling } = facts;
  draft.record<RequestEntry>(
    {
      type: "request",
      request,
      ...shared,
      dispatch,
      attempt: number,
      ...(thinking === undefined ? {} : { thinking }),
      routing,
      facts: known,
      ...(sampling === undefined ? {} : { sampling }),
    },
    parent,
  );
  draft.record<EffectIntentEntry>({
    type: "effect-intent",
    effect,
    work: shared.work,
    cause: request,
    operation: PROVIDER_OPERATION,
    plugin,
    generation: shared.generation,
    input: { provider: dispatch.provider, model: dispatch.model, messages: shared.messageCount },
  });
  return { request, effect };
}

/** Another attempt of a round whose request is on record: the same messages, prompt and tools, sent to where `facts` say. Pure. */
export function prepareAttempt(
  state: AgentState,
  shared: SharedRequest,
  attempt: { readonly number: number; readonly facts: AttemptFacts },
  mint: Mint,
): PreparedAttempt {
  const draft = new Draft(state, mint);
  const ids = recordAttempt(draft, mint, shared, attempt);
  return { state, entries: draft.entries, ...ids, shared };
}

/** The end of an attempt that another one follows, or none. Pure. */
export function endAttempt(
  state: AgentState,
  { effect, shared }: Pick<PreparedAttempt, "effect" | "shared">,
  { error, outcome }: Pick<EffectDoneEntry, "outcome"> & { readonly error: Diagnostic },
  mint: Mint,
): Pick<PreparedAttempt, "state" | "entries"> {
  const draft = new Draft(state, mint);
  draft.record({ type: "effect-done", effect, work: shared.work, outcome, output: { stop: "failed" }, error });
  return { state, entries: draft.entries };
}
