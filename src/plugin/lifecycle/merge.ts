import type { InvocationId } from "../../base/index.js";
import type { Action, AttributedAction, Boundary, Diagnostic, RefusedBatch } from "../../schema/index.js";
import type { ActionCheck } from "../types.js";
import { actionConflict, contradiction } from "./diagnostics.js";
import { writesOf } from "./keys.js";

/** What one handler or command wants, or why it could not say. */
export interface Batch {
  readonly plugin: string;
  readonly invocation: InvocationId;
  readonly wanted: { readonly ok: true; readonly value: readonly Action[] } | { readonly ok: false; readonly error: Diagnostic };
}

export interface MergeRules {
  /** What is wrong with a batch for itself. */
  readonly admit: (plugin: string, actions: readonly Action[]) => Diagnostic | undefined;
  /** Whether it can be carried out after those accepted before it. */
  readonly check: ActionCheck;
  /** What takes the place of a batch that was refused; carried out whatever the others want. */
  readonly instead: (refused: RefusedBatch) => readonly Action[];
}

/**
 * One boundary of the batches in their order. Each is accepted whole or refused whole; of two that give one thing different values
 * the later is refused, with both plugins named. What only repeats an accepted action is left out. Pure.
 */
export function mergeBatches(batches: readonly Batch[], rules: MergeRules): Boundary {
  const written: Written = new Map();
  const accepted: AttributedAction[] = [];
  const refused: RefusedBatch[] = [];
  for (const { plugin, invocation, wanted } of batches) {
    const attribute = (action: Action): AttributedAction => ({ plugin, invocation, action });
    const judged = wanted.ok ? judge({ plugin, actions: wanted.value }, written, rules) : wanted;
    const actions = judged.ok ? judged.value.map(attribute) : [];
    const error = judged.ok ? (actions.length === 0 ? undefined : rules.check(actions, accepted)) : judged.error;
    if (error === undefined) {
      for (const { action } of actions) for (const { key, value } of writesOf(plugin, action)) written.set(key, { plugin, value });
      accepted.push(...actions);
    } else {
      const refusal = { plugin, invocation, error };
      refused.push(refusal);
      accepted.push(...rules.instead(refusal).map(attribute));
    }
  }
  return { accepted, refused };
}

type Written = Map<string, { readonly plugin: string; readonly value: string }>;

/** The actions of a batch that are still to be carried out, or why it is refused. */
function judge(
  { plugin, actions }: { readonly plugin: string; readonly actions: readonly Action[] },
  written: Written,
  rules: MergeRules,
): Batch["wanted"] {
  const problem = rules.admit(plugin, actions);
  if (problem !== undefined) return { ok: false, error: problem };
  const own = new Map<string, string>();
  const fresh: Action[] = [];
  for (const action of actions) {
    const writes = writesOf(plugin, action);
    const repeats = writes.length > 0 && writes.every(({ key }) => own.has(key) || written.has(key));
    for (const { key, value } of writes) {
      if ((own.get(key) ?? value) !== value) return { ok: false, error: contradiction(plugin, key) };
      const earlier = written.get(key);
      if (earlier !== undefined && earlier.value !== value) return { ok: false, error: actionConflict(key, earlier.plugin, plugin) };
      own.set(key, value);
    }
    if (!repeats || addsUp(action)) fresh.push(action);
  }
  return { ok: true, value: fresh };
}

/** A transform may append as well as change: then repeating its changes is not all it does. */
const addsUp = (action: Action): boolean =>
  action.type === "transform-context" && action.transforms.some(({ operation }) => operation === "append");
