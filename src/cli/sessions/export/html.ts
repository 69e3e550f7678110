import { plural } from "../../../base/index.js";
import {
  type AssistantEntry,
  type CompactionEntry,
  type Diagnostic,
  isHistoryEntry,
  type PromptEntry,
  type UserMessageEntry,
} from "../../../schema/index.js";
import { toBlocks } from "./blocks.js";
import { cleanLine } from "./clean.js";
import { bar, box, folded, linkTo, pictures } from "./html-parts.js";
import { toolArticle } from "./html-tool.js";
import { type Markup, markup } from "./markup.js";
import { plainText, richText } from "./rich-text.js";
import { STYLESHEET } from "./stylesheet.js";
import type { ExportBlock, ExportDocument, ExportFacts, ShownEntry } from "./types.js";
import { diagnosticWords, factLines, noteOf, type NotedEntry, saysNothing, sourceWords, spentWords, stopWords } from "./wording.js";

/**
 * A branch as one self-contained page, piece by piece: no script, no request, nothing recorded that is not escaped. The policy
 * in its head forbids the browser whatever would get past that.
 */
export async function* renderHtml(document: ExportDocument): AsyncIterable<string> {
  const { facts } = document;
  yield `${head(facts)}<style>${STYLESHEET}</style>\n</head>\n`;
  yield header(facts).html;
  for await (const block of toBlocks(document.entries)) {
    const part = renderBlock(block);
    if (part !== undefined) yield `${part.html}\n`;
  }
  yield markup`</main>\n<footer>Exported by smith ${facts.version}. Times are UTC.</footer>\n</body>\n</html>\n`.html;
}

const head = (facts: ExportFacts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
${markup`<title>${cleanLine(facts.title)}</title>`.html}
`;

function header(facts: ExportFacts): Markup {
  const rows = factLines(facts).map(([label, words]) => markup`<dt>${label}</dt><dd>${cleanLine(words)}</dd>\n`);
  return markup`<body>\n<header>\n<h1>${cleanLine(facts.title)}</h1>\n<dl>\n${rows}</dl>\n</header>\n<main>\n`;
}

function renderBlock(block: ExportBlock): Markup | undefined {
  switch (block.type) {
    case "gap":
      return markup`<aside class="gap"><strong>Something is missing here.</strong> ${block.what}</aside>`;
    case "tool":
      return toolArticle(block);
    case "entry":
      return renderEntry(block.entry);
  }
}

/** Every history entry has its anchor, also one of which there is nothing to say. */
function renderEntry(entry: ShownEntry): Markup | undefined {
  const body = bodyOf(entry);
  return body === undefined && isHistoryEntry(entry) ? markup`<span id="${entry.id}"></span>` : body;
}

function bodyOf(entry: ShownEntry): Markup | undefined {
  if (entry.type === "user-message") return renderUser(entry);
  if (entry.type === "assistant") return saysNothing(entry) ? undefined : renderAssistant(entry);
  if (entry.type === "prompt") return renderPrompt(entry);
  return entry.type === "compaction" ? renderCompaction(entry) : renderNote(entry);
}

function renderUser(entry: UserMessageEntry): Markup {
  const title = bar(markup`<h2>${sourceWords(entry.source)}</h2>`, entry);
  return markup`<article class="prompt" id="${entry.id}">\n${title}\n${plainText(entry.text)}${pictures(entry.images)}</article>`;
}

function renderAssistant(entry: AssistantEntry): Markup {
  const stop = stopWords(entry.stop);
  const spent = spentWords(entry);
  const title = [
    markup`<h2>Answer</h2><span class="soft">${entry.dispatch.provider}/${entry.dispatch.model}</span>`,
    ...(stop === undefined ? [] : [markup`<span class="badge unsure">${stop}</span>`]),
  ];
  const thinking = entry.thinking.map(({ text }) => text).filter((text) => text.trim() !== "");
  const parts = [
    ...thinking.map((text) => folded("Thinking", markup`<div class="thinking">${richText(text)}</div>`)),
    ...(entry.text.trim() === "" ? [] : [richText(entry.text)]),
    ...(entry.error === undefined ? [] : [renderError(entry.error)]),
    ...(spent === undefined ? [] : [markup`<p class="spent">${spent}</p>`]),
  ];
  return markup`<article id="${entry.id}">\n${bar(markup`${title}`, entry)}\n${parts}</article>`;
}

const renderError = (error: Diagnostic): Markup =>
  markup`<div class="error">${diagnosticWords(error)
    .split("\n")
    .map((line) => markup`<p>${line}</p>`)}</div>`;

function renderPrompt(entry: PromptEntry): Markup {
  const tools = entry.tools.map(({ name }) => markup`<code>${name}</code> `);
  const words = `System prompt and ${plural(entry.tools.length, "tool")} from here on`;
  const body = [...(tools.length === 0 ? [] : [markup`<p>${tools}</p>`]), box(entry.system)];
  return markup`<aside id="${entry.id}">${folded(words, markup`${body}`)}</aside>`;
}

function renderCompaction(entry: CompactionEntry): Markup {
  const title = bar(markup`<h2>Compacted</h2>`, entry);
  const tokens = entry.tokensBefore === 0 ? "" : ` (about ${String(entry.tokensBefore)} tokens)`;
  const words = markup`<p>From here on the model sees a summary instead of what came before ${linkTo(entry.firstKept)}${tokens}.</p>`;
  return markup`<aside id="${entry.id}">\n${title}\n${words}${folded("Summary", richText(entry.summary))}</aside>`;
}

function renderNote(entry: NotedEntry): Markup | undefined {
  const note = noteOf(entry);
  if (note === undefined) return undefined;
  const target = note.target === undefined ? undefined : markup` ${linkTo(note.target)}`;
  const body = note.body === undefined || note.body === "" ? undefined : box(note.body);
  return markup`<aside id="${entry.id}">${note.text}${target}${body}</aside>`;
}
