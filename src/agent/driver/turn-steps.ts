import { plural, type WorkId } from "../../base/index.js";
import type { Boundary, ContextTransform, Entry } from "../../schema/index.js";
import { type ActionBoundary, isNothing, ofType, refuseAll } from "../boundary.js";
import { extendProjection } from "../context/index.js";
import { dueAt, policyEnd, stopEnd } from "../decide/index.js";
import { actionsUnrecordable, queueDue, requestPrepared } from "../lifecycle/index.js";
import { prepareRound, type RoundFacts } from "../request/index.js";
import type { Decision } from "../state.js";
import { isRefusal } from "./refusal.js";
import { receive, type ResponseEnd } from "./response.js";
import { current, type StepPorts } from "./step-ports.js";
import { untilAborted } from "./waiting.js";

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
  const response = await receive(steps, work, { facts, prepared, signal });
  if (response === undefined || current(steps, work) === undefined) return;
  const hold = handlers.listens("round-settled") || mustHold(steps);
  const { entries } = await steps.applyFact({ type: "round-ended", ...response, hold });
  tellImages(steps, response, entries);
}

/** That the same is asked once more, where a provider refused its images. */
function tellImages({ ports }: StepPorts, { end }: ResponseEnd, entries: readonly Entry[]): void {
  const count = entries.filter((entry) => entry.type === "context-edit" && entry.operation === "replace").length;
  if (end.type !== "failed" || count === 0) return;
  const reason = `the provider refused the request: ${end.error.what} It is asked again without the images of ${plural(count, "message")}`;
  const error = { class: "invalid", message: end.error.what } as const;
  ports.emit({ type: "progress", event: { type: "retry", attempt: 2, max: 2, reason, delayMs: 0, error } });
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
