import type { SubmissionId } from "../../base/index.js";
import type {
  AttributedAction,
  BranchStateEntry,
  CompactionEntry,
  ContextEditEntry,
  StateFields,
  UserMessageEntry,
} from "../../schema/index.js";
import { type ActionBoundary, isWorthRecording, ofType, stateName, type Wanted } from "../boundary.js";
import { project, validateWhole } from "../context/index.js";
import { Draft, type Mint } from "../draft.js";
import type { QueuedItem } from "../facts.js";
import { estimateTokens, judged } from "../lifecycle/index.js";
import { settleAll } from "../recovery/index.js";
import type { AgentInput, AgentState, Decision } from "../state.js";
import { queueInput, takeBack } from "./admission.js";
import { next } from "./ending.js";

/** What plugins wanted of the session, in one change with the record of it. What is no entry is left to whoever asked. */
export function publishActions(state: AgentState, input: Extract<AgentInput, { type: "actions-published" }>, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  const { state: after, published } = carryOut(draft, state, input.boundary, mint);
  return { state: next(after, draft, after.turn), entries: draft.entries, requests: [], published };
}

interface CarriedOut {
  readonly state: AgentState;
  readonly published: ActionBoundary;
}

/**
 * Writes a boundary into a change: its record first, then the entries it makes. Edits stand together, because they count together.
 * Batches that cannot be carried out any more are recorded as refused. `state` is as it is before the change; its leaf and history
 * are the draft's.
 */
export function carryOut(draft: Draft, state: AgentState, boundary: ActionBoundary, mint: Mint): CarriedOut {
  const published = judged(state, boundary);
  if (!isWorthRecording(published)) return { state, published };
  const { accepted } = published;
  const isOver = state.turn === undefined && state.interrupted !== undefined && accepted.some(isSaid);
  // Between a call and its result nothing may be said.
  if (isOver) settleAll(draft, state.interrupted);
  record(draft, published);
  editContext(draft, accepted);
  for (const { plugin, action } of ofType(accepted, "add-message"))
    draft.append<UserMessageEntry>({ type: "user-message", source: "notice", plugin, text: action.text, ...workOf(boundary) });
  setStates(draft, published);
  const settled: AgentState = isOver ? { ...state, interrupted: undefined } : state;
  const queue = changeQueue(draft, settled, accepted, mint);
  const [stop] = ofType(accepted, "stop-turn");
  const { turn } = settled;
  const stopped = stop === undefined ? undefined : { plugin: stop.plugin, why: stop.action.why };
  return { state: { ...settled, queue, turn: turn === undefined || stopped === undefined ? turn : { ...turn, stopped } }, published };
}

/** Whether an action adds to the history. */
const isSaid = ({ action }: AttributedAction): boolean =>
  action.type === "add-message" ||
  action.type === "edit-context" ||
  action.type === "compact" ||
  (action.type === "set-state" && action.scope === "branch");

const workOf = ({ work }: ActionBoundary): { readonly work?: NonNullable<ActionBoundary["work"]> } => (work === undefined ? {} : { work });

function record(draft: Draft, boundary: ActionBoundary): void {
  const { trigger, generation, accepted, refused, invocations } = boundary;
  const cause = draft.leaf;
  for (const invocation of invocations) draft.record({ type: "invocation", generation, ...invocation, ...workOf(boundary) }, cause);
  draft.record({ type: "actions", trigger, generation, accepted, refused, ...workOf(boundary) }, cause);
}

function editContext(draft: Draft, accepted: readonly AttributedAction[]): void {
  const wanted = ofType(accepted, "edit-context").map(({ action }) => action);
  const edits = wanted.length === 0 ? undefined : validateWhole(draft.history, wanted);
  if (edits?.ok === true) for (const edit of edits.value) draft.append<ContextEditEntry>(edit);
  for (const { action } of ofType(accepted, "compact").slice(0, 1)) {
    const { firstKept, summary } = action;
    const tokensBefore = estimateTokens(project(draft.history));
    draft.append<CompactionEntry>({ type: "compaction", firstKept, summary, tokensBefore });
  }
}

/** State of the project and of the user is kept elsewhere. */
function setStates(draft: Draft, { accepted, states }: ActionBoundary): void {
  for (const { plugin, action } of ofType(accepted, "set-state")) {
    const { version, fork } = states.get(stateName(plugin, action.key)) ?? { version: 1, fork: "fresh" };
    const fields: StateFields = {
      owner: plugin,
      key: action.key,
      version,
      fork,
      ...(action.value === null ? { operation: "delete" } : { operation: "put", value: action.value }),
    };
    if (action.scope === "branch") draft.append<BranchStateEntry>({ type: "branch-state", ...fields });
    if (action.scope === "session") draft.record({ type: "state", ...fields });
  }
}

function changeQueue(draft: Draft, state: AgentState, accepted: readonly AttributedAction[], mint: Mint): readonly QueuedItem[] {
  const withdrawn = new Set(ofType(accepted, "withdraw").map(({ action }) => action.submission));
  for (const item of state.queue) if (withdrawn.has(item.submission)) takeBack(draft, item);
  const added = ofType(accepted, "enqueue").map((one) => enqueued(draft, one, mint));
  return added.length === 0 && withdrawn.size === 0
    ? state.queue
    : [...state.queue.filter(({ submission }) => !withdrawn.has(submission)), ...added];
}

function enqueued(draft: Draft, { plugin, action }: Wanted<"enqueue">, mint: Mint): QueuedItem {
  const submission = mint.ids.next<SubmissionId>();
  const { text, delivery = "steer" } = action;
  return queueInput(draft, { submission, text, delivery, plugin }, mint);
}

/** What handlers say is delivered now, in queue order; undefined when none says anything. */
export function picked(queue: readonly QueuedItem[], accepted: readonly AttributedAction[]): readonly QueuedItem[] | undefined {
  const deliveries = ofType(accepted, "deliver");
  if (deliveries.length === 0) return undefined;
  const named = new Set(deliveries.flatMap(({ action }) => action.submissions));
  return queue.filter(({ submission }) => named.has(submission));
}
