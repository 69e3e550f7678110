import { Lexer, type Token } from "marked";

/** The lexer is not linear on every input: longer texts are not given to it, longer paragraphs have no emphasis. */
const MAX_CHARACTERS = 100_000;
const MAX_PARAGRAPH = 6_000;

class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length <= MAX_PARAGRAPH) return super.inlineTokens(source, tokens);
    tokens.push({ type: "text", raw: source, text: source, escaped: false });
    return tokens;
  }
}

/** Markdown as tokens; undefined when it is too long or too deep to be taken apart. */
export function lexMarkdown(text: string): readonly Token[] | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  try {
    return new BoundedLexer({ gfm: true }).lex(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
