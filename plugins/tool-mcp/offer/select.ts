import type { McpServerView } from "smith-agent/plugin";

/** Whether a name fits a pattern, in which `*` is any text. Looks from left to right once for each `*`. */
export function matches(pattern: string, name: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const found = name.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}

/** Whether a setting lets a tool be used: what is denied is not, whatever is allowed. */
export const isAllowed = (tool: string, { allow, deny }: Pick<McpServerView, "allow" | "deny">): boolean =>
  !deny.some((pattern) => matches(pattern, tool)) && (allow.length === 0 || allow.some((pattern) => matches(pattern, tool)));

export interface Weighed {
  readonly name: string;
  readonly offer: McpServerView["offer"];
  /** UTF-16 units of its definitions. */
  readonly units: number;
}

/** What all tools of servers may weigh in every request. */
const MAX_UNITS = 12 * 1024;

/**
 * Servers whose tools a search has to name first: those that say so, and of those that leave it open the largest, until the rest fits. Of two
 * of one size it is the one whose name is later.
 */
export function searchedServers(servers: readonly Weighed[]): ReadonlySet<string> {
  const searched = new Set(servers.filter(({ offer }) => offer === "search").map(({ name }) => name));
  let left = servers.filter(({ name }) => !searched.has(name)).reduce((sum, { units }) => sum + units, 0);
  const open = servers
    .filter(({ offer, units }) => offer === "auto" && units > 0)
    .toSorted((one, other) => other.units - one.units || (one.name < other.name ? 1 : -1));
  for (const { name, units } of open) {
    if (left <= MAX_UNITS) break;
    searched.add(name);
    left -= units;
  }
  return searched;
}
