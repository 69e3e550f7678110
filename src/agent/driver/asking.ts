import type { AttributedAction, Boundary, Diagnostic, LifecycleEvent } from "../../schema/index.js";
import { type ActionBoundary, type NewInvocation, ofType, stateName, type Wanted } from "../boundary.js";
import { actionProblem, compactionVetoed } from "../lifecycle/index.js";
import type { AgentState } from "../state.js";
import type { LifecycleOptions, LifecyclePort } from "./types.js";
import { untilAborted } from "./waiting.js";

/** What handlers are asked with. `check` comes before the agent's own. */
export interface AskOptions extends Pick<LifecycleOptions, "work" | "signal" | "only"> {
  readonly check?: (batch: readonly AttributedAction[]) => Diagnostic | undefined;
}

const NOTHING: Boundary = { accepted: [], refused: [] };

/** What the handlers of an event want, with nothing of it done. One whose run was aborted is empty. */
export async function askHandlers(
  port: LifecyclePort,
  state: () => AgentState,
  event: LifecycleEvent,
  { check, signal, work, only }: AskOptions,
): Promise<ActionBoundary> {
  const generation = port.about?.().generation ?? state().prompt?.generation ?? 0;
  const options: LifecycleOptions = {
    signal,
    check: (batch, earlier) => check?.(batch) ?? actionProblem(state(), event.type, batch, earlier),
    ...(work === undefined ? {} : { work }),
    ...(only === undefined ? {} : { only }),
  };
  const came = signal.aborted ? undefined : await untilAborted(signal, port.run(event, options));
  const boundary = came === undefined || signal.aborted ? NOTHING : came;
  return boundaryOf(port, boundary, { trigger: { type: "event", event: event.type }, generation, ...(work === undefined ? {} : { work }) });
}

/** What is wanted, with all that its record needs. `trigger` is left out where the invocation is on record already. */
export function boundaryOf(
  port: LifecyclePort,
  { accepted, refused }: Boundary,
  { trigger, ...facts }: { readonly trigger: NewInvocation["trigger"] | undefined } & Pick<ActionBoundary, "generation" | "work">,
): ActionBoundary {
  const invocations = new Map<string, NewInvocation>();
  for (const { invocation, plugin } of [...accepted, ...refused]) {
    if (trigger === undefined || port.isRecorded?.(invocation) === true) continue;
    invocations.set(invocation, { invocation, plugin, trigger });
  }
  const states = ofType(accepted, "set-state").flatMap(({ plugin, action }) => {
    const declared = port.declared?.(plugin, action.key);
    return declared === undefined ? [] : [[stateName(plugin, action.key), declared] as const];
  });
  return {
    accepted,
    refused,
    trigger: trigger?.type === "event" ? trigger.event : "command",
    invocations: [...invocations.values()],
    states: new Map(states),
    ...facts,
  };
}

/** All but who wants it may say no to a compaction: then its whole batch is refused. */
export function unlessVetoed(boundary: ActionBoundary, { plugin, invocation }: Wanted<"compact">, said: Boundary): ActionBoundary {
  const veto = ofType(said.accepted, "keep-context").find((one) => one.plugin !== plugin);
  if (veto === undefined) return boundary;
  const error = compactionVetoed(plugin, { plugin: veto.plugin, why: veto.action.why });
  return {
    ...boundary,
    accepted: boundary.accepted.filter((one) => one.invocation !== invocation),
    refused: [...boundary.refused, { plugin, invocation, error }],
  };
}
