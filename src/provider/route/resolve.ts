import { err, invariant, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { Dispatch } from "../types.js";
import { dispatchTo, identityOf } from "./dispatch.js";
import { memberRepeated } from "./notes.js";
import { expandSelection, type Expansion } from "./expand.js";
import { optionsOf } from "./options.js";
import { type Choice, chooseDefault, type Refusal } from "./select.js";
import type { Route, RouteInput } from "./types.js";

/**
 * What a selection means now. Pure: no network, no discovery; the same input gives the same route. Fails when it names nothing, more
 * than one thing, or nothing that is set up. Specification, "Failover" and "Dispatch identity".
 */
export function resolveRoute(input: RouteInput): Result<Route, Diagnostic> {
  const selection = input.selection?.trim() ?? "";
  const choice: Choice = { input, catalog: input.catalog, options: optionsOf(input) };
  const expanded = selection === "" ? defaultExpansion(choice) : expandSelection(selection, choice, input.settings);
  if (!expanded.ok) return err(expanded.error.diagnostic);
  const targets: Dispatch[] = [];
  const notes = [...expanded.value.notes];
  const seen = new Set<string>();
  for (const target of expanded.value.targets) {
    const dispatched = dispatchTo(target, input.thinking, input.catalog);
    if (!dispatched.ok) return dispatched;
    const { dispatch } = dispatched.value;
    const identity = identityOf(dispatch);
    if (seen.has(identity)) {
      notes.push(memberRepeated(dispatch));
      continue;
    }
    seen.add(identity);
    targets.push(dispatch);
    notes.push(...dispatched.value.notes);
  }
  const [first, ...rest] = targets;
  invariant(first !== undefined, "a selection that means something means at least one target");
  return ok({ ...(selection === "" ? {} : { selection }), targets: [first, ...rest], notes });
}

function defaultExpansion(choice: Choice): Result<Expansion, Refusal> {
  const chosen = chooseDefault(choice);
  return chosen.ok ? ok({ targets: [{ ...chosen.value, via: [] }], notes: [] }) : chosen;
}
