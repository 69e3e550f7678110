import type { Diagnostic, HistoryEntry } from "../../schema/index.js";
import { workBlocked } from "../diagnostics.js";
import type { AskedProvider, Available, Recovered } from "../facts.js";
import type { AgentState } from "../state.js";
import { openCalls } from "./open-calls.js";

/**
 * What an interrupted turn needs that this process does not have: tools its model was told of or has open calls of, and the
 * provider it spoke with, each from the same plugin as then. Nothing is bound to another plugin because a name is the same.
 */
export function blockedBy(state: AgentState, available: Available): Diagnostic | undefined {
  const missing = [...missingTools(state, available), ...missingProvider(state, available)];
  return missing.length === 0 ? undefined : workBlocked(missing);
}

function missingTools({ prompt, history }: AgentState, available: Available): readonly string[] {
  const plugins = new Map(available.tools.map(({ name, plugin }) => [name, plugin] as const));
  const told = new Map((prompt?.tools ?? []).map(({ name, plugin }) => [name, plugin] as const));
  // Without the record of what the model was told, what it called is what is known of its needs.
  const names = prompt !== undefined ? told.keys() : new Set(openCalls(history).map(({ name }) => name));
  return [...names].flatMap((name) => {
    const now = plugins.get(name);
    const then = told.get(name);
    if (now === undefined) return [`tool ${name}${then === undefined ? "" : ` (plugin ${then})`}`];
    return then === undefined || then === now ? [] : [`tool ${name} of plugin ${then}; the ${name} there is now is of plugin ${now}`];
  });
}

function missingProvider(state: AgentState, { providers }: Available): readonly string[] {
  const last = lastProvider(state.history, state.interrupted);
  if (last === undefined) return [];
  const now = providers.find(({ id }) => id === last.provider);
  const named = `provider ${last.provider}${last.plugin === undefined ? "" : ` of plugin ${last.plugin}`}`;
  if (now === undefined) return [named];
  return last.plugin === undefined || last.plugin === now.plugin ? [] : [`${named}; the one there is now is of plugin ${now.plugin}`];
}

/** The request that is or was under way says the plugin too; an answer only the provider. */
function lastProvider(
  history: readonly HistoryEntry[],
  recovered: Recovered | undefined,
): (Pick<AskedProvider, "provider"> & Partial<AskedProvider>) | undefined {
  if (recovered?.provider !== undefined) return recovered.provider;
  const answer = history.findLast((entry) => entry.type === "assistant");
  return answer?.type === "assistant" ? { provider: answer.dispatch.provider } : undefined;
}
