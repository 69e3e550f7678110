import type { AttributedAction, Diagnostic, ToolCallEntry } from "../../schema/index.js";
import type { Approval, Asked, DispatchOutcome, ProposedCall } from "../../tool/index.js";
import { type ActionBoundary, isNothing, refuseAll, splitBoundary } from "../boundary.js";
import { actionsUnrecordable, rewriteInvalid, rewriteResult, toolProposed, toolSettled } from "../lifecycle/index.js";
import type { AgentInput } from "../state.js";
import { isRefusal } from "./refusal.js";
import type { StepPorts } from "./step-ports.js";
import { mustHold } from "./turn-steps.js";

/** One call, from its proposal to the record of its result. */
export async function runTool(steps: StepPorts, call: ToolCallEntry): Promise<void> {
  const { ports, handlers, state } = steps;
  const signal = steps.signal();
  const { work } = call;
  const outcome: DispatchOutcome = await ports.dispatcher().dispatch({
    call,
    work,
    cwd: ports.cwd,
    mode: ports.mode(),
    signal,
    onProgress: (text) => {
      ports.emit({ type: "tool-progress", call: call.call, text });
    },
    propose: (proposed) =>
      handlers.listens("tool-proposed", proposed.tool.name)
        ? handlers.inOrder(async () => await propose(steps, call, proposed))
        : undefined,
    approve: async (tool, args, asked) => {
      const shown = args === call.args ? call : { ...call, args, argsText: JSON.stringify(args) };
      const approval = await ports.approve(shown, tool, { signal, ...wordsOf(asked) });
      await tellAnswer(steps, call, { asked, approval });
      return approval;
    },
  });
  // A turn that failed meanwhile has its end recorded already; a late result belongs to nobody.
  const isLate = (): boolean => state().turn?.work !== work;
  const end = async (): Promise<void> => {
    const settled = isLate() ? undefined : await settle(steps, call, outcome);
    if (settled !== undefined && !isLate()) await recordResult(steps, { call, outcome, settled });
  };
  await (handlers.listens("tool-settled", call.name) ? handlers.inOrder(end) : end());
}

const wordsOf = (asked: Asked | undefined): Pick<Asked, "why" | "rule"> => ({
  ...(asked?.why === undefined ? {} : { why: asked.why }),
  ...(asked?.rule === undefined ? {} : { rule: asked.rule }),
});

/**
 * What policies want of a call, once it is on record. Whatever of it cannot be carried out denies the call: it would run otherwise
 * than a policy said.
 */
async function propose(
  steps: StepPorts,
  call: ToolCallEntry,
  { tool, args, validate }: ProposedCall,
): Promise<readonly AttributedAction[]> {
  const { ports, handlers } = steps;
  let denial: AttributedAction | undefined;
  const deny = ({ plugin, invocation }: AttributedAction, why: string): void => {
    denial ??= { plugin, invocation, action: { type: "deny-tool", call: call.call, why } };
  };
  const check = (batch: readonly AttributedAction[]): Diagnostic | undefined => {
    for (const one of batch) {
      const valid = one.action.type === "rewrite-tool" ? validate(one.action.args) : undefined;
      if (valid === undefined || valid.ok) continue;
      const error = rewriteInvalid(one.plugin, tool.name, valid.error);
      deny(one, error.what);
      return error;
    }
    return undefined;
  };
  const facts = { call: call.call, tool, args, cwd: ports.cwd, mode: ports.mode() };
  const interactive = ports.lifecycle.about?.().interactive ?? false;
  const boundary = await handlers.ask(toolProposed(call.work, { ...facts, interactive }), {
    work: call.work,
    signal: steps.signal(),
    check,
  });
  if (isNothing(boundary)) return [];
  const published = await handlers.publish(boundary);
  const [lost] = boundary.accepted.filter((one) => !published.accepted.includes(one));
  if (lost !== undefined) deny(lost, published.refused.at(-1)?.error.what ?? "what a policy wanted could not be recorded.");
  return denial === undefined ? published.accepted : [...published.accepted, denial];
}

/** A person's answer is told to the policy that wanted it, which remembers it; only where it said what to remember. */
async function tellAnswer(
  { handlers, ...steps }: StepPorts,
  call: ToolCallEntry,
  { asked, approval: { verdict } }: { readonly asked: Asked | undefined; readonly approval: Approval },
): Promise<void> {
  if (asked?.rule === undefined || verdict === undefined || !handlers.listens("permission-answered", call.name)) return;
  const event = { type: "permission-answered", call: call.call, tool: call.name, verdict, rule: asked.rule } as const;
  const options = { work: call.work, signal: steps.signal(), only: asked.plugin };
  await handlers.inOrder(async () => await handlers.tell(event, options));
}

interface Settled {
  readonly outcome: DispatchOutcome;
  readonly boundary?: ActionBoundary;
}

/** What handlers make of a result; what they want beside it waits for the safe point. */
async function settle({ handlers, signal }: StepPorts, call: ToolCallEntry, outcome: DispatchOutcome): Promise<Settled> {
  if (outcome.refused || !handlers.listens("tool-settled", call.name)) return { outcome };
  const boundary = await handlers.ask(toolSettled(call, outcome), { work: call.work, signal: signal() });
  const { now, later } = splitBoundary(boundary);
  handlers.defer(later.accepted.length === 0 ? { ...later, refused: [] } : later);
  return { outcome: rewriteResult(outcome, call.call, now.accepted), ...(isNothing(now) ? {} : { boundary: now }) };
}

/** A result that storage refuses with what handlers made of it is recorded as it came. */
async function recordResult(
  steps: StepPorts,
  { call, outcome, settled }: { readonly call: ToolCallEntry; readonly outcome: DispatchOutcome; readonly settled: Settled },
): Promise<void> {
  const hold = mustHold(steps);
  const fact = { type: "tool-settled", call, hold } as const satisfies Partial<AgentInput>;
  const { boundary } = settled;
  if (boundary === undefined) {
    await steps.applyFact({ ...fact, outcome });
    return;
  }
  try {
    const { published } = await steps.apply({ ...fact, outcome: settled.outcome, boundary });
    if (published !== undefined) steps.handlers.adopt(published);
  } catch (error) {
    if (!isRefusal(error) || steps.state().turn?.work !== call.work) throw error;
    const refused = refuseAll(boundary, (plugin) => actionsUnrecordable(plugin, error.diagnostic));
    await steps.applyFact({ ...fact, outcome, boundary: refused });
  }
}
