import type { Token, Tokens } from "marked";

import { type Row, rowText, type Span, span, spansWidth, wrapSpans } from "../text/index.js";
import type { StyleName } from "../theme/index.js";
import { lexBlocks } from "./blocks.js";
import type { CodeColors } from "./highlight.js";
import { decodeEntities, inlineLines } from "./inline.js";
import { tableRows } from "./table.js";

/** Where rows go: their width, the cells before them, and the counters that name their place. */
export interface BlockContext {
  readonly width: number;
  readonly block: number;
  readonly colors: CodeColors | undefined;
}

/** What stands before the text of a block: a bullet on its first row, blanks after. */
interface Prefix {
  readonly first: readonly Span[];
  readonly rest: readonly Span[];
}

const NO_PREFIX: Prefix = { first: [], rest: [] };
const MAX_DEPTH = 12;

/** One closed block of Markdown as rows; blank rows between the tokens of the block, none around them. */
export function markdownRows(source: string, context: BlockContext): readonly Row[] {
  const builder = new RowBuilder(context);
  builder.tokens(lexBlocks(source), NO_PREFIX, false, "text");
  return builder.rows;
}

/** Lines of code as rows: indented, cut at the edge instead of at spaces, with a mark where a row goes on with the line before. `at` is the offset of the first line. */
export function codeRows(
  lines: readonly (readonly Span[])[],
  context: BlockContext,
  prefix: readonly Span[],
  at: number,
): { readonly rows: readonly Row[]; readonly at: number } {
  const rows: Row[] = [];
  let offset = at;
  const first = [...prefix, span("  ")];
  const rest = [...prefix, span("↳ ", "code-gutter")];
  for (const line of lines) {
    rows.push(...wrapSpans(line, { width: context.width, first, rest, anywhere: true, block: context.block, at: offset }));
    offset += line.reduce((sum, { text }) => sum + text.length, 0) + 1;
  }
  return { rows, at: offset };
}

class RowBuilder {
  readonly rows: Row[] = [];
  private at = 0;
  private readonly context: BlockContext;
  private depth = 0;

  constructor(context: BlockContext) {
    this.context = context;
  }

  tokens(tokens: readonly Token[], prefix: Prefix, tight: boolean, base: StyleName): void {
    let first = true;
    for (const token of tokens) {
      if (token.type === "space" || token.type === "checkbox") continue;
      if (!first && !tight) this.blank(prefix);
      this.token(token, first ? prefix : { first: prefix.rest, rest: prefix.rest }, base);
      first = false;
    }
    if (first && spansWidth(prefix.first) > 0) this.push({ spans: prefix.first });
  }

  private token(token: Token, prefix: Prefix, base: StyleName): void {
    switch (token.type) {
      case "heading":
        this.lines(inlineLines((token as Tokens.Heading).tokens, "heading"), prefix);
        return;
      case "paragraph":
      case "text":
        this.text(token as Tokens.Paragraph | Tokens.Text, prefix, base);
        return;
      case "code":
        this.code(token as Tokens.Code, prefix);
        return;
      case "list":
        this.list(token as Tokens.List, prefix, base);
        return;
      case "blockquote":
        this.quote(token as Tokens.Blockquote, prefix);
        return;
      case "table":
        this.table(token as Tokens.Table, prefix);
        return;
      case "hr":
        this.push({ spans: [...prefix.first, span("─".repeat(Math.max(1, this.context.width - spansWidth(prefix.first))), "rule")] });
        return;
      default:
        this.lines(rawLines(token.raw, base), prefix);
    }
  }

  private text(token: Tokens.Paragraph | Tokens.Text, prefix: Prefix, base: StyleName): void {
    const { tokens } = token;
    if (tokens !== undefined && tokens.length > 0) this.lines(inlineLines(tokens, base), prefix);
    else this.lines(rawLines(decodeEntities(token.text), base), prefix);
  }

  private code(token: Tokens.Code, prefix: Prefix): void {
    const colored = this.context.colors?.lines(token.lang ?? "", token.text);
    const lines = colored ?? token.text.split("\n").map((line) => [span(line, "text")]);
    const made = codeRows(lines, this.context, prefix.first, this.at);
    this.at = made.at;
    this.rows.push(...made.rows);
  }

  private list(list: Tokens.List, prefix: Prefix, base: StyleName): void {
    const start = typeof list.start === "number" ? list.start : 1;
    const digits = String(start + list.items.length - 1).length;
    for (const [index, item] of list.items.entries()) {
      if (index > 0 && list.loose) this.blank(prefix);
      const mark = item.task ? (item.checked === true ? "☑ " : "☐ ") : list.ordered ? `${String(start + index).padStart(digits)}. ` : "• ";
      const outer = index === 0 ? prefix.first : prefix.rest;
      const inner: Prefix = { first: [...outer, span(mark, "bullet")], rest: [...prefix.rest, span(" ".repeat(mark.length))] };
      this.nested(item.tokens, inner, !list.loose, base);
    }
  }

  private quote(token: Tokens.Blockquote, prefix: Prefix): void {
    const bar = span("│ ", "rule");
    this.nested(token.tokens, { first: [...prefix.first, bar], rest: [...prefix.rest, bar] }, false, "quote");
  }

  /** Deep nesting would leave no cells for text: it is flattened. */
  private nested(tokens: readonly Token[], prefix: Prefix, tight: boolean, base: StyleName): void {
    this.depth += 1;
    const roomy = this.depth <= MAX_DEPTH && spansWidth(prefix.rest) <= this.context.width / 2;
    this.tokens(tokens, roomy ? prefix : { first: prefix.first.slice(-1), rest: [span("  ")] }, tight, base);
    this.depth -= 1;
  }

  private table(token: Tokens.Table, prefix: Prefix): void {
    const made = tableRows(token, this.context.width - spansWidth(prefix.rest), this.at);
    if (made === undefined) {
      this.lines(rawLines(token.raw, "text"), prefix);
      return;
    }
    for (const [index, made_] of made.entries())
      this.push({ ...made_, spans: [...(index === 0 ? prefix.first : prefix.rest), ...made_.spans] });
    this.at += token.raw.length;
  }

  private lines(lines: readonly (readonly Span[])[], prefix: Prefix): void {
    for (const [index, line] of lines.entries()) {
      const made = wrapSpans(line, {
        width: this.context.width,
        first: index === 0 ? prefix.first : prefix.rest,
        rest: prefix.rest,
        block: this.context.block,
        at: this.at,
      });
      this.at += line.reduce((sum, { text }) => sum + text.length, 0) + 1;
      this.rows.push(...made);
    }
  }

  private blank(prefix: Prefix): void {
    const bars = rowText({ spans: prefix.rest }).trimEnd();
    this.push({ spans: bars === "" ? [] : prefix.rest });
  }

  private push(line: Row): void {
    this.rows.push({ at: this.at, ...line, block: this.context.block });
  }
}

const rawLines = (raw: string, style: StyleName): readonly (readonly Span[])[] =>
  raw
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => [span(line, style)]);
