import type { ToolDefinition } from "../schema/index.js";

/** The tools of one generation that a run may use, by name. */
export interface ToolRegistry {
  readonly active: readonly ToolDefinition[];
  get(name: string): ToolDefinition | undefined;
  /** The active tool whose name is nearest to a wrong one, for the model's next try. */
  nearest(name: string): string | undefined;
}

/** `only` keeps the named tools (empty: none); absent keeps all. Order is that of the definitions, so that prompts stay stable. */
export function createRegistry(definitions: readonly ToolDefinition[], only?: readonly string[]): ToolRegistry {
  const active = only === undefined ? definitions : definitions.filter((tool) => only.includes(tool.name));
  const byName = new Map(active.map((tool) => [tool.name, tool]));
  return {
    active,
    get: (name) => byName.get(name),
    nearest: (name) => nearestName(name, [...byName.keys()]),
  };
}

/** Nearest of `names` by edit distance, at most a third of its length away, rounded up. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  const wanted = name.toLowerCase();
  for (const candidate of names) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= Math.ceil(candidate.length / 3) && (best === undefined || distance < best.distance)) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
