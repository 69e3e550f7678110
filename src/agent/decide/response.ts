import { type CallId, invariant } from "../../base/index.js";
import {
  addUsage,
  type AssistantEntry,
  type MutationState,
  type RunLimits,
  type ToolCall,
  type ToolCallEntry,
  type ToolResultEntry,
} from "../../schema/index.js";
import { cutResponse, limitReached, refusedResponse } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import type { AgentInput, AgentState, Decision, RoundEnd, Turn } from "../state.js";
import { deliver, waiting } from "./admission.js";
import { recordProgress } from "./checkpoint.js";
import { finish, next, stopEnd } from "./ending.js";
import { callSignature, limitHit } from "./limits.js";
import { NO_CALLS } from "./turn.js";

/** A response came to its end: it is recorded, and its calls run or the turn goes on without any. */
export function endRound(state: AgentState, input: Extract<AgentInput, { type: "round-ended" }>, limits: RunLimits, mint: Mint): Decision {
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
  return endOrDeliver(state, draft, turn, limits);
}

/** The agent would stop: input that waits goes on with the turn, unless a limit forbids another round. */
function endOrDeliver(state: AgentState, draft: Draft, turn: Turn, limits: RunLimits): Decision {
  if (state.queue.length === 0) return finish(state, draft, turn, { status: "ok", reason: "done" });
  const hit = limitHit({ ...turn, repeated: NO_CALLS }, limits);
  if (hit !== undefined) return finish(state, draft, turn, { status: hit.status, reason: hit.reason, error: limitReached(hit) });
  return deliver(state, draft, turn, waiting(state));
}

/** A call came to its end; the last of a batch takes the turn to its safe point. */
export function settleTool(
  state: AgentState,
  input: Extract<AgentInput, { type: "tool-settled" }>,
  limits: RunLimits,
  mint: Mint,
): Decision {
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
  if (done !== undefined) return endOrDeliver(state, draft, { ...turn, reply: done.finalMessage }, batch.limits);
  const steers = state.queue.filter((item) => item.delivery === "steer");
  // A person's correction is the way out of a stall; it is heard before the turn is given up.
  const corrected = steers.length > 0 ? { ...turn, repeated: NO_CALLS, refusedRounds: 0 } : turn;
  const hit = limitHit(corrected, batch.limits);
  if (hit !== undefined) return finish(state, draft, turn, { status: hit.status, reason: hit.reason, error: limitReached(hit) });
  if (steers.length > 0) return deliver(state, draft, corrected, steers);
  recordProgress(draft, turn);
  return { state: next(state, draft, turn), entries: draft.entries, requests: [{ type: "start-round" }] };
}
