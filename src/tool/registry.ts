import { closest } from "../base/index.js";
import type { ToolDefinition } from "../schema/index.js";

/** The tools of one generation that a run may use, by name. */
export interface ToolRegistry {
  readonly active: readonly ToolDefinition[];
  get(name: string): ToolDefinition | undefined;
  /** The active tool whose name is nearest to a wrong one, for the model's next try. */
  nearest(name: string): string | undefined;
  /** Why a tool that is there may not be called now, in a sentence for the model. */
  whyNot(name: string): string | undefined;
}

/** `only` keeps the named tools (empty: none); absent keeps all; `hidden` says why some are not among them. Order is that of the definitions, so that prompts stay stable. */
export function createRegistry(
  definitions: readonly ToolDefinition[],
  only?: readonly string[],
  hidden: ReadonlyMap<string, string> = new Map(),
): ToolRegistry {
  const active = only === undefined ? definitions : definitions.filter((tool) => only.includes(tool.name));
  const byName = new Map(active.map((tool) => [tool.name, tool]));
  return {
    active,
    get: (name) => byName.get(name),
    nearest: (name) => closest(name, [...byName.keys()]),
    whyNot: (name) => hidden.get(name),
  };
}
