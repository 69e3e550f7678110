import type { CallId, EntryId, RequestId, WorkId } from "../../../src/base/index.js";
import type { AssistantEntry, Entry, ToolCallEntry, ToolResultEntry, UserMessageEntry } from "../../../src/schema/index.js";
import { collectFacts, type ExportItem, renderHtml, renderMarkdown } from "../../../src/cli/sessions/export/index.js";
import type { MarkdownOptions } from "../../../src/cli/sessions/export/index.js";
import { SESSION } from "../fake-runtime.js";
import { seqIds } from "../../session/support/entries.js";

export const TIME = Date.UTC(2026, 10, 30, 9, 5);

export async function* each<Item>(items: readonly Item[]): AsyncIterable<Item> {
  for (const item of items) yield item;
}

const start = { id: SESSION, createdAt: TIME, version: "1.2.3" };

export async function html(items: readonly ExportItem[]): Promise<string> {
  let text = "";
  for await (const piece of renderHtml({ entries: each(items), facts: await collectFacts(start, each(items)) })) text += piece;
  return text;
}

export async function markdown(items: readonly ExportItem[], options?: MarkdownOptions): Promise<string> {
  let text = "";
  for await (const piece of renderMarkdown({ entries: each(items), facts: await collectFacts(start, each(items)) }, options)) text += piece;
  return text;
}

/** Entries with little said of them; ids are the same in every run. */
export function maker() {
  const ids = seqIds();
  const work = ids.next<WorkId>();
  const base = <Type extends Entry["type"]>(type: Type) => ({ type, id: ids.next<EntryId>(), time: TIME });
  const user = (text: string, more: Partial<UserMessageEntry> = {}): UserMessageEntry => ({
    ...base("user-message"),
    source: "prompt",
    text,
    ...more,
  });
  const answer = (text: string, more: Partial<AssistantEntry> = {}): AssistantEntry => ({
    ...base("assistant"),
    work,
    request: ids.next<RequestId>(),
    stop: "stop",
    text,
    thinking: [],
    dispatch: { provider: "offline", model: "rules" },
    ...more,
  });
  const call = (name: string, args: ToolCallEntry["args"], more: Partial<ToolCallEntry> = {}): ToolCallEntry => ({
    ...base("tool-call"),
    work,
    call: ids.next<CallId>(),
    ordinal: 0,
    name,
    providerId: "p",
    argsText: JSON.stringify(args),
    ...(args === undefined ? {} : { args }),
    ...more,
  });
  const result = (of: ToolCallEntry, text: string, more: Partial<ToolResultEntry> = {}): ToolResultEntry => ({
    ...base("tool-result"),
    work,
    call: of.call,
    name: of.name,
    text,
    isError: false,
    mutation: "not-applied",
    omittedBytes: 0,
    ...more,
  });
  return { ids, base, user, answer, call, result };
}

/** What a page consists of when its text is left out. */
export interface Page {
  readonly tags: readonly { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[];
  /** Text outside of the style, entities resolved. */
  readonly text: string;
}

const VOID: ReadonlySet<string> = new Set(["meta", "img", "br", "hr"]);
const ENTITY: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const resolved = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/gu, (entity) => ENTITY[entity] ?? entity);

/**
 * Reads a page strictly: only tags in the form we write, properly nested, every `<`, `>`, quote and `&` in text escaped.
 * Whatever got in from outside as markup makes it throw or shows up among the tags.
 */
export function readPage(page: string): Page {
  const body = page.replace(/<style>[^<]*<\/style>/u, "").replace(/^<!doctype html>\n/u, "");
  const tags: { readonly name: string; readonly attributes: Record<string, string> }[] = [];
  const open: string[] = [];
  let text = "";
  for (const piece of body.split(/(<[^<>]*>)/u)) {
    if (!piece.startsWith("<")) {
      if (/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/u.test(piece)) throw new Error(`not escaped: ${piece}`);
      text += resolved(piece);
      continue;
    }
    const closing = /^<\/([a-z0-9]+)>$/u.exec(piece);
    if (closing !== null) {
      if (open.pop() !== closing[1]) throw new Error(`${piece} closes something else`);
      continue;
    }
    const tag = /^<([a-z0-9]+)((?: [a-z-]+(?:="[^"<>]*")?)*)>$/u.exec(piece);
    if (tag === null) throw new Error(`no tag of ours: ${piece}`);
    const [, name = "", attributes = ""] = tag;
    const pairs = [...attributes.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/gu)].map(
      ([, key = "", value = ""]) => [key, resolved(value)] as const,
    );
    tags.push({ name, attributes: Object.fromEntries(pairs) });
    if (!VOID.has(name)) open.push(name);
  }
  if (open.length > 0) throw new Error(`left open: ${open.join(" ")}`);
  return { tags, text };
}

/** Texts that want to be more than text. */
export const HOSTILE = [
  "</script><script>alert(1)</script>",
  `" onmouseover="alert(1)" x="`,
  "' onclick='alert(1)",
  "<img src=x onerror=alert(1)>",
  "</pre></details></article></main></body></html><h1>",
  "<!-- ",
  "]]>",
  "&lt;script&gt; &amp;lt; &#60;b&#62; &#x3c;",
  "[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) [d](//evil/x) <javascript:alert(1)>",
  `[e](https://ok/"onclick="alert(1)) ![i](https://evil/pixel.png) ![j](data:image/svg+xml,x)`,
  "[r]: javascript:alert(1)\n\n[r] ![r]",
  "```</code></pre><script>\n</code></pre><script>alert(1)</script>\n```",
  "`</code><b>`",
  "| <b> | a |\n|---|---|\n| </td><script> | `<i>` |",
  "# </h3><script>\n\n<div onclick=x>\n\n<style>*{display:none}</style>",
  "</style><style>",
  "\u0000\u0001\u001b[31mred\u001b[0m\u202e\u2066x\u2069\u200b\ufeff\ud800",
  "{{x}} ${y} <%= z %>",
];
