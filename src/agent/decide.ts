import { type CallId, invariant } from "../base/index.js";
import {
  addUsage,
  type AssistantEntry,
  type Diagnostic,
  type MutationState,
  type RunLimits,
  type SessionInfoEntry,
  type ToolCall,
  type ToolCallEntry,
  type ToolResultEntry,
  type UserMessageEntry,
} from "../schema/index.js";
import { cutResponse, limitReached, refusedResponse } from "./diagnostics.js";
import { Draft, type Mint } from "./draft.js";
import { callSignature, limitHit } from "./limits.js";
import type { AgentInput, AgentRequest, AgentState, Decision, QueuedItem, RoundEnd, Turn, TurnEnd } from "./state.js";

/**
 * The agent's policy: one recorded input to state change, entries to commit and requests to run after they are durable.
 * Pure: same state, input and mint give the same decision (product page section 3, law 3).
 */
export function decide(state: AgentState, input: AgentInput, limits: RunLimits, mint: Mint): Decision {
  switch (input.type) {
    case "submitted":
      return state.turn === undefined ? admitTurn(state, input, mint) : enqueue(state, input, mint);
    case "withdrawn":
      return withdraw(state, input.submission, mint);
    case "round-ended":
      return endRound(state, input, limits, mint);
    case "tool-settled":
      return settleTool(state, input, limits, mint);
    case "renamed":
      return rename(state, input.name, mint);
    case "queue-due":
      return beginQueued(state, mint);
    case "stop-requested":
      return requestStop(state, input.cause, mint);
  }
}

type Submitted = Extract<AgentInput, { type: "submitted" }>;

const submissionFields = (input: Submitted, work: QueuedItem["work"], delivery: "turn" | "steer" | "follow-up", leaf: AgentState["leaf"]) =>
  ({
    type: "submission",
    submission: input.submission,
    work,
    delivery,
    text: input.text,
    ...(leaf === undefined ? {} : { destination: leaf }),
    ...(input.key === undefined ? {} : { key: input.key }),
  }) as const;

function admitTurn(state: AgentState, input: Submitted, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  const work = mint.ids.next<Turn["work"]>();
  draft.record(submissionFields(input, work, "turn", state.leaf));
  draft.record({ type: "work", work, state: "created" });
  draft.append<UserMessageEntry>({ type: "user-message", submission: input.submission, work, source: "prompt", text: input.text });
  return { state: next(state, draft, newTurn(work, input.submission)), entries: draft.entries, requests: [{ type: "start-round" }] };
}

const NO_CALLS: Turn["repeated"] = { signature: "", count: 0 };

const newTurn = (work: Turn["work"], submission: Submitted["submission"]): Turn => ({
  work,
  submissions: [{ submission, work }],
  rounds: 0,
  usage: undefined,
  repeated: NO_CALLS,
  refusedRounds: 0,
  batch: undefined,
  stopping: undefined,
  reply: "",
});

function enqueue(state: AgentState, input: Submitted, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  const work = mint.ids.next<Turn["work"]>();
  draft.record(submissionFields(input, work, input.delivery, state.leaf));
  draft.record({ type: "queue", submission: input.submission, operation: "enqueue" });
  draft.record({ type: "work", work, state: "waiting" });
  const item: QueuedItem = { submission: input.submission, work, delivery: input.delivery, text: input.text };
  return { state: { ...state, queue: [...state.queue, item] }, entries: draft.entries, requests: [] };
}

function withdraw(state: AgentState, submission: QueuedItem["submission"], mint: Mint): Decision {
  const item = state.queue.find((queued) => queued.submission === submission);
  if (item === undefined) return { state, entries: [], requests: [] };
  const draft = new Draft(state, mint);
  recordWithdrawal(draft, item);
  return { state: { ...state, queue: state.queue.filter((queued) => queued !== item) }, entries: draft.entries, requests: [] };
}

