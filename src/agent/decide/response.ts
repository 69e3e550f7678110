import { invariant } from "../../base/index.js";
import {
  addSpend,
  type AssistantEntry,
  type AssistantResult,
  costOf,
  isCost,
  type MutationState,
  type RunLimits,
  spendOf,
  type ToolCall,
  type ToolCallEntry,
  type ToolDetails,
  type ToolResultEntry,
} from "../../schema/index.js";
import { refusedResponse } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import type { AgentInput, AgentState, Decision, RoundEnd, Turn } from "../state.js";
import { carryOut } from "./actions.js";
import { finish, next, stopEnd } from "./ending.js";
import { callSignature } from "./limits.js";
import { withoutRefusedImages } from "./refused-images.js";
import { soundDetails } from "./reported.js";
import { goOn, hold } from "./safe-point.js";
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
    spend: isResponse(end, response) ? addSpend(turn.spend, spendOf(priced(input, response))) : turn.spend,
    reply: response.text === "" ? turn.reply : response.text,
    batch: calls.length === 0 ? undefined : { calls, settled: new Map() },
    repeated: repeat(turn, calls),
  };
  if (end.type === "failed") {
    const again = withoutRefusedImages(state, draft, after, { end, attempt: input.attempt });
    if (again !== undefined) return again;
  }
  if (calls.length === 0) return afterAnswer(state, draft, { turn: after, end }, { limits, isHeld: input.hold === true });
  return { state: next(state, draft, after), entries: draft.entries, requests: [{ type: "run-tools", calls }] };
}

/** The end of the provider effect, and the message it brought: also a partial one, when there is text to keep. */
function recordResponse(draft: Draft, work: Turn["work"], input: Extract<AgentInput, { type: "round-ended" }>): void {
  const { end } = input;
  const response = end.type === "done" ? end.result : end.partial;
  const stop = end.type === "done" ? end.result.stop : end.type;
  const failure = end.type === "failed" ? { error: end.error } : {};
  if (input.effect !== undefined) {
    draft.record({ type: "effect-done", effect: input.effect, work, outcome: outcomeOf(end), output: { stop }, ...failure });
  }
  if (!isResponse(end, response)) return;
  draft.append<AssistantEntry>({
    type: "assistant",
    work,
    request: input.request,
    stop,
    text: response.text,
    thinking: response.thinking,
    dispatch: input.attempt.dispatch,
    ...priced(input, response),
    ...failure,
  });
}

/** Of what was cut there is a response when something of it came: words to keep, or an account to pay. */
const isResponse = (end: RoundEnd, response: AssistantResult): boolean =>
  end.type === "done" || response.text !== "" || response.usage !== undefined;

function priced(
  { attempt }: Pick<Extract<AgentInput, { type: "round-ended" }>, "attempt">,
  { usage }: AssistantResult,
): Pick<AssistantEntry, "usage" | "cost"> {
  const cost = costOf(usage, attempt.facts.price);
  return { ...(usage === undefined ? {} : { usage }), ...(isCost(cost) ? { cost } : {}) };
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
  { limits, isHeld }: { readonly limits: RunLimits; readonly isHeld: boolean },
): Decision {
  if (turn.stopping !== undefined || end.type === "aborted") return finish(state, draft, turn, stopEnd(turn));
  if (end.type === "failed") return finish(state, draft, turn, { status: "error", reason: "provider", error: end.error });
  const { stop } = end.result;
  if (stop === "refusal" || stop === "content-filter") {
    return finish(state, draft, turn, { status: "error", reason: "provider", error: refusedResponse(stop) });
  }
  const held = { type: "answer", isCut: stop === "limit" } as const;
  return isHeld ? hold(state, draft, turn, held) : goOn(state, draft, turn, { held, limits, progress: true });
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
  const { call, outcome, boundary } = input;
  const { output } = outcome;
  const done = boundary === undefined ? undefined : carryOut(draft, state, boundary, mint);
  const published = done === undefined ? {} : { published: done.published };
  const details = soundDetails(output.details);
  recordResult(draft, turn.work, { call, outcome, details });
  const spend = details?.usage === undefined ? turn.spend : addSpend(turn.spend, spendOf(details.usage));
  const settled = new Map([...turn.batch.settled, [call.call, outcome] as const]);
  const open = { ...turn, spend, batch: { ...turn.batch, settled } };
  if (settled.size < turn.batch.calls.length)
    return { state: next(state, draft, open), entries: draft.entries, requests: [], ...published };
  const outcomes = [...settled.values()];
  const refusedRounds = outcomes.every((one) => one.refused) ? turn.refusedRounds + 1 : 0;
  const complete: Turn = { ...turn, spend, batch: undefined, refusedRounds };
  const final = outcomes.map((one) => one.settlement.output.details?.done).find((one) => one !== undefined)?.finalMessage;
  const held = { type: "batch", final } as const;
  const isHeld = input.hold === true && turn.stopping === undefined;
  const decision = isHeld ? hold(state, draft, complete, held) : goOn(state, draft, complete, { held, limits, progress: true });
  return { ...decision, ...published };
}

function recordResult(
  draft: Draft,
  work: Turn["work"],
  {
    call,
    outcome,
    details,
  }: Pick<Extract<AgentInput, { type: "tool-settled" }>, "call" | "outcome"> & {
    readonly details: ToolDetails | undefined;
  },
): void {
  const { output, settlement, omittedBytes } = outcome;
  draft.append<ToolResultEntry>({
    type: "tool-result",
    work,
    call: call.call,
    name: call.name,
    text: output.text,
    isError: output.isError,
    mutation: settlement.mutation,
    omittedBytes,
    ...(settlement.durationMs === undefined ? {} : { durationMs: settlement.durationMs }),
    ...(output.summary === undefined ? {} : { summary: output.summary }),
    ...(details === undefined ? {} : { details }),
    ...(settlement.images === undefined ? {} : { images: settlement.images }),
  });
}
