import { Lexer, type Token, type Tokens } from "marked";
import { cleanText } from "./clean.js";
import { html, type Markup } from "./markup.js";

/** Longer texts are shown as they were written: the lexer is not linear on every input. */
const MAX_CHARACTERS = 100_000;
/** Deeper nesting is shown as written. */
const MAX_DEPTH = 24;

/** Markdown of a model as HTML of our own making: its HTML is text, its images are links, its links lead to web pages and mail only. */
export function richText(source: string): Markup {
  const text = cleanText(source);
  if (text.length > MAX_CHARACTERS) return plainText(text);
  try {
    return html`<div class="rich">${blocks(new Lexer({ gfm: true }).lex(text), 0)}</div>`;
  } catch (error) {
    if (error instanceof RangeError || error instanceof TooDeep) return plainText(text);
    throw error;
  }
}

export const plainText = (text: string): Markup => html`<div class="verbatim">${text}</div>`;

class TooDeep extends Error {}

const blocks = (tokens: readonly Token[], depth: number): readonly Markup[] => tokens.map((token) => block(token, depth));

function block(token: Token, depth: number): Markup {
  if (depth > MAX_DEPTH) throw new TooDeep();
  // The lexer's own types: each name has the shape of that name (its documentation).
  switch (token.type) {
    case "space":
    case "def":
      return html``;
    case "hr":
      return html`<hr />`;
    case "heading":
      return heading(token as Tokens.Heading, depth);
    case "code":
      return html`<pre><code>
${(token as Tokens.Code).text}</code></pre>`;
    case "blockquote":
      return html`<blockquote>${blocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>`;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "paragraph":
      return html`<p>${inlines(token, depth)}</p>`;
    case "html":
      return html`<p class="verbatim">${token.raw.trimEnd()}</p>`;
    default:
      return html`${inlines(token, depth)}`;
  }
}

/** Two below its own level: the document has its own first and second ones. */
function heading(token: Tokens.Heading, depth: number): Markup {
  const content = inlines(token, depth);
  if (token.depth === 1) return html`<h3>${content}</h3>`;
  return token.depth === 2 ? html`<h4>${content}</h4>` : html`<h5>${content}</h5>`;
}

function list(token: Tokens.List, depth: number): Markup {
  const items = token.items.map((item) => {
    const box = item.task ? (item.checked === true ? "☑ " : "☐ ") : "";
    return html`<li>
      ${box}${blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        depth + 1,
      )}
    </li>`;
  });
  if (!token.ordered)
    return html`<ul>
      ${items}
    </ul>`;
  return html`<ol start="${String(token.start === "" ? 1 : token.start)}">
    ${items}
  </ol>`;
}

function table(token: Tokens.Table, depth: number): Markup {
  const head = token.header.map((cell) => html`<th>${cell.tokens.map((part) => inline(part, depth))}</th>`);
  const rows = token.rows.map(
    (row) =>
      html`<tr>
        ${row.map((cell) => html`<td>${cell.tokens.map((part) => inline(part, depth))}</td>`)}
      </tr>`,
  );
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function inlines(token: Token, depth: number): readonly Markup[] {
  // Tokens of extensions are typed as records of anything; none are installed.
  const { tokens, text, raw } = token as { readonly tokens?: readonly Token[]; readonly text?: string; readonly raw: string };
  return tokens === undefined ? [html`${decoded(text ?? raw)}`] : tokens.map((part) => inline(part, depth + 1));
}

function inline(token: Token, depth: number): Markup {
  if (depth > MAX_DEPTH) throw new TooDeep();
  switch (token.type) {
    case "strong":
      return html`<strong>${inlines(token, depth)}</strong>`;
    case "em":
      return html`<em>${inlines(token, depth)}</em>`;
    case "del":
      return html`<del>${inlines(token, depth)}</del>`;
    case "codespan":
      return html`<code>${(token as Tokens.Codespan).text}</code>`;
    case "br":
      return html`<br />`;
    case "link":
      return link(token as Tokens.Link, depth);
    case "image":
      return linkTo((token as Tokens.Image).href, [html`[image: ${decoded((token as Tokens.Image).text)}]`]);
    case "html":
      return html`${token.raw}`;
    case "escape":
      return html`${(token as Tokens.Escape).text}`;
    default:
      return html`${inlines(token, depth)}`;
  }
}

const FOLLOWED = /^(?:https?:\/\/|mailto:)/iu;

const link = (token: Tokens.Link, depth: number): Markup => linkTo(token.href, inlines(token, depth));

/** Where a link leads is said beside it unless its words say so: words and target may differ on purpose. */
function linkTo(href: string, words: readonly Markup[]): Markup {
  if (!FOLLOWED.test(href)) return html`${words} (${href})`;
  const text = words.map((part) => part.html).join("");
  const isSaid = text === html`${href}`.html;
  return html`<a href="${href}" rel="noopener noreferrer nofollow">${words}</a
    >${isSaid ? undefined : html` <span class="href">(${href})</span>`}`;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" };

/** The few entities that models write; all others stay as they are. */
const decoded = (text: string): string => text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/gu, (whole, name: string) => NAMED[name] ?? whole);