function recordWithdrawal(draft: Draft, { submission, work }: QueuedItem): void {
  draft.record({ type: "queue", submission, operation: "withdraw" });
  draft.record({ type: "work", work, state: "settled" });
  draft.record({ type: "receipt", submission, work, status: "aborted", reason: "abort" });
}

function rename(state: AgentState, name: string, mint: Mint): Decision {
  const draft = new Draft(state, mint);
  draft.append<SessionInfoEntry>({ type: "session-info", name });
  return { state: next(state, draft, state.turn), entries: draft.entries, requests: [] };
}

/**
 * Records the wish to stop. What waits is taken back in the same change, so that nothing of it can be delivered to the
 * turn that ends; input that comes later waits for the next turn.
 */
function requestStop(state: AgentState, cause: NonNullable<Turn["stopping"]>, mint: Mint): Decision {
  const { turn } = state;
  const isStopping = turn !== undefined && turn.stopping === undefined;
  const draft = new Draft(state, mint);
  if (isStopping) draft.record({ type: "work", work: turn.work, state: "cancel-requested" });
  for (const item of state.queue) recordWithdrawal(draft, item);
  const requests: readonly AgentRequest[] = isStopping ? [{ type: "stop-running", cause }] : [];
  return { state: { ...state, queue: [], turn: isStopping ? { ...turn, stopping: cause } : turn }, entries: draft.entries, requests };
}

/** Input left over by a turn begins the next one: it was admitted, so it is never silently kept back. */
function beginQueued(state: AgentState, mint: Mint): Decision {
  const [first] = state.queue;
  if (state.turn !== undefined || first === undefined) return { state, entries: [], requests: [] };
  const items = waiting(state);
  const lead = items[0] ?? first;
  return deliver(state, new Draft(state, mint), { ...newTurn(lead.work, lead.submission), submissions: [] }, items);
}

function endRound(state: AgentState, input: Extract<AgentInput, { type: "round-ended" }>, limits: RunLimits, mint: Mint): Decision {
  const { turn } = state;
  invariant(turn !== undefined, "a round ended without a turn");
  const draft = new Draft(state, mint);
  const { end } = input;
  const response = end.type === "done" ? end.result : end.partial;
  recordResponse(draft, turn.work, input);
  const calls = end.type === "done" ? recordCalls(draft, turn.work, response.toolCalls) : [];
  const after: Turn = {
    ...turn,
    rounds: turn.rounds + 1,
    usage: addUsage(turn.usage, response.usage),
    reply: response.text === "" ? turn.reply : response.text,
    batch: calls.length === 0 ? undefined : { calls, settled: new Map() },
    repeated: repeat(turn, calls),
  };
  if (calls.length === 0) return afterAnswer(state, draft, { turn: after, end }, limits);
  return { state: next(state, draft, after), entries: draft.entries, requests: [{ type: "run-tools", calls }] };
}

/** The end of the provider effect, and the message it brought: also a partial one, when there is text to keep. */
function recordResponse(draft: Draft, work: Turn["work"], input: Extract<AgentInput, { type: "round-ended" }>): void {
  const { end } = input;
  const response = end.type === "done" ? end.result : end.partial;
  const stop = end.type === "done" ? end.result.stop : end.type;
  const failure = end.type === "failed" ? { error: end.error } : {};
  draft.record({ type: "effect-done", effect: input.effect, work, outcome: outcomeOf(end), output: { stop }, ...failure });
  if (end.type !== "done" && response.text === "") return;
  draft.append<AssistantEntry>({
    type: "assistant",
    work,
    request: input.request,
    stop,
    text: response.text,
    thinking: response.thinking,
    dispatch: input.dispatch,
    ...(response.usage === undefined ? {} : { usage: response.usage }),
    ...failure,
  });
}

/** A response that came is a fact; one that was cut off may have been made and charged all the same. */
function outcomeOf(end: RoundEnd): MutationState {
  if (end.type === "done") return "applied";
  return end.type === "failed" ? end.outcome : "unknown";
}

