import { cleanLine, cleanText } from "./clean.js";
import { pictures, when } from "./html-parts.js";
import { html, type Markup } from "./markup.js";
import { anchorOf, type ToolBlock } from "./types.js";
import { argumentsText, type Badge, badgesOf } from "./wording.js";

/** Outputs of more lines are folded. */
const OPEN_LINES = 12;

/** A call with its result as one box: name and arguments in a line, then what it gave back. */
export function toolArticle(block: ToolBlock): Markup {
  const badges = badgesOf(block);
  return html`<article class="tool ${toneOf(badges)}" id="${anchorOf(block)}">
    ${toolBar(block, badges)} ${argumentParts(block)}${resultParts(block)}
  </article>`;
}

const toneOf = (badges: readonly Badge[]): Badge["tone"] =>
  (["bad", "unsure"] as const).find((tone) => badges.some((badge) => badge.tone === tone)) ?? "plain";

function toolBar({ call, result, summary }: ToolBlock, badges: readonly Badge[]): Markup {
  const entry = call ?? result;
  const words = badges.map(({ text, tone }) => html`<span class="badge ${tone}">${cleanLine(text)}</span>`);
  return html`<div class="bar">
    <h2 class="mono">${cleanLine(entry?.name ?? "")}</h2>
    <span class="mono summary">${summary}</span>${words}${entry === undefined ? undefined : when(entry)}
  </div>`;
}

function argumentParts(block: ToolBlock): readonly Markup[] {
  const args = argumentsText(block);
  return args === "" || args === "{}"
    ? []
    : [
        html`<details>
          <summary>Arguments</summary>
          <pre>${args}</pre>
        </details>`,
      ];
}

function resultParts({ call, result }: ToolBlock): readonly Markup[] {
  if (result === undefined) return [];
  const text = cleanText(result.text).replace(/\n+$/u, "");
  const lines = text === "" ? 0 : text.split("\n").length;
  const isOpen = lines <= OPEN_LINES || result.isError;
  const words = `Output, ${String(lines)} ${lines === 1 ? "line" : "lines"}`;
  const diff = result.details?.diff;
  return [
    // The result's own anchor, when the box carries that of its call.
    ...(call === undefined ? [] : [html`<span id="${result.id}"></span>`]),
    ...(lines === 0
      ? []
      : [
          html`<details${isOpen ? html` open` : undefined}><summary>${words}</summary><pre>
${text}</pre></details>`,
        ]),
    ...(diff === undefined || diff === "" ? [] : [renderDiff(diff)]),
    ...pictures(result.images),
  ];
}

function renderDiff(diff: string): Markup {
  const lines = cleanText(diff).replace(/\n+$/u, "").split("\n");
  return html`<pre class="diff">${lines.map((line) => html`<span${classOf(line)}>${line}</span>`)}</pre>`;
}

function classOf(line: string): Markup | undefined {
  if (/^(?:@@|---|\+\+\+|diff |index )/u.test(line)) return html` class="hunk"`;
  if (line.startsWith("+")) return html` class="add"`;
  return line.startsWith("-") ? html` class="del"` : undefined;
}
