import { textMatcher } from "./glob.js";

/** What a rule says of calls: of which tools, and of what they are about. Without a pattern it holds for every call of them. */
export interface Rule {
  readonly text: string;
  readonly tools: readonly string[];
  readonly pattern?: string;
}

/** UTF-16 units of one rule. */
export const MAX_RULE = 400;

const SHAPE = /^([A-Za-z0-9_.*-]+(?:\|[A-Za-z0-9_.*-]+)*)(?:\(([^]*)\))?$/u;

/** `tool`, `tool(pattern)` or `tool|tool(pattern)`; undefined when it is none of them. */
export function parseRule(text: string): Rule | undefined {
  const trimmed = text.trim();
  const [, tools, pattern] = trimmed.length > MAX_RULE ? [] : (SHAPE.exec(trimmed) ?? []);
  if (tools === undefined || pattern?.trim() === "") return undefined;
  return { text: trimmed, tools: tools.split("|"), ...(pattern === undefined ? {} : { pattern: pattern.trim() }) };
}

/** Most rules name their tools, and every call is held against every rule. */
export const isAbout = ({ tools }: Rule, tool: string): boolean =>
  tools.some((name) => name === tool || (name.includes("*") && textMatcher(name)(tool)));

/** A rule that is for every tool: its pattern, when it is a path, is also looked for among the words of commands. */
export const isForAll = ({ tools }: Rule): boolean => tools.includes("*");

const JOINT = ") and ";

/** Several rules that one answer allows together, as one text; undefined when they could not be told apart again. */
export function joinRules(rules: readonly string[]): string | undefined {
  const canBeTold = rules.every((rule) => !rule.includes(JOINT) && (rules.length === 1 || rule.endsWith(")")));
  return canBeTold && rules.length > 0 ? rules.join(" and ") : undefined;
}

/** Reads {@link joinRules} back; undefined unless all of it are rules. */
export function splitRules(text: string): readonly Rule[] | undefined {
  const parts = text.split(JOINT).map((part, index, all) => (index < all.length - 1 ? `${part})` : part));
  const rules = parts.map(parseRule);
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}
