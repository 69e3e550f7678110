import type { Token, Tokens } from "marked";
import { cleanText } from "./clean.js";
import { lexMarkdown } from "./lexer.js";
import { type Markup, markup } from "./markup.js";

/** Deeper nesting is shown as written. */
const MAX_DEPTH = 24;

/** Markdown of a model as HTML of our own making: its HTML is text, its images are links, its links lead to web pages and mail only. */
export function richText(source: string): Markup {
  const text = cleanText(source);
  const tokens = lexMarkdown(text);
  if (tokens === undefined) return plainText(text);
  try {
    return markup`<div class="rich">${blocks(tokens, 0)}</div>`;
  } catch (error) {
    if (error instanceof TooDeep) return plainText(text);
    throw error;
  }
}

export const plainText = (text: string): Markup => markup`<div class="verbatim">${text}</div>`;

class TooDeep extends Error {}

const blocks = (tokens: readonly Token[], depth: number): readonly Markup[] => tokens.map((token) => block(token, depth));

function block(token: Token, depth: number): Markup {
  if (depth > MAX_DEPTH) throw new TooDeep();
  // The lexer's own types: each name has the shape of that name (its documentation).
  switch (token.type) {
    case "space":
    case "def":
      return markup``;
    case "hr":
      return markup`<hr>`;
    case "heading":
      return heading(token as Tokens.Heading, depth);
    case "code":
      return markup`<pre><code>${(token as Tokens.Code).text}</code></pre>`;
    case "blockquote":
      return markup`<blockquote>${blocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>`;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "paragraph":
      return markup`<p>${inlines(token, depth)}</p>`;
    case "html":
      return markup`<p class="verbatim">${token.raw.trimEnd()}</p>`;
    default:
      return markup`${inlines(token, depth)}`;
  }
}

/** Two below its own level: the document has its own first and second ones. */
function heading(token: Tokens.Heading, depth: number): Markup {
  const content = inlines(token, depth);
  if (token.depth === 1) return markup`<h3>${content}</h3>`;
  return token.depth === 2 ? markup`<h4>${content}</h4>` : markup`<h5>${content}</h5>`;
}

function list(token: Tokens.List, depth: number): Markup {
  const items = token.items.map((item) => {
    const mark = item.task ? (item.checked === true ? "☑ " : "☐ ") : "";
    const content = item.tokens.filter(({ type }) => type !== "checkbox");
    return markup`<li>${mark}${blocks(content, depth + 1)}</li>\n`;
  });
  if (!token.ordered) return markup`<ul>\n${items}</ul>`;
  return markup`<ol start="${String(token.start === "" ? 1 : token.start)}">\n${items}</ol>`;
}

function table(token: Tokens.Table, depth: number): Markup {
  const content = (cell: Tokens.TableCell): readonly Markup[] => cell.tokens.map((part) => inline(part, depth));
  const head = token.header.map((cell) => markup`<th>${content(cell)}</th>`);
  const rows = token.rows.map((row) => markup`<tr>${row.map((cell) => markup`<td>${content(cell)}</td>`)}</tr>\n`);
  return markup`<div class="wide"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows}</tbody></table></div>`;
}

function inlines(token: Token, depth: number): readonly Markup[] {
  // Tokens of extensions are typed as records of anything; none are installed.
  const { tokens, text, raw } = token as { readonly tokens?: readonly Token[]; readonly text?: string; readonly raw: string };
  return tokens === undefined ? [markup`${decoded(text ?? raw)}`] : tokens.map((part) => inline(part, depth + 1));
}

function inline(token: Token, depth: number): Markup {
  if (depth > MAX_DEPTH) throw new TooDeep();
  switch (token.type) {
    case "strong":
      return markup`<strong>${inlines(token, depth)}</strong>`;
    case "em":
      return markup`<em>${inlines(token, depth)}</em>`;
    case "del":
      return markup`<del>${inlines(token, depth)}</del>`;
    case "codespan":
      return markup`<code>${(token as Tokens.Codespan).text}</code>`;
    case "br":
      return markup`<br>`;
    case "link":
      return link(token as Tokens.Link, depth);
    case "image":
      return linkTo((token as Tokens.Image).href, [markup`[image: ${decoded((token as Tokens.Image).text)}]`]);
    case "html":
      return markup`${token.raw}`;
    case "escape":
      return markup`${(token as Tokens.Escape).text}`;
    default:
      return markup`${inlines(token, depth)}`;
  }
}

const FOLLOWED = /^(?:https?:\/\/|mailto:)/iu;

const link = (token: Tokens.Link, depth: number): Markup => linkTo(token.href, inlines(token, depth));

/** Where a link leads is said beside it unless its words say so: words and target may differ on purpose. */
function linkTo(href: string, words: readonly Markup[]): Markup {
  if (!FOLLOWED.test(href)) return markup`${words} (${href})`;
  const isSaid = words.map((part) => part.html).join("") === markup`${href}`.html;
  const told = isSaid ? undefined : markup` <span class="href">(${href})</span>`;
  return markup`<a href="${href}" rel="noopener noreferrer nofollow">${words}</a>${told}`;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" };

/** The few entities that models write; all others stay as they are. */
const decoded = (text: string): string => text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/gu, (whole, name: string) => NAMED[name] ?? whole);
