import type { Token, Tokens } from "marked";

import { sanitizeLine, type Span } from "../text/index.js";
import type { StyleName } from "../theme/index.js";

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" };

/** The few entities models write; all others stay as they are. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);

const LINKABLE = /^(https?|mailto|file):/i;

/** The lines of inline Markdown: a hard break starts a new one, a soft one is a space. `base` is the style of plain text. */
export function inlineLines(tokens: readonly Token[], base: StyleName): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]];
  const put = (text: string, style: StyleName): void => {
    const safe = text.replace(/\n/g, " ");
    if (safe !== "") lines.at(-1)?.push({ text: safe, style });
  };
  for (const token of tokens) inline(token, base, { put, newline: () => lines.push([]) });
  return lines;
}

interface Sink {
  readonly put: (text: string, style: StyleName) => void;
  readonly newline: () => void;
}

const children = (token: Token): readonly Token[] | undefined => ("tokens" in token ? token.tokens : undefined);

function inlineAll(tokens: readonly Token[] | undefined, fallback: string, style: StyleName, sink: Sink): void {
  if (tokens === undefined) sink.put(decodeEntities(fallback), style);
  else for (const token of tokens) inline(token, style, sink);
}

function inline(token: Token, style: StyleName, sink: Sink): void {
  switch (token.type) {
    case "strong":
      inlineAll(children(token), token.raw, style === "text" ? "strong" : style, sink);
      return;
    case "em":
      inlineAll(children(token), token.raw, style === "text" ? "emphasis" : style, sink);
      return;
    case "del":
      inlineAll(children(token), token.raw, "strike", sink);
      return;
    case "codespan":
      sink.put((token as Tokens.Codespan).text, "code");
      return;
    case "br":
      sink.newline();
      return;
    case "link":
      link(token as Tokens.Link, style, sink);
      return;
    case "image":
      sink.put(`[image: ${decodeEntities((token as Tokens.Image).text)}] ${(token as Tokens.Image).href}`, "link");
      return;
    case "escape":
      sink.put((token as Tokens.Escape).text, style);
      return;
    case "text":
      inlineAll(children(token), (token as Tokens.Text).text, style, sink);
      return;
    case "checkbox":
      return;
    default:
      sink.put(token.raw, style);
  }
}

/** The target is always to be read, unless it is the text itself: what looks like one address must not lead to another. */
function link(token: Tokens.Link, style: StyleName, sink: Sink): void {
  const target = sanitizeLine(token.href);
  if (!LINKABLE.test(target)) {
    inlineAll(token.tokens, token.text, style, sink);
    sink.put(` (${target})`, "muted");
    return;
  }
  inlineAll(token.tokens, token.text, "link", sink);
  const text = decodeEntities(token.text);
  if (text !== target && `mailto:${text}` !== target && `http://${text}` !== target) sink.put(` (${target})`, "muted");
}
