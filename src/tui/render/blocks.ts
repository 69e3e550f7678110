import { Lexer, type Token, Tokenizer, type Tokens } from "marked";

/** References would let a later line change rows that are already settled: they stay text. */
class BlockTokenizer extends Tokenizer {
  override def(): undefined {
    return undefined;
  }
}

/** Markdown to tokens. Total: what the lexer does not take becomes one paragraph. */
export function lexBlocks(source: string): readonly Token[] {
  try {
    return new Lexer({ gfm: true, tokenizer: new BlockTokenizer() }).lex(source);
  } catch {
    const text: Tokens.Text = { type: "text", raw: source, text: source, escaped: false };
    return [{ type: "paragraph", raw: source, text: source, tokens: [text] }];
  }
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const MAX_TAIL = 64 * 1024;

/**
 * Splits a growing Markdown text into closed blocks, whose source never changes again, and an open tail. Works line by line, so
 * the blocks are the same however the text was cut into pieces.
 */
export class BlockSplitter {
  readonly closed: string[] = [];
  /** Complete lines of the open block. */
  private open = "";
  /** The line without its end yet. */
  private partial = "";
  private fence: { readonly marker: string; readonly length: number } | undefined;
  private afterBlank = false;

  push(text: string): void {
    const lines = (this.partial + text).split("\n");
    this.partial = lines.pop() ?? "";
    for (const line of lines) this.line(line);
  }

  get tail(): string {
    return this.open + this.partial;
  }

  /** An open fence whose content may be drawn line by line: its info string and where the content starts in `tail`. */
  get openFence(): { readonly info: string; readonly contentStart: number } | undefined {
    if (this.fence === undefined) return undefined;
    const end = this.open.indexOf("\n");
    const match = FENCE.exec(this.open.slice(0, end));
    return match === null ? undefined : { info: (match[2] ?? "").trim(), contentStart: end + 1 };
  }

  /** No more text: the tail becomes the last block. */
  end(): void {
    const rest = this.tail;
    this.open = "";
    this.partial = "";
    this.fence = undefined;
    this.afterBlank = false;
    if (rest.trim() !== "") this.closed.push(rest);
  }

  private line(line: string): void {
    if (this.fence !== undefined) this.fenceLine(line);
    else if (line.trim() === "") this.blankLine(line);
    else this.textLine(line);
  }

  private blankLine(line: string): void {
    if (this.open !== "") this.open += `${line}\n`;
    this.afterBlank = this.open !== "";
  }

  private textLine(line: string): void {
    if (this.afterBlank && this.separates(line)) this.close();
    const match = FENCE.exec(line);
    if (match !== null && this.startsFence(match)) {
      const [, marker = "```"] = match;
      this.close();
      this.fence = { marker: marker.charAt(0), length: marker.length };
    }
    this.open += `${line}\n`;
    this.afterBlank = false;
    if (this.open.length > MAX_TAIL) this.close();
  }

  private fenceLine(line: string): void {
    this.open += `${line}\n`;
    const trimmed = line.trim();
    const { fence } = this;
    if (fence === undefined || !/^ {0,3}\S/.test(line)) return;
    if (trimmed.length >= fence.length && trimmed === fence.marker.repeat(trimmed.length)) {
      this.fence = undefined;
      this.close();
    }
  }

  /** A fence inside of a list or an HTML block belongs to it; one after a paragraph begins a block of its own. */
  private startsFence(match: RegExpExecArray): boolean {
    const [, marker = "", info = ""] = match;
    if (marker.startsWith("`") && info.includes("`")) return false;
    return this.open.trim() === "" || !/^ {0,3}(?:[-*+]|\d{1,9}[.)]|<|>| {4}|\t)/.test(this.open) || this.afterBlank;
  }

  /** Whether a line after a blank one begins a new block, so that what came before is final. */
  private separates(line: string): boolean {
    const indented = /^(?: {2,}|\t)/.test(line);
    if (LIST_ITEM.test(this.open) && (indented || LIST_ITEM.test(line))) return false;
    if (/^(?: {4}|\t)/.test(this.open) && /^(?: {4}|\t)/.test(line)) return false;
    if (/^ {0,3}</.test(this.open)) return this.lexerAgrees(line);
    return true;
  }

  /** HTML blocks end by seven rules: ask the lexer whether the line starts a token. */
  private lexerAgrees(line: string): boolean {
    let at = 0;
    for (const token of lexBlocks(`${this.open}${line}\n`)) {
      if (at === this.open.length) return true;
      at += token.raw.length;
    }
    return false;
  }

  private close(): void {
    const block = this.open;
    this.open = "";
    this.afterBlank = false;
    if (block.trim() !== "") this.closed.push(block);
  }
}

/** All blocks of a finished text. */
export function splitBlocks(text: string): readonly string[] {
  const splitter = new BlockSplitter();
  splitter.push(text);
  splitter.end();
  return splitter.closed;
}
