import type { CallId, EffectId, SubmissionId, WorkId } from "../base/index.js";
import { shortId } from "../base/index.js";
import {
  type EffectDoneEntry,
  type EffectIntentEntry,
  type Entry,
  type HistoryEntry,
  isHistoryEntry,
  mayChange,
  type MutationState,
  type PromptEntry,
  type SubmissionEntry,
  type ToolCallEntry,
  type ToolResultEntry,
} from "../schema/index.js";
import type { SessionReader } from "../session/index.js";
import { interruptedWork } from "./diagnostics.js";
import { Draft, type Mint } from "./draft.js";
import { PROVIDER_OPERATION } from "./round.js";
import { type AgentState, type Decision, emptyState, type QueuedItem } from "./state.js";

/** Live facts of a session file: what was begun and has no recorded end. Nothing is executed to find them. */
export interface Recovered {
  /** Intents without a completion: their outcome is unknown. */
  readonly pendingEffects: readonly EffectIntentEntry[];
  /** Outcomes of completed effects by the call or request that caused them. */
  readonly outcomes: ReadonlyMap<string, readonly MutationState[]>;
  /** Submissions whose work has no receipt and is not queued. */
  readonly unsettled: readonly { readonly submission: SubmissionId; readonly work: WorkId }[];
  readonly queue: readonly QueuedItem[];
  /** Deduplication keys of this session. */
  readonly keys: ReadonlyMap<string, SubmissionEntry>;
  /** The newest name that was given to the session. */
  readonly name?: string;
}

const LIVE_TYPES = new Set<Entry["type"]>([
  "session-info",
  "submission",
  "queue",
  "work",
  "receipt",
  "effect-intent",
  "effect-done",
  "reconciled",
]);

/** Reads the live facts in one pass over record tables. */
export async function recover(reader: SessionReader): Promise<Recovered> {
  const intents = new Map<EffectId, EffectIntentEntry>();
  const outcomes = new Map<string, MutationState[]>();
  const submissions = new Map<SubmissionId, SubmissionEntry>();
  const queued = new Set<SubmissionId>();
  const closed = new Set<SubmissionId>();
  const keys = new Map<string, SubmissionEntry>();
  const complete = (entry: EffectDoneEntry): void => {
    const intent = intents.get(entry.effect);
    if (intent !== undefined) outcomes.set(intent.cause, [...(outcomes.get(intent.cause) ?? []), entry.outcome]);
    intents.delete(entry.effect);
  };
  let named: Pick<Recovered, "name"> = {};
  for await (const entry of reader.scan(LIVE_TYPES)) {
    if (entry.type === "session-info") named = entry.name === undefined ? named : { name: entry.name };
    else if (entry.type === "effect-intent") intents.set(entry.effect, entry);
    else if (entry.type === "effect-done") complete(entry);
    else if (entry.type === "reconciled") intents.delete(entry.effect);
    else if (entry.type === "receipt") closed.add(entry.submission);
    else if (entry.type === "submission") {
      submissions.set(entry.submission, entry);
      if (entry.key !== undefined) keys.set(entry.key, entry);
    } else if (entry.type === "queue") {
      if (entry.operation === "enqueue") queued.add(entry.submission);
      else queued.delete(entry.submission);
    }
  }
  const open = [...submissions.values()].filter((entry) => !closed.has(entry.submission));
  return {
    pendingEffects: [...intents.values()],
    outcomes,
    unsettled: open.filter((entry) => !queued.has(entry.submission)).map(({ submission, work }) => ({ submission, work })),
    queue: open.flatMap((entry) => (queued.has(entry.submission) && entry.delivery !== "turn" ? [queuedItem(entry, entry.delivery)] : [])),
    keys,
    ...named,
  };
}

const queuedItem = ({ submission, work, text }: SubmissionEntry, delivery: QueuedItem["delivery"]): QueuedItem => ({
  submission,
  work,
  text,
  delivery,
});

/** Loads the selected branch back to its newest compaction, oldest first. */
export async function loadState(reader: SessionReader, recovered: Recovered): Promise<AgentState> {
  const newestFirst: HistoryEntry[] = [];
  let firstKept: string | undefined;
  for await (const entry of reader.branch()) {
    if (!isHistoryEntry(entry)) continue;
    newestFirst.push(entry);
    if (entry.type === "compaction") firstKept ??= entry.firstKept;
    if (entry.id === firstKept) break;
  }
  const history = newestFirst.reverse();
  const prompt = history.findLast((entry): entry is PromptEntry => entry.type === "prompt");
  return { ...emptyState, leaf: reader.leaf(), history, prompt, queue: recovered.queue };
}

/**
 * Ends what an earlier process left open, as one change, before new work is admitted: every open call gets a result that
 * says what is known, every pending effect its `unknown`, every unsettled submission a receipt. Runs nothing.
 */
export function settleInterrupted(state: AgentState, recovered: Recovered, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  for (const intent of recovered.pendingEffects) {
    draft.record({
      type: "effect-done",
      effect: intent.effect,
      outcome: "unknown",
      output: null,
      ...(intent.work === undefined ? {} : { work: intent.work }),
    });
  }
  for (const call of openCalls(state.history)) {
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
  for (const { submission, work } of recovered.unsettled) {
    draft.record({ type: "work", work, state: "settled" });
    draft.record({ type: "receipt", submission, work, status: "aborted", reason: "abort", error: interruptedWork() });
  }
  return { state: { ...state, leaf: draft.leaf, history: draft.history }, entries: draft.entries, requests: [] };
}

/** Calls of the branch that have no result yet. */
export function openCalls(history: readonly HistoryEntry[]): readonly ToolCallEntry[] {
  const settled = new Set<CallId>(history.flatMap((entry) => (entry.type === "tool-result" ? [entry.call] : [])));
  return history.filter((entry): entry is ToolCallEntry => entry.type === "tool-call" && !settled.has(entry.call));
}

/** Pending effects a person should be told of: those that may have changed something, the model's own response left out. */
export const reportable = (recovered: Recovered): readonly EffectIntentEntry[] =>
  recovered.pendingEffects.filter((intent) => intent.operation !== PROVIDER_OPERATION && mayChange(intent.operation));

function describeEvidence(call: ToolCallEntry, recovered: Recovered): { readonly text: string; readonly mutation: MutationState } {
  const pending = recovered.pendingEffects.filter((intent) => intent.cause === call.call && mayChange(intent.operation));
  const done = recovered.outcomes.get(call.call) ?? [];
  if (pending.length > 0) {
    const effects = pending
      .map((intent) => `effect ${shortId(intent.effect)} ${intent.operation} ${JSON.stringify(intent.input)}`)
      .join("; ");
    const text = `smith ended while this call was running. Its outcome is unknown: ${effects} was started and no completion was recorded. Nothing was run again. Check the actual state before you repeat it.`;
    return { text, mutation: "unknown" };
  }
  if (done.includes("unknown"))
    return {
      text: interrupted("One of its effects has an unknown outcome; check the actual state before you repeat it."),
      mutation: "unknown",
    };
  if (done.includes("applied"))
    return {
      text: interrupted("Its recorded effects were applied, but its result was lost; check the actual state."),
      mutation: "applied",
    };
  return { text: interrupted("It had not changed anything."), mutation: "not-applied" };
}

const interrupted = (rest: string): string => `smith ended before this call returned. ${rest} Nothing was run again.`;