const recordCalls = (draft: Draft, work: Turn["work"], calls: readonly ToolCall[]): readonly ToolCallEntry[] =>
  calls.map((call, ordinal) => draft.append<ToolCallEntry>({ type: "tool-call", work, ordinal, ...call }));

function repeat(turn: Turn, calls: readonly ToolCallEntry[]): Turn["repeated"] {
  if (calls.length === 0) return NO_CALLS;
  const signature = callSignature(calls);
  return { signature, count: signature === turn.repeated.signature ? turn.repeated.count + 1 : 1 };
}

/** The response asked for no tool: the turn ends, or queued input goes on with it. */
function afterAnswer(
  state: AgentState,
  draft: Draft,
  { turn, end }: { readonly turn: Turn; readonly end: RoundEnd },
  limits: RunLimits,
): Decision {
  if (turn.stopping !== undefined || end.type === "aborted") return finish(state, draft, turn, stopEnd(turn));
  if (end.type === "failed") return finish(state, draft, turn, { status: "error", reason: "provider", error: end.error });
  const { stop } = end.result;
  if (stop === "refusal" || stop === "content-filter") {
    return finish(state, draft, turn, { status: "error", reason: "provider", error: refusedResponse(stop) });
  }
  if (stop === "limit" && state.queue.length === 0)
    return finish(state, draft, turn, { status: "limit", reason: "tokens", error: cutResponse() });
  if (state.queue.length === 0) return finish(state, draft, turn, { status: "ok", reason: "done" });
  const hit = limitHit({ ...turn, repeated: NO_CALLS }, limits);
  if (hit !== undefined) return finish(state, draft, turn, { status: hit.status, reason: hit.reason, error: limitReached(hit) });
  return deliver(state, draft, turn, waiting(state));
}

/** Queued input becomes messages of the running turn; its receipts are written with the turn's. */
function deliver(state: AgentState, draft: Draft, turn: Turn, items: readonly QueuedItem[]): Decision {
  for (const item of items) {
    draft.record({ type: "queue", submission: item.submission, operation: "deliver" });
    draft.append<UserMessageEntry>({
      type: "user-message",
      submission: item.submission,
      work: item.work,
      source: item.delivery,
      text: item.text,
    });
  }
  const joined = [...turn.submissions, ...items.map(({ submission, work }) => ({ submission, work }))];
  const after = next({ ...state, queue: state.queue.filter((item) => !items.includes(item)) }, draft, { ...turn, submissions: joined });
  return { state: after, entries: draft.entries, requests: [{ type: "start-round" }] };
}

function settleTool(state: AgentState, input: Extract<AgentInput, { type: "tool-settled" }>, limits: RunLimits, mint: Mint): Decision {
  const { turn } = state;
  invariant(turn?.batch !== undefined, "a tool settled without a batch");
  const draft = new Draft(state, mint);
  const { call, outcome } = input;
  const { output } = outcome;
  draft.append<ToolResultEntry>({
    type: "tool-result",
    work: turn.work,
    call: call.call,
    name: call.name,
    text: output.text,
    isError: output.isError,
    mutation: outcome.settlement.mutation,
    omittedBytes: outcome.omittedBytes,
    ...(outcome.settlement.durationMs === undefined ? {} : { durationMs: outcome.settlement.durationMs }),
    ...(output.summary === undefined ? {} : { summary: output.summary }),
    ...(output.details === undefined ? {} : { details: output.details }),
  });
  const settled = new Map([...turn.batch.settled, [call.call, outcome] as const]);
  const open = { ...turn, batch: { ...turn.batch, settled } };
  if (settled.size < turn.batch.calls.length) return { state: next(state, draft, open), entries: draft.entries, requests: [] };
  const refused = [...settled.values()].every((one) => one.refused);
  return afterBatch(state, draft, { ...turn, batch: undefined, refusedRounds: refused ? turn.refusedRounds + 1 : 0 }, { settled, limits });
}

