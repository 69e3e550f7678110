import { invariant, type WorkId } from "../../base/index.js";
import type { Boundary, ContextTransform } from "../../schema/index.js";
import { type ActionBoundary, isNothing, ofType, refuseAll } from "../boundary.js";
import { extendProjection } from "../context/index.js";
import { dueAt, type EndFacts, policyEnd, stopEnd } from "../decide/index.js";
import type { Mint } from "../draft.js";
import { actionsUnrecordable, queueDue, requestPrepared } from "../lifecycle/index.js";
import { prepareRound, type RoundFacts } from "../request/index.js";
import type { AgentInput, AgentState, Decision, RoundEnd, Turn } from "../state.js";
import type { Handlers } from "./handlers.js";
import { isRefusal } from "./refusal.js";
import type { DriverPorts, RoundCall } from "./types.js";
import { untilAborted } from "./waiting.js";

/** What a turn's steps need of its driver. */
export interface StepPorts {
  readonly ports: DriverPorts;
  readonly handlers: Handlers;
  readonly state: () => AgentState;
  /** Of the turn that runs. */
  readonly signal: () => AbortSignal;
  readonly mint: () => Mint;
  readonly apply: (input: AgentInput) => Promise<Decision>;
  readonly applyFact: (input: Extract<AgentInput, { readonly type: "round-ended" | "tool-settled" }>) => Promise<Decision>;
  /** Records what was prepared, and goes on with its state. */
  readonly record: (prepared: Pick<Decision, "entries" | "state">) => Promise<void>;
  readonly endTurn: (facts: EndFacts) => Promise<void>;
  /** What handlers are to be told of a turn before its first request, once. */
  readonly beginning: (turn: Turn) => Promise<void>;
}

/** The turn as long as it is that one: what comes after it ended belongs to nobody. */
const current = ({ state }: StepPorts, work: WorkId): Turn | undefined => {
  const { turn } = state();
  return turn?.work === work ? turn : undefined;
};

/** One request, from the safe point before it to the record of its response. */
export async function runRound(steps: StepPorts, work: WorkId): Promise<void> {
  const { ports, handlers, state } = steps;
  const signal = steps.signal();
  // A reader that takes nothing any more must not outlast the wish to stop.
  await untilAborted(signal, ports.ready());
  const shaped = await handlers.atSafePoint(async () => await shape(steps, work, signal));
  if (shaped === undefined || current(steps, work) === undefined) return;
  const { facts, transforms } = shaped;
  const prepared = prepareRound(state(), facts, steps.mint(), { sha256: ports.sha256, transforms });
  await steps.record(prepared);
  if (current(steps, work) === undefined) return;
  const { request, effect, messages } = prepared;
  const { dispatch, contextLimit } = facts;
  ports.emit({ type: "response-started", request, model: dispatch, ...(contextLimit === undefined ? {} : { contextLimit }) });
  const end = await stream(ports, { facts, messages, signal });
  if (current(steps, work) === undefined) return;
  const hold = handlers.listens("round-settled") || mustHold(steps);
  await steps.applyFact({ type: "round-ended", request, effect, dispatch, end, hold });
}

/** Whether the turn cannot go on from its next safe point at once. */
export const mustHold = ({ handlers, state }: Pick<StepPorts, "handlers" | "state">): boolean =>
  handlers.isBusy() || (state().queue.length > 0 && handlers.listens("queue-due"));

/** What a request is made of. */
interface Shaped {
  readonly facts: RoundFacts;
  readonly transforms: readonly ContextTransform[];
}

/** Everything handlers have to do with the next request. Nothing when the turn is over. */
async function shape(steps: StepPorts, work: WorkId, signal: AbortSignal): Promise<Shaped | undefined> {
  const { handlers } = steps;
  if (handlers.isBusy()) await handlers.drain(signal);
  const beginning = current(steps, work);
  if (beginning !== undefined) await steps.beginning(beginning);
  const first = await askFacts(steps, work, signal);
  if (first === undefined) return undefined;
  const wanted = handlers.listens("request-prepared") ? await askRequest(steps, work, { facts: first, signal }) : undefined;
  const isOther = wanted?.accepted.some(({ action }) => CHANGES_FACTS.has(action.type)) === true;
  const facts = isOther ? await askFacts(steps, work, signal) : first;
  if (facts === undefined || (await isStopped(steps, work, signal))) return undefined;
  return { facts, transforms: ofType(wanted?.accepted ?? [], "transform-context").flatMap(({ action }) => action.transforms) };
}

