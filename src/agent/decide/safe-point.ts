import type { RunLimits } from "../../schema/index.js";
import { invariant } from "../../base/index.js";
import { cutResponse, limitReached } from "../diagnostics.js";
import { Draft, type Mint } from "../draft.js";
import type { QueuedItem } from "../facts.js";
import type { AgentInput, AgentState, Decision, Held, Turn } from "../state.js";
import { carryOut, picked } from "./actions.js";
import { attended, deliver, waiting } from "./admission.js";
import { recordProgress } from "./checkpoint.js";
import { finish, next, policyEnd, stopEnd } from "./ending.js";
import { limitHit } from "./limits.js";
import { NO_CALLS } from "./turn.js";

/** Queued input that is delivered at a safe point unless handlers say otherwise. */
export interface Due {
  readonly point: "batch" | "stop";
  readonly items: readonly QueuedItem[];
}

/** How the turn goes on from its safe point. `progress`: how far it has come is to be recorded with that. */
interface Onward {
  readonly held: Held;
  readonly limits: RunLimits;
  readonly progress: boolean;
  readonly pick?: readonly QueuedItem[] | undefined;
}

/** What is recorded stays; the turn waits for what is to be published before it goes on. */
export function hold(state: AgentState, draft: Draft, turn: Turn, held: Held): Decision {
  recordProgress(draft, turn);
  return { state: next(state, draft, { ...turn, held }), entries: draft.entries, requests: [{ type: "hold" }] };
}

/** The held turn goes on, or ends. */
export function passSafePoint(
  state: AgentState,
  input: Extract<AgentInput, { type: "safe-point" }>,
  limits: RunLimits,
  mint: Mint,
): Decision {
  const { turn } = state;
  invariant(turn?.held !== undefined, "no turn is held");
  const draft = new Draft(state, mint);
  const done = input.due === undefined ? undefined : carryOut(draft, state, input.due, mint);
  const after = done?.state ?? state;
  const going = { ...(after.turn ?? turn), held: undefined };
  const pick = done === undefined ? undefined : picked(after.queue, done.published.accepted);
  const decision = goOn(after, draft, going, { held: turn.held, limits, progress: false, pick });
  return { ...decision, ...(done === undefined ? {} : { published: done.published }) };
}

export function goOn(state: AgentState, draft: Draft, turn: Turn, onward: Onward): Decision {
  if (turn.stopping !== undefined) return finish(state, draft, turn, stopEnd(turn));
  if (turn.stopped !== undefined) return finish(state, draft, turn, policyEnd(turn.stopped));
  const { held } = onward;
  if (held.type === "answer") {
    if (held.isCut && state.queue.length === 0)
      return finish(state, draft, turn, { status: "limit", reason: "tokens", error: cutResponse() });
    return endOrDeliver(state, draft, turn, onward);
  }
  if (held.final !== undefined) return endOrDeliver(state, draft, { ...turn, reply: held.final }, onward);
  return nextRound(state, draft, turn, onward);
}

/** The agent would stop: input that waits goes on with the turn, unless a limit forbids another round. */
function endOrDeliver(state: AgentState, draft: Draft, turn: Turn, { limits, pick }: Onward): Decision {
  const items = pick ?? waiting(state);
  if (items.length === 0) return finish(state, draft, turn, { status: "ok", reason: "done" });
  const hit = limitHit({ ...turn, repeated: NO_CALLS }, limits);
  if (hit !== undefined) return finish(state, draft, turn, { status: hit.status, reason: hit.reason, error: limitReached(hit) });
  return deliver(attended(state, items), draft, turn, items);
}

/** The batch is complete: the turn takes waiting input in, or goes into its next round, unless a limit forbids one. */
function nextRound(state: AgentState, draft: Draft, turn: Turn, { limits, pick, progress }: Onward): Decision {
  const items = pick ?? steersOf(state);
  const corrected = items.length > 0 ? relieved(turn) : turn;
  const hit = limitHit(corrected, limits);
  if (hit !== undefined) return finish(state, draft, turn, { status: hit.status, reason: hit.reason, error: limitReached(hit) });
  if (items.length > 0) return deliver(state, draft, corrected, items);
  if (progress) recordProgress(draft, turn);
  return { state: next(state, draft, turn), entries: draft.entries, requests: [{ type: "start-round" }] };
}

const steersOf = (state: Pick<AgentState, "queue">): readonly QueuedItem[] => state.queue.filter((item) => item.delivery === "steer");

/** A person's correction is the way out of a stall; it is heard before the turn is given up. */
const relieved = (turn: Turn): Turn => ({ ...turn, repeated: NO_CALLS, refusedRounds: 0 });

/** What would be delivered where a turn is held; undefined when nothing would be. Pure. */
export function dueAt(state: AgentState, limits: RunLimits): Due | undefined {
  const { turn } = state;
  if (turn?.held === undefined || turn.stopping !== undefined || turn.stopped !== undefined) return undefined;
  const isStop = turn.held.type === "answer" || turn.held.final !== undefined;
  const items = isStop ? waiting(state) : steersOf(state);
  if (items.length === 0) return undefined;
  const hit = limitHit(isStop ? { ...turn, repeated: NO_CALLS } : relieved(turn), limits);
  return hit === undefined ? { point: isStop ? "stop" : "batch", items } : undefined;
}
