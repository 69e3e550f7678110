import type { WorkId } from "../../base/index.js";
import { addSpend, type HistoryEntry, NO_SPEND, type RunLimits, type Spend, spendOf } from "../../schema/index.js";
import { limitReached, nothingInterrupted, turnRunning } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import type { OpenWork, Recovered } from "../facts.js";
import { blockedBy, endEffects, endWorks, openCalls, settleOpenCalls } from "../recovery/index.js";
import type { AgentInput, AgentState, Decision, Turn } from "../state.js";
import { refuse } from "./branch.js";
import { parseCheckpoint, recordProgress } from "./checkpoint.js";
import { finish, next } from "./ending.js";
import { limitHit } from "./limits.js";
import { newTurn } from "./turn.js";

type Asked = OpenWork & Required<Pick<OpenWork, "submission">>;

/**
 * Goes on with the turn an earlier process left open. Its open calls end with what is known of them, effects without an end
 * are recorded as unknown, and the next round is asked for: nothing is run again. Where something it needs is missing, the
 * work is recorded as blocked and stays open.
 */
export function resumeWork(
  state: AgentState,
  input: Extract<AgentInput, { type: "work-resumed" }>,
  limits: RunLimits,
  mint: Mint,
): Decision {
  if (state.turn !== undefined) return refuse(state, turnRunning("going on with another one"));
  const recovered = state.interrupted;
  const lead = recovered === undefined ? undefined : interruptedTurn(recovered);
  if (recovered === undefined || lead === undefined) return refuse(state, nothingInterrupted());
  const blocked = blockedBy(state, input.available);
  const draft = new Draft(state, mint);
  if (blocked !== undefined) {
    if (lead.state === "blocked") return refuse(state, blocked);
    draft.record({
      type: "work",
      work: lead.work,
      state: "blocked",
      ...(lead.checkpoint === undefined ? {} : { checkpoint: lead.checkpoint }),
    });
    return {
      state: { ...state, interrupted: withState(recovered, lead, "blocked") },
      entries: draft.entries,
      requests: [],
      refused: blocked,
    };
  }
  endEffects(draft, recovered);
  settleOpenCalls(draft, recovered);
  const joined = recovered.unsettled.filter((work): work is Asked => work.parent === lead.work && work.submission !== undefined);
  endWorks(
    draft,
    recovered.unsettled.filter((work) => work !== lead && !joined.some((one) => one === work)),
  );
  const turn = resumedTurn(state, lead, joined);
  recordProgress(draft, turn);
  const after: AgentState = { ...state, interrupted: undefined };
  const hit = limitHit(turn, limits);
  if (hit !== undefined) return finish(after, draft, turn, { status: hit.status, reason: hit.reason, error: limitReached(hit) });
  return { state: next(after, draft, turn), entries: draft.entries, requests: [{ type: "start-round" }] };
}

/** The newest one that owns itself and was delivered: there is one at a time, unless the file came from elsewhere. */
const interruptedTurn = ({ unsettled }: Recovered): Asked | undefined =>
  unsettled.findLast((work): work is Asked => work.submission !== undefined && work.parent === undefined && work.state !== "waiting");

const withState = (recovered: Recovered, lead: OpenWork, state: OpenWork["state"]): Recovered => ({
  ...recovered,
  unsettled: recovered.unsettled.map((work) => (work === lead ? { ...work, state } : work)),
});

/** What the batch that was cut off has used: the newest checkpoint is from before it. */
function openBatchSpend(history: readonly HistoryEntry[], work: WorkId): Spend {
  if (openCalls(history).length === 0) return NO_SPEND;
  const start = history.findLastIndex((entry) => entry.type === "assistant");
  return history.slice(start).reduce<Spend>((sum, entry) => {
    if (entry.type === "assistant" && entry.work === work) return addSpend(sum, spendOf(entry));
    const reported = entry.type === "tool-result" && entry.work === work ? entry.details?.usage : undefined;
    return reported === undefined ? sum : addSpend(sum, spendOf(reported));
  }, NO_SPEND);
}

function resumedTurn({ history }: AgentState, lead: Asked, joined: readonly Asked[]): Turn {
  const answer = history.findLast((entry) => entry.type === "assistant" && entry.work === lead.work && entry.text !== "");
  const progress = parseCheckpoint(lead.checkpoint);
  return {
    ...newTurn(lead.work, lead.submission),
    ...progress,
    spend: addSpend(progress.spend, openBatchSpend(history, lead.work)),
    submissions: [lead, ...joined].map(({ submission, work }) => ({ submission, work })),
    reply: answer?.type === "assistant" ? answer.text : "",
  };
}