/** The turn is over, or ends now because somebody wants it to. */
async function isStopped(steps: StepPorts, work: WorkId, signal: AbortSignal): Promise<boolean> {
  const turn = current(steps, work);
  if (turn === undefined) return true;
  const stop = signal.aborted ? stopEnd(turn) : turn.stopped === undefined ? undefined : policyEnd(turn.stopped);
  if (stop !== undefined) await steps.endTurn(stop);
  return stop !== undefined;
}

const CHANGES_FACTS: ReadonlySet<string> = new Set(["set-model", "set-thinking", "set-tools", "set-prompt", "set-config"]);

/** Ends the turn when there are none, or when it is to stop. */
async function askFacts(steps: StepPorts, work: WorkId, signal: AbortSignal): Promise<RoundFacts | undefined> {
  const facts = signal.aborted ? undefined : await steps.ports.facts(signal);
  const turn = current(steps, work);
  if (turn === undefined) return undefined;
  if (facts?.ok === true && !signal.aborted) return facts.value;
  const isRefused = facts?.ok === false && !signal.aborted;
  await steps.endTurn(isRefused ? { status: "error", reason: "provider", error: facts.error } : stopEnd(turn));
  return undefined;
}

/** What handlers make of the request that is about to be made. */
async function askRequest(
  steps: StepPorts,
  work: WorkId,
  { facts, signal }: { readonly facts: RoundFacts; readonly signal: AbortSignal },
): Promise<Boundary | undefined> {
  const turn = current(steps, work);
  if (turn === undefined) return undefined;
  const { sent, history } = steps.state();
  return await steps.handlers.tell(requestPrepared(turn, facts, extendProjection(sent, history)), { signal, work });
}

async function stream(ports: DriverPorts, round: RoundCall): Promise<RoundEnd> {
  for await (const event of ports.respond(round)) {
    switch (event.type) {
      case "text":
      case "thinking":
      case "retry":
        ports.emit({ type: "progress", event });
        break;
      case "done":
        return { type: "done", result: event.result };
      case "failed":
        return { type: "failed", ...ports.diagnose(event), partial: event.partial };
      case "aborted":
        return { type: "aborted", partial: event.partial };
    }
  }
  invariant(false, "a provider stream ended without a terminal event");
}

/** The turn stands at its safe point: what waits is published, handlers say what of the queue is delivered, then it goes on. */
export async function passHold(steps: StepPorts, work: WorkId): Promise<void> {
  const { handlers } = steps;
  const signal = steps.signal();
  await handlers.atSafePoint(async () => {
    await handlers.drain(signal);
    const due = current(steps, work) === undefined ? undefined : await askQueue(steps, work, signal);
    if (current(steps, work)?.held === undefined) return;
    const decision = await passWith(steps, due);
    if (decision.published !== undefined) handlers.adopt(decision.published);
  });
}

async function askQueue(steps: StepPorts, work: WorkId, signal: AbortSignal): Promise<ActionBoundary | undefined> {
  const due = steps.handlers.listens("queue-due") ? dueAt(steps.state(), steps.ports.limits()) : undefined;
  if (due === undefined) return undefined;
  const boundary = await steps.handlers.ask(queueDue(work, due.point, steps.state().queue), { work, signal });
  return isNothing(boundary) ? undefined : boundary;
}

/** What storage refuses to take in of the handlers' wishes is recorded as refused. */
async function passWith(steps: StepPorts, due: ActionBoundary | undefined): Promise<Decision> {
  if (due === undefined) return await steps.apply({ type: "safe-point" });
  try {
    return await steps.apply({ type: "safe-point", due });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return await steps.apply({ type: "safe-point", due: refuseAll(due, (plugin) => actionsUnrecordable(plugin, error.diagnostic)) });
  }
}
