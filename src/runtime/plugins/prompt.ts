import { clipUtf8, utf8Length } from "../../base/index.js";
import type { PromptSection, Resource } from "../../plugin/index.js";
import type { ToolDefinition } from "../../schema/index.js";

/** Values a prompt section may name as `{{key}}`. Taken once for a session, so that what a prompt begins with stays byte for byte the same. */
export interface PromptFacts {
  readonly cwd: string;
  /** ISO date without time, so that the prompt stays equal through a day and a prompt cache holds. */
  readonly date: string;
  readonly platform: string;
  readonly shell: string;
}

export interface PromptParts {
  readonly sections: readonly PromptSection[];
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly Resource[];
  readonly facts: PromptFacts;
  /** Of people: takes the place of all sections. */
  readonly system?: string | undefined;
  /** Of people: follows them. */
  readonly append?: string | undefined;
}

/** Bounds of what collected files add to a prompt: items of one section, UTF-8 bytes of them together. */
export const EACH_LIMITS = { items: 256, bytes: 192 * 1024 } as const;

/**
 * Joins the sections in order and fills in the facts. Text of people (`system`) replaces the sections, `append` follows
 * them. A value is inserted as one line: names of folders can hold anything.
 */
export function composePrompt({ sections, tools, resources, facts, system, append }: PromptParts): string {
  const names = new Set(tools.map((tool) => tool.name));
  const own = sections
    .filter((section) => section.whenTool === undefined || names.has(section.whenTool))
    .toSorted(bySectionOrder)
    .map((section) => render(section, resources, facts));
  const parts = [...(system === undefined ? own : [system]), ...(append === undefined ? [] : [append])];
  return parts.filter((part) => part !== "").join("\n\n");
}

const bySectionOrder = (left: PromptSection, right: PromptSection): number =>
  left.order - right.order || compare(left.name, right.name) || compare(left.plugin, right.plugin);

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

function render({ text, each }: PromptSection, resources: readonly Resource[], facts: PromptFacts): string {
  const head = fill(text, facts).trim();
  if (each === undefined) return head;
  const found = resources.filter(({ kind }) => kind === each.kind);
  if (found.length === 0) return "";
  const items = renderItems(each.item, found);
  return head === "" ? items : `${head}\n\n${items}`;
}

/** Whole items as long as they fit; what does not is counted. */
function renderItems(template: string, resources: readonly Resource[]): string {
  const items: string[] = [];
  let bytes = 0;
  for (const resource of resources.slice(0, EACH_LIMITS.items)) {
    const item = fillItem(template, resource).trim();
    const left = EACH_LIMITS.bytes - bytes;
    if (left <= 0) break;
    const { text, omittedBytes } = clipUtf8(item, left);
    items.push(omittedBytes === 0 ? text : `${text}\n[${String(omittedBytes)} bytes of this were left out]`);
    bytes += utf8Length(text);
  }
  const leftOut = resources.length - items.length;
  return [...items, ...(leftOut === 0 ? [] : [`[${String(leftOut)} more were left out]`])].join(
    template.includes("{{text}}") ? "\n\n" : "\n",
  );
}

const fillItem = (template: string, resource: Resource): string =>
  template.replace(/\{\{(name|description|path|text)\}\}/g, (_, key: "name" | "description" | "path" | "text", at: number) => {
    if (key === "text") return kept(resource.text, template);
    const line = oneLine(resource[key]);
    return template.charAt(at - 1) === '"' ? line.replaceAll('"', "&quot;") : line;
  });

/** A text that stands between two tags ends where the template ends it, not where a file says so. */
function kept(text: string, template: string): string {
  const tag = /<\/([A-Za-z][\w-]*)>\s*$/u.exec(template)?.[1];
  return tag === undefined ? text : text.replace(new RegExp(`<(?=\\s*/?\\s*${tag}\\b)`, "giu"), "&lt;");
}

const fill = (text: string, facts: PromptFacts): string =>
  text.replace(/\{\{(cwd|date|platform|shell)\}\}/g, (_, key: keyof PromptFacts) => oneLine(facts[key]));

/** Control characters would let a folder's name start a new line, or a new heading, of the prompt. */
const oneLine = (value: string): string =>
  value.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0") ?? ""}`);
