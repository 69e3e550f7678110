import type { Action, AttributedAction, Diagnostic } from "../../schema/index.js";
import { type ActionBoundary, batchesOf, ofType, type Wanted } from "../boundary.js";
import { keepProblem, transformProblem, validateWhole } from "../context/index.js";
import type { AgentState } from "../state.js";
import { actionImpossible, actionText, compactionUnclear, notQueued, tooManyTurns } from "./diagnostics.js";

/** Turns in a row that plugins may begin or make go on before a person has to say something. */
export const MAX_UNATTENDED = 10;

type Asked = Pick<AgentState, "history" | "queue" | "unattended">;

/**
 * Whether a batch can be carried out on the branch as it is, together with those accepted before it: its targets are there, calls
 * keep their results, what it takes from the queue waits there. Undefined when it can. Pure.
 */
export function actionProblem(
  state: Asked,
  trigger: ActionBoundary["trigger"],
  batch: readonly AttributedAction[],
  earlier: readonly AttributedAction[],
): Diagnostic | undefined {
  for (const { plugin, action } of batch) {
    const problem = singleProblem(state, trigger, plugin, action);
    if (problem !== undefined) return problem;
  }
  return editProblem(state, batch, earlier) ?? transformsProblem(state, batch, earlier);
}

/** A boundary with the batches that cannot be carried out any more moved to the refused ones. */
export function judged(state: Asked, boundary: ActionBoundary): ActionBoundary {
  const accepted: AttributedAction[] = [];
  const refused = [...boundary.refused];
  for (const { plugin, invocation, actions } of batchesOf(boundary.accepted)) {
    const error = actionProblem(state, boundary.trigger, actions, accepted);
    if (error === undefined) accepted.push(...actions);
    else refused.push({ plugin, invocation, error });
  }
  return { ...boundary, accepted, refused };
}

function singleProblem(
  { history, queue, unattended }: Asked,
  trigger: ActionBoundary["trigger"],
  plugin: string,
  action: Action,
): Diagnostic | undefined {
  const isQueued = (wanted: string): boolean => queue.some(({ submission }) => submission === wanted);
  switch (action.type) {
    case "add-message":
      return isBlank(action.text) ? actionText(plugin, action.type) : undefined;
    case "enqueue":
      if (isBlank(action.text)) return actionText(plugin, action.type);
      return unattended >= MAX_UNATTENDED ? tooManyTurns(plugin, MAX_UNATTENDED) : undefined;
    case "withdraw":
      return isQueued(action.submission) ? undefined : notQueued(plugin, action.type, action.submission);
    case "deliver": {
      const gone = action.submissions.find((submission) => !isQueued(submission));
      return gone === undefined ? undefined : notQueued(plugin, action.type, gone);
    }
    case "compact":
      return compactionProblem(history, trigger, plugin, action);
    case "transform-context": {
      const isEmpty = action.transforms.some((transform) => transform.operation === "append" && isBlank(transform.text));
      return isEmpty ? actionText(plugin, action.type) : undefined;
    }
    case "edit-context":
    case "set-state":
    case "set-config":
    case "set-model":
    case "set-thinking":
    case "set-tools":
    case "set-prompt":
    case "set-status":
    case "notify":
    case "allow-tool":
    case "ask-tool":
    case "deny-tool":
    case "rewrite-tool":
    case "replace-result":
    case "append-result":
    case "keep-context":
    case "stop-turn":
      return undefined;
  }
}

const isBlank = (text: string): boolean => text.trim() === "";

const KEEP_PROBLEMS = {
  unknown: "but what is to be kept first is not in the context now",
  inside: "but what is to be kept first is a call or its result",
  nothing: "but there is nothing before what is to be kept",
} as const;

function compactionProblem(
  history: Asked["history"],
  trigger: ActionBoundary["trigger"],
  plugin: string,
  { firstKept, summary }: Wanted<"compact">["action"],
): Diagnostic | undefined {
  if (trigger === "compaction-settled") return compactionUnclear(plugin, "at once after it was summarized");
  if (isBlank(summary)) return compactionUnclear(plugin, "but gave no summary");
  const keep = keepProblem(history, firstKept);
  return keep.ok ? undefined : compactionUnclear(plugin, KEEP_PROBLEMS[keep.error]);
}

function editProblem({ history }: Asked, batch: readonly AttributedAction[], earlier: readonly AttributedAction[]): Diagnostic | undefined {
  const [own] = ofType(batch, "edit-context");
  if (own === undefined) return undefined;
  const edits = ofType([...earlier, ...batch], "edit-context").map(({ action }) => action);
  const valid = validateWhole(history, edits);
  return valid.ok ? undefined : actionImpossible(own.plugin, own.action.type, valid.error);
}

function transformsProblem(
  { history }: Asked,
  batch: readonly AttributedAction[],
  earlier: readonly AttributedAction[],
): Diagnostic | undefined {
  const [own] = ofType(batch, "transform-context");
  if (own === undefined) return undefined;
  const problem = transformProblem(
    history,
    ofType([...earlier, ...batch], "transform-context").flatMap(({ action }) => action.transforms),
  );
  return problem === undefined ? undefined : actionImpossible(own.plugin, own.action.type, problem);
}
