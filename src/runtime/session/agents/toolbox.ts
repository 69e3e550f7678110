import { err, ok, type Result } from "../../../base/index.js";
import type { Generation } from "../../../plugin/index.js";
import type { Diagnostic, SubAgentInput, ToolDefinition } from "../../../schema/index.js";
import { createOverlay, type Overlay } from "../plugins/index.js";
import { toolsChange, toolsUnknown } from "./diagnostics.js";

export interface ToolboxFacts {
  /** What the asker is offered. */
  readonly offered: readonly ToolDefinition[];
  /** The tool that asks. */
  readonly asking: string | undefined;
  /** Whether one more agent could be asked by this one. */
  readonly mayAsk: boolean;
  readonly generation: Pick<Generation, "plugins">;
}

/** Names of the tools a sub-agent gets: never one its asker has not, and the asking one only by name and where it can be of use. */
export function toolbox(
  { tools, readOnly = false }: Pick<SubAgentInput, "tools" | "readOnly">,
  { offered, asking, mayAsk, generation }: ToolboxFacts,
): Result<readonly string[], Diagnostic> {
  const kept = new Set(generation.plugins.flatMap(({ compiled }) => (keepsBranchState(compiled.states) ? [compiled.id] : [])));
  const given = offered.filter(({ name, plugin, offer }) => !kept.has(plugin) && offer !== "finder" && (name !== asking || mayAsk));
  const allowed = given.filter((tool) => !readOnly || tool.readOnly);
  if (tools === undefined) return ok(allowed.map(({ name }) => name).filter((name) => name !== asking));
  const unknown = tools.filter((name) => name !== asking && !given.some((tool) => tool.name === name));
  if (unknown.length > 0)
    return err(
      toolsUnknown(
        unknown,
        given.map(({ name }) => name),
      ),
    );
  const names = given.filter(({ name }) => tools.includes(name));
  const changing = names.filter((tool) => !allowed.includes(tool));
  return changing.length === 0 ? ok(names.map(({ name }) => name)) : err(toolsChange(changing.map(({ name }) => name)));
}

/** State of the selected branch would be changed from another one. */
const keepsBranchState = (states: readonly { readonly scope: string }[]): boolean => states.some(({ scope }) => scope === "branch");

/** The asker's overlay with these tools alone. What plugins add to the prompt meanwhile is in it. */
export function narrowed(asker: Overlay, chosen: readonly string[]): Overlay {
  const own = createOverlay({ chosen });
  return {
    ...own,
    sections: () => asker.sections(),
    get revision() {
      return asker.revision;
    },
  };
}
