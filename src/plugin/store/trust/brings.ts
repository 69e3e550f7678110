import { plural } from "../../../base/index.js";
import { plainWords } from "../names.js";

/** A plugin and a skill are folders; anything else is a file. */
export const groupOf = (name: string): string =>
  /^(\.(?:smith\/(?:plugins|skills)|agents\/skills|claude\/skills)\/[^/]+)\//u.exec(name)?.[1] ?? name;

const SINGLE = [
  [".smith/config.kdl", "settings"],
  [".mcp.json", "MCP servers"],
] as const;
const KINDS = [
  [/^\.smith\/plugins\//u, "plugin"],
  [/^\.(?:smith|agents|claude)\/skills\//u, "skill"],
  [/^\.smith\/prompts\//u, "prompt"],
] as const;

/** Names of a kind that are said. */
const MAX_NAMES = 5;

/** What a project has a say by, a few words for each kind: `settings`, `2 plugins (acme.a, acme.b)`. Looks at names alone. */
export function bringsOf(files: readonly string[]): readonly string[] {
  const groups = [...new Set(files.map(groupOf))];
  const kinds = KINDS.flatMap(([prefix, noun]) => {
    const names = groups.filter((path) => prefix.test(path)).map((path) => plainWords(path.replace(prefix, ""), 60));
    const shown = [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ["…"] : [])];
    return names.length === 0 ? [] : [`${plural(names.length, noun)} (${shown.join(", ")})`];
  });
  return [...SINGLE.filter(([path]) => groups.includes(path)).map(([, words]) => words), ...kinds];
}
