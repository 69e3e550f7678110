import { plural } from "../../../base/index.js";
import type { AssistantEntry, CompactionEntry, Diagnostic, PromptEntry, UserMessageEntry } from "../../../schema/index.js";
import { toBlocks } from "./blocks.js";
import { cleanLine } from "./clean.js";
import { bar, linkTo, pictures } from "./html-parts.js";
import { toolArticle } from "./html-tool.js";
import { html, type Markup } from "./markup.js";
import { plainText, richText } from "./rich-text.js";
import { STYLESHEET } from "./stylesheet.js";
import type { ExportBlock, ExportDocument, ExportFacts, ShownEntry } from "./types.js";
import { diagnosticWords, factLines, noteOf, type NotedEntry, sourceWords, stopWords } from "./wording.js";

/**
 * A branch as one self-contained page, piece by piece: no script, no request, nothing recorded that is not escaped. The policy
 * in its head forbids the browser whatever would get past that.
 */
export async function* renderHtml(document: ExportDocument): AsyncIterable<string> {
  yield head(document.facts);
  for await (const block of toBlocks(document.entries)) {
    const markup = renderBlock(block);
    if (markup !== undefined) yield `${markup.html}\n`;
  }
  yield html`</main>
<footer>Exported by smith ${document.facts.version}. Times are UTC.</footer>
</body>
</html>
`.html;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

function head(facts: ExportFacts): string {
  const title = cleanLine(facts.title);
  const rows = factLines(facts).map(
    ([label, words]) =>
      html`<dt>${label}</dt>
        <dd>${cleanLine(words)}</dd>`,
  );
  const before = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="`.html;
  const after = html`">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="smith ${facts.version}">
<title>${title}</title>
<style>`.html;
  const body = html`</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>${rows}</dl>
</header>
<main>
`.html;
  return `${before}${POLICY}${after}${STYLESHEET}${body}`;
}

function renderBlock(block: ExportBlock): Markup | undefined {
  switch (block.type) {
    case "gap":
      return html`<aside class="gap"><strong>Something is missing here.</strong> ${block.what}</aside>`;
    case "tool":
      return toolArticle(block);
    case "entry":
      return renderEntry(block.entry);
  }
}

function renderEntry(entry: ShownEntry): Markup | undefined {
  if (entry.type === "user-message") return renderUser(entry);
  if (entry.type === "assistant") return renderAssistant(entry);
  if (entry.type === "prompt") return renderPrompt(entry);
  return entry.type === "compaction" ? renderCompaction(entry) : renderNote(entry);
}

const renderUser = (entry: UserMessageEntry): Markup =>
  html`<article class="prompt" id="${entry.id}">
    ${bar(html`<h2>${sourceWords(entry.source)}</h2>`, entry)} ${plainText(entry.text)}${pictures(entry.images)}
  </article>`;

function renderAssistant(entry: AssistantEntry): Markup {
  const stop = stopWords(entry.stop);
  const title = html`<h2>Answer</h2>
    <span class="soft">${entry.dispatch.provider}/${entry.dispatch.model}</span
    >${stop === undefined ? undefined : html`<span class="badge unsure">${stop}</span>`}`;
  const thinking = entry.thinking
    .filter(({ text }) => text.trim() !== "")
    .map(
      ({ text }) =>
        html`<details class="thinking">
          <summary>Thinking</summary>
          <div>${richText(text)}</div>
        </details>`,
    );
  return html`<article id="${entry.id}">
    ${bar(title, entry)}
    ${thinking}${entry.text.trim() === "" ? undefined : richText(entry.text)}${entry.error === undefined ? undefined : renderError(entry.error)}
  </article>`;
}

const renderError = (error: Diagnostic): Markup =>
  html`<div class="error">
    ${diagnosticWords(error)
      .split("\n")
      .map((line) => html`<p>${line}</p>`)}
  </div>`;

function renderPrompt(entry: PromptEntry): Markup {
  const tools = entry.tools.map(({ name }) => html`<code>${name}</code> `);
  return html`<aside id="${entry.id}">
    <details>
      <summary>System prompt and ${plural(entry.tools.length, "tool")} from here on</summary>
      <p>${tools}</p>
      <pre>${entry.system}</pre>
    </details>
  </aside>`;
}

const renderCompaction = (entry: CompactionEntry): Markup =>
  html`<aside id="${entry.id}">
    ${bar(html`<h2>Compacted</h2>`, entry)}
    <p>
      From here on the model sees this summary instead of what came before ${linkTo(entry.firstKept)} (about ${String(entry.tokensBefore)}
      tokens).
    </p>
    <details>
      <summary>Summary</summary>
      ${richText(entry.summary)}
    </details>
  </aside>`;

function renderNote(entry: NotedEntry): Markup | undefined {
  const note = noteOf(entry);
  if (note === undefined) return undefined;
  const target = note.target === undefined ? undefined : html` ${linkTo(note.target)}`;
  return html`<aside id="${entry.id}">${note.text}${target}${note.body === undefined ? undefined : html`<pre>${note.body}</pre>`}</aside>`;
}
