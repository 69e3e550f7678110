import type { SearchableTool } from "smith-agent/plugin";
import { rankTools } from "./rank.js";

/** What a search came to. */
export interface Found {
  readonly tools: readonly SearchableTool[];
  /** Names that were asked for and are none. */
  readonly unknown: readonly string[];
}

const MAX_FOUND = 8;
/** Of names that are asked for: whoever knows them may have more. */
const MAX_SELECTED = 32;
const SELECT = /^\s*select:/iu;
const MAX_DESCRIPTION = 300;
const MAX_ARGS = 16;
const MAX_NAMED = 20;
const HEAD = "Yours to call from your next turn on: ";

/** Tools for a query: words, or `select:` and whole names. */
export function findTools(query: string, tools: readonly SearchableTool[]): Found {
  if (!SELECT.test(query)) return { tools: rankTools(query, tools).slice(0, MAX_FOUND), unknown: [] };
  const names = query
    .replace(SELECT, "")
    .split(/[\s,]+/u)
    .filter((name) => name !== "");
  const asked = [...new Set(names)].slice(0, MAX_SELECTED);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    tools: asked.map((name) => byName.get(name)).filter((tool) => tool !== undefined),
    unknown: asked.filter((name) => !byName.has(name)),
  };
}

/** What can be called once it is offered. */
export const isUsable = ({ lacks }: SearchableTool): boolean => lacks === undefined;

/** The answer for the model: the first line is what {@link namesIn} reads. */
export function foundWords({ tools, unknown }: Found): string {
  const usable = tools.filter(isUsable);
  return [
    ...(usable.length === 0 ? [] : [`${HEAD}${usable.map(({ name }) => name).join(", ")}.`, ...usable.map(toolWords)]),
    ...tools.filter((tool) => !isUsable(tool)).map(({ name, lacks = "" }) => `${name} would fit, and cannot be called. ${lacks}`),
    ...(unknown.length === 0 ? [] : [`There is no tool ${unknown.map((name) => JSON.stringify(clip(name, 80))).join(", ")} to be found.`]),
  ].join("\n");
}

/** Names a result says are to be offered. Only its first line is looked at: what follows are words of others. */
export function namesIn(text: string): readonly string[] {
  const [first = ""] = text.split("\n", 1);
  if (!first.startsWith(HEAD)) return [];
  return first.slice(HEAD.length).match(/[A-Za-z0-9_-]+/gu) ?? [];
}

/** What there is, where nothing was found: by server where names tell it. */
export function nothingWords(query: string, tools: readonly SearchableTool[]): string {
  if (tools.length === 0) return "There are no more tools than those you have.";
  const groups = new Map<string, number>();
  for (const { name } of tools) {
    const group = /^mcp__(?!_)(.+?)__/u.exec(name)?.[1] ?? name;
    groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  const shown = [...groups].slice(0, MAX_NAMED).map(([name, count]) => (count === 1 ? name : `${name} (${count} tools)`));
  const more = groups.size > MAX_NAMED ? ` and ${groups.size - MAX_NAMED} more` : "";
  return `No tool has the words ${JSON.stringify(clip(query, 200))}. There are: ${shown.join(", ")}${more}. Try other words.`;
}

function toolWords({ name, description, args }: SearchableTool): string {
  const shown = args.slice(0, MAX_ARGS).join(", ");
  const named = args.length > MAX_ARGS ? `${shown}, …` : shown;
  return `- ${name}(${named}): ${clip(description.replace(/\s+/gu, " ").trim(), MAX_DESCRIPTION)}`;
}

function clip(text: string, units: number): string {
  return text.length <= units ? text : `${text.slice(0, units - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}
