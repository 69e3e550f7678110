import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { factsWith } from "../catalog/facts.js";
import type { Catalog } from "../catalog/types.js";
import { unknownFacts } from "../route/notes.js";
import { effectiveThinking } from "../route/thinking.js";
import { targetOf } from "../cooldown.js";
import type { Dispatch, ProviderAdapter } from "../types.js";
import { noModels } from "./diagnostics.js";
import { type ListDeps, listModels } from "./list.js";

export interface CompleteInput {
  readonly adapter: ProviderAdapter;
  readonly dispatch: Dispatch;
  readonly signal: AbortSignal;
  /** What else is known of the model that the server names. */
  readonly catalog?: Catalog;
  readonly timeoutMs?: number;
  /** Told what a person should know of the model that was taken. */
  readonly onNote?: (note: Diagnostic) => void;
}

/**
 * Asks the server once which models it has and takes the first, with what the list says of it over what catalogs say; a person's word
 * stays. The level that was wished is mapped to that model. A dispatch that has its model is returned as it is.
 */
export async function completeDispatch(deps: ListDeps, input: CompleteInput): Promise<Result<Dispatch, Diagnostic>> {
  const { adapter, dispatch, signal, timeoutMs } = input;
  if (!dispatch.needsModel) return ok(dispatch);
  const { provider } = dispatch.ref;
  const { endpoint } = dispatch;
  const listed = await listModels(deps, { adapter, provider, endpoint, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  if (!listed.ok) return listed;
  const [first] = listed.value;
  if (first === undefined) return err(noModels(provider, endpoint.baseUrl, "Its list of models is empty: no model is loaded there."));
  const { ref, title: _, ...said } = first;
  const entry = input.catalog?.find(ref, dispatch.routing.connection);
  const facts = entry === undefined ? said : factsWith(entry, said);
  const { thinking: wished, ...rest } = dispatch;
  const { level, note } = effectiveThinking(wished, facts, targetOf({ ...dispatch, ref }));
  const isUnheardOf = Object.keys(facts).length === 0;
  for (const each of [isUnheardOf ? unknownFacts(targetOf({ ...dispatch, ref }), undefined) : undefined, note])
    if (each !== undefined) input.onNote?.(each);
  return ok({ ...rest, ref, facts, needsModel: false, ...(level === undefined ? {} : { thinking: level }) });
}
