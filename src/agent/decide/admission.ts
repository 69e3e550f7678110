import type { BranchStateEntry, SessionInfoEntry, StateFields, UserMessageEntry } from "../../schema/index.js";
import { Draft, type Mint } from "../draft.js";
import type { QueuedItem } from "../facts.js";
import { settleAll } from "../recovery/index.js";
import type { AgentInput, AgentRequest, AgentState, Decision, Turn } from "../state.js";
import { recordProgress } from "./checkpoint.js";
import { next } from "./ending.js";
import { newTurn } from "./turn.js";

type Submitted = Extract<AgentInput, { type: "submitted" }>;

const imagesOf = ({ images = [] }: Pick<Submitted, "images">): Pick<Submitted, "images"> => (images.length === 0 ? {} : { images });

const submissionFields = (
  input: Omit<Submitted, "type">,
  work: QueuedItem["work"],
  delivery: "turn" | "steer" | "follow-up",
  leaf: AgentState["leaf"],
) =>
  ({
    type: "submission",
    submission: input.submission,
    work,
    delivery,
    text: input.text,
    ...imagesOf(input),
    ...(leaf === undefined ? {} : { destination: leaf }),
    ...(input.key === undefined ? {} : { key: input.key }),
  }) as const;

/** A turn begins: what is open from before ends first, so that nothing is said between a call and its result. */
export function admitTurn(state: AgentState, input: Submitted, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  settleAll(draft, state.interrupted);
  const work = mint.ids.next<Turn["work"]>();
  draft.record(submissionFields(input, work, "turn", state.leaf));
  draft.record({ type: "work", work, state: "created" });
  const { submission, text } = input;
  draft.append<UserMessageEntry>({ type: "user-message", submission, work, source: "prompt", text, ...imagesOf(input) });
  return {
    state: next({ ...state, interrupted: undefined, unattended: 0 }, draft, newTurn(work, input.submission)),
    entries: draft.entries,
    requests: [{ type: "start-round" }],
  };
}

export function enqueue(state: AgentState, input: Submitted, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  const item = queueInput(draft, input, mint);
  return { state: { ...state, queue: [...state.queue, item], unattended: 0 }, entries: draft.entries, requests: [] };
}

/** Records input that waits, whoever it is from. */
export function queueInput(draft: Draft, input: Omit<Submitted, "type"> & { readonly plugin?: string }, mint: Mint): QueuedItem {
  const work = mint.ids.next<Turn["work"]>();
  const { submission, delivery, text, plugin } = input;
  const by = plugin === undefined ? {} : { plugin };
  draft.record({ ...submissionFields(input, work, delivery, draft.leaf), ...by });
  draft.record({ type: "queue", submission, operation: "enqueue" });
  draft.record({ type: "work", work, state: "waiting" });
  return { submission, work, delivery, text, ...imagesOf(input), ...by };
}

export function withdraw(state: AgentState, submission: QueuedItem["submission"], mint: Mint): Decision {
  const item = state.queue.find((queued) => queued.submission === submission);
  if (item === undefined) return { state, entries: [], requests: [] };
  const draft = new Draft(state, mint);
  takeBack(draft, item);
  return { state: { ...state, queue: state.queue.filter((queued) => queued !== item) }, entries: draft.entries, requests: [] };
}

/** Input that waited leaves the queue with a receipt. */
export function takeBack(draft: Draft, { submission, work }: QueuedItem): void {
  draft.record({ type: "queue", submission, operation: "withdraw" });
  draft.record({ type: "work", work, state: "settled" });
  draft.record({ type: "receipt", submission, work, status: "aborted", reason: "abort" });
}

export function rename(state: AgentState, name: string, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  draft.append<SessionInfoEntry>({ type: "session-info", name });
  return { state: next(state, draft, state.turn), entries: draft.entries, requests: [] };
}

/** State of the branch moves on with it: what counts is the newest change on the way back from a leaf. */
export function changeBranchState(state: AgentState, fields: StateFields, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  draft.append<BranchStateEntry>({ type: "branch-state", ...fields });
  return { state: next(state, draft, state.turn), entries: draft.entries, requests: [] };
}

/**
 * Records the wish to stop. What waits is taken back in the same change, so that nothing of it can be delivered to the
 * turn that ends; input that comes later waits for the next turn.
 */
export function requestStop(state: AgentState, cause: NonNullable<Turn["stopping"]>, mint: Mint): Decision {
  const { turn } = state;
  const isStopping = turn !== undefined && turn.stopping === undefined;
  const draft = new Draft(state, mint);
  if (isStopping) draft.record({ type: "work", work: turn.work, state: "cancel-requested" });
  for (const item of state.queue) takeBack(draft, item);
  const requests: readonly AgentRequest[] = isStopping ? [{ type: "stop-running", cause }] : [];
  return { state: { ...state, queue: [], turn: isStopping ? { ...turn, stopping: cause } : turn }, entries: draft.entries, requests };
}

/** Input left over by a turn begins the next one: it was admitted, so it is never silently kept back. */
export function beginQueued(state: AgentState, mint: Mint): Decision {
  const [first] = state.queue;
  if (state.turn !== undefined || first === undefined) return { state, entries: [], requests: [] };
  const items = waiting(state);
  const lead = items[0] ?? first;
  const draft = new Draft(state, mint);
  settleAll(draft, state.interrupted);
  const after = attended({ ...state, interrupted: undefined }, items);
  return deliver(after, draft, { ...newTurn(lead.work, lead.submission), submissions: [] }, items);
}

/** Queued input becomes messages of the running turn, which owns its work from then on; its receipts are written with the turn's. */
export function deliver(state: AgentState, draft: Draft, turn: Turn, items: readonly QueuedItem[]): Decision {
  recordProgress(draft, turn);
  for (const item of items) {
    draft.record({ type: "queue", submission: item.submission, operation: "deliver" });
    if (item.work !== turn.work) draft.record({ type: "work", work: item.work, parentWork: turn.work, state: "running" });
    draft.append<UserMessageEntry>({
      type: "user-message",
      submission: item.submission,
      work: item.work,
      source: item.delivery,
      ...(item.plugin === undefined ? {} : { plugin: item.plugin }),
      text: item.text,
      ...imagesOf(item),
    });
  }
  const joined = [...turn.submissions, ...items.map(({ submission, work }) => ({ submission, work }))];
  const after = next({ ...state, queue: state.queue.filter((item) => !items.includes(item)) }, draft, { ...turn, submissions: joined });
  return { state: after, entries: draft.entries, requests: [{ type: "start-round" }] };
}

/** What is delivered when the agent would stop: every steer, else the oldest follow-up. */
export function waiting(state: AgentState): readonly QueuedItem[] {
  const steers = state.queue.filter((item) => item.delivery === "steer");
  return steers.length > 0 ? steers : state.queue.slice(0, 1);
}

/** A turn that begins or goes on only because plugins said something has nobody who asked for it. */
export const attended = (state: AgentState, items: readonly QueuedItem[]): AgentState =>
  items.every(({ plugin }) => plugin !== undefined) ? { ...state, unattended: state.unattended + 1 } : state;
