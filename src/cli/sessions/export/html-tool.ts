import { plural } from "../../../base/index.js";
import { cleanLine, cleanText } from "./clean.js";
import { box, folded, pictures, when } from "./html-parts.js";
import { type Markup, markup } from "./markup.js";
import { anchorOf, type ToolBlock } from "./types.js";
import { argumentsText, type Badge, badgesOf } from "./wording.js";

/** What is longer is folded. Failures and changes are what people look for, so more of those is open. */
const OPEN_LINES = { output: 12, failure: 60, diff: 200 } as const;

/** A call with its result as one box: name and arguments in a line, then what it gave back. */
export function toolArticle(block: ToolBlock): Markup {
  const badges = badgesOf(block);
  const parts = [...argumentParts(block), ...resultParts(block)];
  return markup`<article class="tool ${toneOf(badges)}" id="${anchorOf(block)}">\n${toolBar(block, badges)}\n${parts}</article>`;
}

const toneOf = (badges: readonly Badge[]): Badge["tone"] =>
  (["bad", "unsure"] as const).find((tone) => badges.some((badge) => badge.tone === tone)) ?? "plain";

function toolBar({ call, result, summary }: ToolBlock, badges: readonly Badge[]): Markup {
  const entry = call ?? result;
  const title = markup`<h2 class="mono">${cleanLine(entry?.name ?? "")}</h2>`;
  const words = badges.map(({ text, tone }) => markup`<span class="badge ${tone}">${cleanLine(text)}</span>`);
  const args = summary === "" ? undefined : markup`<span class="mono summary">${summary}</span>`;
  return markup`<div class="bar">${title}${args}${words}${entry === undefined ? undefined : when(entry)}</div>`;
}

function argumentParts(block: ToolBlock): readonly Markup[] {
  const args = argumentsText(block);
  return args === "" || args === "{}" ? [] : [markup`${folded("Arguments", box(args))}\n`];
}

function resultParts({ call, result }: ToolBlock): readonly Markup[] {
  if (result === undefined) return [];
  const text = cleanText(result.text).replace(/\n+$/u, "");
  const diff = result.details?.diff ?? "";
  return [
    // The result's own anchor, when the box carries that of its call.
    ...(call === undefined ? [] : [markup`<span id="${result.id}"></span>`]),
    ...(text === "" ? [] : [renderOutput(text, result.isError)]),
    ...(diff === "" ? [] : [renderDiff(cleanText(diff).replace(/\n+$/u, ""))]),
    ...pictures(result.images),
  ];
}

function renderOutput(text: string, isError: boolean): Markup {
  const lines = text.split("\n").length;
  const isOpen = lines <= (isError ? OPEN_LINES.failure : OPEN_LINES.output);
  return markup`${folded(`Output, ${plural(lines, "line")}`, box(text), isOpen)}\n`;
}

function renderDiff(text: string): Markup {
  const lines = text.split("\n").map((line) => ({ line, tone: toneOfLine(line) }));
  const count = (tone: string): number => lines.filter((line) => line.tone === tone).length;
  const spans = lines.map(({ line, tone }) => markup`<span class="${tone}">${line}</span>`);
  const words = `Changes: ${plural(count("add"), "line")} added, ${String(count("del"))} removed`;
  return markup`${folded(words, markup`<pre class="diff">${spans}</pre>`, lines.length <= OPEN_LINES.diff)}\n`;
}

function toneOfLine(line: string): "hunk" | "add" | "del" | "same" {
  if (/^(?:@@|--- |\+\+\+ |diff |index )/u.test(line)) return "hunk";
  if (line.startsWith("+")) return "add";
  return line.startsWith("-") ? "del" : "same";
}