interface CompleteBatch {
  readonly settled: ReadonlyMap<
    CallId,
    { readonly settlement: { readonly output: { readonly details?: { readonly done?: { readonly finalMessage: string } } } } }
  >;
  readonly limits: RunLimits;
}

/** The safe point: the batch is complete, so the turn stops, takes waiting input in, or goes into its next round. */
function afterBatch(state: AgentState, draft: Draft, turn: Turn, batch: CompleteBatch): Decision {
  if (turn.stopping !== undefined) return finish(state, draft, turn, stopEnd(turn));
  const done = [...batch.settled.values()].map((one) => one.settlement.output.details?.done).find((one) => one !== undefined);
  if (done !== undefined) {
    const answered = { ...turn, reply: done.finalMessage };
    return state.queue.length > 0
      ? deliver(state, draft, answered, waiting(state))
      : finish(state, draft, answered, { status: "ok", reason: "done" });
  }
  const steers = state.queue.filter((item) => item.delivery === "steer");
  // A person's correction is the way out of a stall; it is heard before the turn is given up.
  const corrected = steers.length > 0 ? { ...turn, repeated: NO_CALLS, refusedRounds: 0 } : turn;
  const hit = limitHit(corrected, batch.limits);
  if (hit !== undefined) return finish(state, draft, turn, { status: hit.status, reason: hit.reason, error: limitReached(hit) });
  if (steers.length > 0) return deliver(state, draft, corrected, steers);
  return { state: next(state, draft, turn), entries: draft.entries, requests: [{ type: "start-round" }] };
}

/** What is delivered when the agent would stop: every steer, else the oldest follow-up. */
function waiting(state: AgentState): readonly QueuedItem[] {
  const steers = state.queue.filter((item) => item.delivery === "steer");
  return steers.length > 0 ? steers : state.queue.slice(0, 1);
}

/** How a turn ends that was asked to stop. */
export function stopEnd(turn: Turn): EndFacts {
  if (turn.stopping !== "deadline") return { status: "aborted", reason: "abort" };
  const hit = { status: "limit", reason: "deadline", what: "its deadline passed" } as const;
  return { status: hit.status, reason: hit.reason, error: limitReached(hit) };
}

export interface EndFacts extends Pick<TurnEnd, "status" | "reason"> {
  readonly error?: Diagnostic;
}

function finish(state: AgentState, draft: Draft, turn: Turn, facts: EndFacts): Decision {
  const end: TurnEnd = {
    work: turn.work,
    status: facts.status,
    reason: facts.reason,
    error: facts.error,
    reply: turn.reply,
    usage: turn.usage,
    submissions: turn.submissions.map((one) => one.submission),
  };
  recordEnd(draft, turn, facts);
  const requests: readonly AgentRequest[] = [{ type: "turn-ended", end }];
  return { state: next(state, draft, undefined), entries: draft.entries, requests };
}

function recordEnd(draft: Draft, turn: Turn, facts: EndFacts): void {
  for (const { submission, work } of turn.submissions) {
    draft.record({ type: "work", work, state: "settled" });
    draft.record({
      type: "receipt",
      submission,
      work,
      status: facts.status,
      reason: facts.reason,
      ...(facts.error === undefined ? {} : { error: facts.error }),
    });
  }
}

/** A turn that ended by something outside the policy: storage, or a bug. */
export function failTurn(state: AgentState, facts: EndFacts, mint: Mint): Decision {
  const { turn } = state;
  invariant(turn !== undefined, "no turn to fail");
  return finish(state, new Draft(state, mint), turn, facts);
}

const next = (state: AgentState, draft: Draft, turn: Turn | undefined): AgentState => ({
  ...state,
  leaf: draft.leaf,
  history: draft.history,
  turn,
});
