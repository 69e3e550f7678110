import type { PromptSection } from "../plugin/index.js";
import type { ToolDefinition } from "../schema/index.js";

/** Values a prompt section may name as `{{key}}`. */
export interface PromptFacts {
  readonly cwd: string;
  /** ISO date without time, so that the prompt stays equal through a day and a prompt cache holds. */
  readonly date: string;
  readonly platform: string;
  readonly shell: string;
}

/**
 * Joins the sections in order and fills in the facts. Text of people (`system`) replaces the sections, `append` follows
 * them. A value is inserted as one line: names of folders can hold anything.
 */
export function composePrompt(
  sections: readonly PromptSection[],
  tools: readonly ToolDefinition[],
  options: { readonly facts: PromptFacts; readonly system?: string | undefined; readonly append?: string | undefined },
): string {
  const names = new Set(tools.map((tool) => tool.name));
  const own = sections
    .filter((section) => section.whenTool === undefined || names.has(section.whenTool))
    .toSorted((left, right) => left.order - right.order || (left.name < right.name ? -1 : 1))
    .map((section) => fill(section.text, options.facts).trim());
  const parts = [...(options.system === undefined ? own : [options.system]), ...(options.append === undefined ? [] : [options.append])];
  return parts.filter((part) => part !== "").join("\n\n");
}

const fill = (text: string, facts: PromptFacts): string =>
  text.replace(/\{\{(cwd|date|platform|shell)\}\}/g, (_, key: keyof PromptFacts) => oneLine(facts[key]));

/** Control characters would let a folder's name start a new line, or a new heading, of the prompt. */
const oneLine = (value: string): string =>
  value.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0") ?? ""}`);
