import { clipUtf8, shortId } from "../../base/index.js";
import type { Diagnostic, UserMessageEntry } from "../../schema/index.js";
import { effectInherited, effectKnown, effectRunning, effectSaid } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import { type EffectFacts, type EffectWord, nothingRecovered, type Recovered } from "../facts.js";
import { settleOpenCalls } from "../recovery/index.js";
import type { AgentState, Decision } from "../state.js";
import { refuse } from "./branch.js";
import { next } from "./ending.js";

/** What is quoted of the input of an effect. */
const MAX_INPUT_BYTES = 400;

/**
 * Records a person's word on an effect whose outcome nobody knows. The record of the effect stays as it is, and nothing is
 * run. The model is told when it has seen the call: now, or at the next safe point of the running turn.
 */
export function reconcileEffect(state: AgentState, effect: EffectFacts, word: EffectWord, mint: Mint): Decision {
  const refused = whyNotReconcile(state, effect, word);
  if (refused !== undefined) return refuse(state, refused);
  const draft = new Draft(state, mint);
  const { intent } = effect;
  draft.record({
    type: "reconciled",
    effect: intent.effect,
    outcome: word.outcome,
    ...(word.note === undefined ? {} : { note: word.note }),
  });
  const recovered = state.interrupted === undefined ? undefined : withWord(state.interrupted, effect, word);
  const notices = isAnswered(state, effect) ? [noticeOf(effect, word)] : [];
  if (state.turn !== undefined)
    return { state: { ...state, notices: [...state.notices, ...notices] }, entries: draft.entries, requests: [] };
  // Between a call and its result nothing may be said.
  if (notices.length > 0) settleOpenCalls(draft, recovered ?? nothingRecovered);
  for (const text of notices) draft.append<UserMessageEntry>({ type: "user-message", source: "notice", text });
  return { state: next({ ...state, interrupted: recovered }, draft, undefined), entries: draft.entries, requests: [] };
}

function whyNotReconcile(
  { turn }: AgentState,
  { intent, done, word: said, origin }: EffectFacts,
  word: EffectWord,
): Diagnostic | undefined {
  const { effect } = intent;
  if (intent.inherited === true) return effectInherited(effect, origin);
  if (done !== undefined && done.outcome !== "unknown") return effectKnown(effect, done.outcome);
  if (done === undefined && said === undefined && turn !== undefined) return effectRunning(effect);
  return said?.outcome === word.outcome ? effectSaid(effect, word.outcome) : undefined;
}

/** A call without a result is told of in the result it gets. */
const isAnswered = ({ history }: AgentState, { intent }: EffectFacts): boolean =>
  history.some((entry) => entry.type === "tool-result" && entry.call === intent.cause);

/** What is still open once the word is recorded. */
const withWord = (recovered: Recovered, { intent }: EffectFacts, { outcome }: EffectWord): Recovered => ({
  ...recovered,
  pendingEffects: recovered.pendingEffects.filter(({ effect }) => effect !== intent.effect),
  outcomes: new Map([...recovered.outcomes, [intent.cause, [...(recovered.outcomes.get(intent.cause) ?? []), outcome]] as const]),
});

function noticeOf({ intent }: EffectFacts, { outcome, note }: EffectWord): string {
  const input = clipUtf8(JSON.stringify(intent.input), MAX_INPUT_BYTES);
  const shown = input.omittedBytes === 0 ? input.text : `${input.text}…`;
  const said = outcome === "applied" ? "was applied" : "was not applied";
  const words = `The user states: effect ${shortId(intent.effect)} (${intent.operation} ${shown}) ${said}.`;
  return note === undefined || note === "" ? words : `${words} Note: ${note}`;
}
