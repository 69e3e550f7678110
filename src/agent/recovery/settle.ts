import { shortId, type WorkId } from "../../base/index.js";
import { type EffectIntentEntry, mayChange, type MutationState, type ToolCallEntry, type ToolResultEntry } from "../../schema/index.js";
import { interruptedWork } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import { type EffectEnd, type InheritedEvidence, nothingRecovered, type OpenWork, type Recovered } from "../facts.js";
import type { AgentState, Decision } from "../state.js";
import { openCalls } from "./open-calls.js";

/**
 * Ends what an earlier process left open, as one change, before new work is admitted: every open call gets a result that
 * says what is known, every pending effect its `unknown`, every unsettled submission a receipt. Runs nothing.
 */
export function settleInterrupted(state: AgentState, recovered: Recovered, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  settleAll(draft, recovered);
  return { state: { ...state, leaf: draft.leaf, history: draft.history, interrupted: undefined }, entries: draft.entries, requests: [] };
}

/** What {@link settleInterrupted} does, as part of the change that new input makes. */
export function settleAll(draft: Draft, recovered: Recovered | undefined): void {
  if (recovered !== undefined) endEffects(draft, recovered);
  settleOpenCalls(draft, recovered ?? nothingRecovered);
  if (recovered !== undefined) endWorks(draft, recovered.unsettled);
}

/** The end of effects nobody saw the end of. */
export function endEffects(draft: Draft, recovered: Recovered): void {
  for (const { effect, work } of recovered.pendingEffects) {
    draft.record({ type: "effect-done", effect, outcome: "unknown", output: null, ...(work === undefined ? {} : { work }) });
  }
}

/** Gives every open call of the branch a result that says what is known of it. */
export function settleOpenCalls(draft: Draft, recovered: Recovered): void {
  for (const call of openCalls(draft.history)) {
    const evidence = describeEvidence(call, recovered);
    draft.append<ToolResultEntry>({
      type: "tool-result",
      work: call.work,
      call: call.call,
      name: call.name,
      text: evidence.text,
      isError: true,
      mutation: evidence.mutation,
      omittedBytes: 0,
      summary: evidence.mutation === "unknown" ? "outcome unknown" : "interrupted",
    });
  }
}

/** Settles works, children before those that own them, and writes the receipts of those that were asked for. */
export function endWorks(draft: Draft, works: readonly OpenWork[]): void {
  for (const { work } of childrenFirst(works)) draft.record({ type: "work", work, state: "settled" });
  for (const { submission, work } of works) {
    if (submission === undefined) continue;
    draft.record({ type: "receipt", submission, work, status: "aborted", reason: "abort", error: interruptedWork() });
  }
}

/** Deepest first, else in the given order. */
export function childrenFirst<W extends Pick<OpenWork, "work" | "parent">>(works: readonly W[]): readonly W[] {
  const parents = new Map(works.map(({ work, parent }) => [work, parent] as const));
  const depth = (work: WorkId | undefined, limit = works.length): number =>
    work === undefined || limit < 0 ? 0 : 1 + depth(parents.get(work), limit - 1);
  return [...works].sort((left, right) => depth(right.work) - depth(left.work));
}

interface Evidence {
  readonly text: string;
  readonly mutation: MutationState;
}

function describeEvidence(call: ToolCallEntry, recovered: Recovered): Evidence {
  if (call.inherited === true) return inheritedCall(recovered.inherited.get(call.call));
  const pending = recovered.pendingEffects.filter((intent) => intent.cause === call.call && mayChange(intent.operation));
  const ended = recovered.outcomes.get(call.call) ?? [];
  const said = ended.flatMap((end) => (end.said === undefined ? [] : [` ${end.said}`])).join("");
  const { text, mutation } = ownCall(call, { recovered, pending, ended });
  return { text: text + said, mutation };
}

interface OwnEvidence {
  readonly recovered: Recovered;
  readonly pending: readonly EffectIntentEntry[];
  readonly ended: readonly EffectEnd[];
}

function ownCall(call: ToolCallEntry, { recovered, pending, ended }: OwnEvidence): Evidence {
  if (pending.length > 0) {
    const effects = pending
      .map((intent) => `effect ${shortId(intent.effect)} ${intent.operation} ${JSON.stringify(intent.input)}`)
      .join("; ");
    const text = `smith ended while this call was running. Its outcome is unknown: ${effects} was started and no completion was recorded. Nothing was run again. Check the actual state before you repeat it.`;
    return { text, mutation: "unknown" };
  }
  const has = (wanted: MutationState): boolean => ended.some(({ outcome }) => outcome === wanted);
  if (has("unknown"))
    return {
      text: interrupted("One of its effects has an unknown outcome; check the actual state before you repeat it."),
      mutation: "unknown",
    };
  if (has("applied"))
    return {
      text: interrupted("Its recorded effects were applied, but its result was lost; check the actual state."),
      mutation: "applied",
    };
  if (!recovered.unsettled.some(({ work }) => work === call.work)) return elsewhere;
  return { text: interrupted("It had not changed anything."), mutation: "not-applied" };
}

const interrupted = (rest: string): string => `smith ended before this call returned. ${rest} Nothing was run again.`;

/** The turn that made the call is over. If it has a result, that lies on another branch. */
const elsewhere: Evidence = {
  text: "No result of this call is part of this conversation: its turn ended, or the conversation was taken up at a point before the result was recorded. What the call did is not known here. Nothing was run again. Check the actual state before you repeat it.",
  mutation: "unknown",
};

const INHERITED: { readonly [State in MutationState]: string } = {
  unknown: "An effect of it had begun there when this session was made, and its outcome is not known here; check the actual state.",
  applied: "Its effects that are recorded here were applied; check the actual state.",
  "not-applied":
    "No effect of it that changes anything is recorded up to the point this one begins at; what came after that is not known here.",
};

function inheritedCall(evidence: InheritedEvidence | undefined): Evidence {
  const mutation = evidence?.mutation ?? "unknown";
  const source = evidence?.session === undefined ? "the session this one was made from" : `session ${shortId(evidence.session)}`;
  const text = `This call belongs to ${source}, and its result is not part of this session. ${INHERITED[mutation]} Nothing was run again.`;
  return { text, mutation };
}
