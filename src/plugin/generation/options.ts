import type { Diagnostic } from "../../schema/index.js";
import type { ActivePlugin, OptionContribution } from "../types.js";
import { clashOf, compareText, strengthOf } from "./claims.js";
import { duplicateOption } from "./diagnostics.js";

/**
 * The options of all plugins, each key once. Here the weaker origin comes first: what a bundled plugin is told by its settings no other
 * plugin can take over, read or make invalid.
 */
export function declaredOptions(plugins: readonly ActivePlugin[]): {
  readonly options: readonly OptionContribution[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const owners = new Map<string, ActivePlugin>();
  const diagnostics: Diagnostic[] = [];
  const options = plugins
    .toSorted((left, right) => strengthOf(left) - strengthOf(right) || compareText(left.compiled.id, right.compiled.id))
    .flatMap((plugin) =>
      plugin.compiled.options.filter(({ name }) => {
        const owner = owners.get(name);
        if (owner !== undefined) diagnostics.push(duplicateOption(clashOf(name, owner, plugin)));
        else owners.set(name, plugin);
        return owner === undefined;
      }),
    );
  return { options, diagnostics };
}
