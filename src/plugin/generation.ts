import type { Diagnostic, ToolDefinition } from "../schema/index.js";
import { duplicateProvider, duplicateTool, sdkMismatch } from "./diagnostics.js";
import type { CompiledPlugin, Generation, PluginIndex, ProviderContribution } from "./types.js";

/** Major of the plugin contract this program speaks. */
export const SDK_VERSION = 1;

export interface ResolvedGeneration {
  readonly generation: Generation;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The contributions of every enabled plugin as one frozen set. Pure. Names are given once: the first plugin in order of ids
 * has one that two contribute, and a diagnostic says so.
 */
export function resolveGeneration(number: number, index: PluginIndex, disabled: ReadonlySet<string>): ResolvedGeneration {
  if (index.sdk !== SDK_VERSION) return { generation: freeze(number, []), diagnostics: [sdkMismatch(index.sdk, SDK_VERSION)] };
  const plugins = index.plugins.filter(({ id }) => !disabled.has(id)).sort((left, right) => (left.id < right.id ? -1 : 1));
  const tools = once(
    plugins.flatMap((plugin) => plugin.tools.map((tool) => ({ name: tool.name, plugin: plugin.id, value: tool }))),
    duplicateTool,
  );
  const providers = once(
    plugins.flatMap((plugin) => plugin.providers.map((provider) => ({ name: provider.id, plugin: plugin.id, value: provider }))),
    duplicateProvider,
  );
  return {
    generation: freeze(number, plugins, tools.values, providers.values),
    diagnostics: [...tools.diagnostics, ...providers.diagnostics],
  };
}

interface Contribution<T> {
  readonly name: string;
  readonly plugin: string;
  readonly value: T;
}

function once<T>(
  contributions: readonly Contribution<T>[],
  complain: (name: string, winner: string, loser: string) => Diagnostic,
): { readonly values: readonly T[]; readonly diagnostics: readonly Diagnostic[] } {
  const winners = new Map<string, Contribution<T>>();
  const diagnostics: Diagnostic[] = [];
  for (const contribution of contributions) {
    const winner = winners.get(contribution.name);
    if (winner === undefined) winners.set(contribution.name, contribution);
    else diagnostics.push(complain(contribution.name, winner.plugin, contribution.plugin));
  }
  return { values: [...winners.values()].map(({ value }) => value), diagnostics };
}

function freeze(
  number: number,
  plugins: readonly CompiledPlugin[],
  tools: readonly ToolDefinition[] = [],
  providers: readonly ProviderContribution[] = [],
): Generation {
  const prompts = plugins
    .flatMap((plugin) => plugin.prompts)
    .sort((left, right) => left.order - right.order || (left.name < right.name ? -1 : 1));
  return Object.freeze({
    number,
    plugins: Object.freeze(plugins),
    tools: Object.freeze(tools),
    providers: Object.freeze(providers),
    prompts: Object.freeze(prompts),
  });
}
