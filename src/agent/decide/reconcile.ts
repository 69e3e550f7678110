import type { CallId } from "../../base/index.js";
import { type Diagnostic, mayChange, type UserMessageEntry } from "../../schema/index.js";
import { effectInherited, effectKnown, effectRunning, effectSaid } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import { type EffectEnd, type EffectFacts, type EffectWord, nothingRecovered, type Recovered } from "../facts.js";
import { openCalls, settleOpenCalls, wordFor } from "../recovery/index.js";
import type { AgentState, Decision } from "../state.js";
import { refuse } from "./branch.js";
import { next } from "./ending.js";

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
  const notices = isNews(state, effect) ? [wordFor(intent, word)] : [];
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
  // Without a note the same word says nothing new.
  return said?.outcome === word.outcome && word.note === undefined ? effectSaid(effect, word.outcome) : undefined;
}

/** Of a call the model sees. One that an earlier process left open gets the word with its result. */
function isNews({ history, turn, interrupted }: AgentState, { intent }: EffectFacts): boolean {
  const isSeen = history.some((entry) => (entry.type === "tool-call" || entry.type === "tool-result") && entry.call === intent.cause);
  if (!isSeen || turn !== undefined || interrupted === undefined) return isSeen;
  return !openCalls(history).some(({ call }) => call === intent.cause);
}

/** What is still open once the word is recorded. */
function withWord(recovered: Recovered, { intent }: EffectFacts, word: EffectWord): Recovered {
  const { effect, cause, operation } = intent;
  const pendingEffects = recovered.pendingEffects.filter((one) => one.effect !== effect);
  if (!mayChange(operation)) return { ...recovered, pendingEffects };
  // Only calls are asked for; the cause of any other effect is never looked up.
  const call = cause as CallId;
  const others = (recovered.outcomes.get(call) ?? []).filter((one) => one.effect !== effect);
  const ends: readonly EffectEnd[] = [...others, { effect, outcome: word.outcome, said: wordFor(intent, word) }];
  return { ...recovered, pendingEffects, outcomes: new Map([...recovered.outcomes, [call, ends] as const]) };
}
