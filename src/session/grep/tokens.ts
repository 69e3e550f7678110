/** One piece of a pattern's source. `literal` stands for exactly one character; `escape` consumes one that is not known; */
export interface Token {
  readonly type: "literal" | "class" | "escape" | "assertion" | "dot" | "open" | "close" | "or" | "quantifier" | "other";
  readonly text: string;
  /** Of a literal: the character it stands for. */
  readonly char?: string;
}

const OPEN = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/uy;
const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|k<[^>]*>|[0-9]+|.)/suy;
const QUANTIFIER = /(?:[*+?]|\{[^}]*\}|\{)\??/uy;
/** Escapes that stand for a place, or for what a group took. */
const PLACE = /^\\(?:[bBk]|[1-9])/u;

/** Splits the source of a valid pattern into pieces; joined they are the source again. Not for patterns with flag `v`. */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let pos = 0; pos < source.length;) {
    const token = tokenAt(source, pos);
    tokens.push(token);
    pos += token.text.length;
  }
  return tokens;
}

function tokenAt(source: string, pos: number): Token {
  const char = String.fromCodePoint(source.codePointAt(pos) ?? 0);
  switch (char) {
    case "\\":
      return escapeAt(source, pos);
    case "[":
      return { type: "class", text: classAt(source, pos) };
    case "(":
      return { type: "open", text: stickyAt(OPEN, source, pos) };
    case ")":
      return { type: "close", text: char };
    case "|":
      return { type: "or", text: char };
    case ".":
      return { type: "dot", text: char };
    case "^":
    case "$":
      return { type: "assertion", text: char };
    case "*":
    case "+":
    case "?":
    case "{":
      return { type: "quantifier", text: stickyAt(QUANTIFIER, source, pos) };
    case "]":
    case "}":
      return { type: "other", text: char };
    default:
      return { type: "literal", text: char, char };
  }
}

function escapeAt(source: string, pos: number): Token {
  const escaped = source[pos + 1] ?? "";
  if (/[^\p{L}\p{N}\p{Surrogate}]/u.test(escaped)) return { type: "literal", text: `\\${escaped}`, char: escaped };
  const text = stickyAt(ESCAPE, source, pos);
  return { type: PLACE.test(text) ? "assertion" : "escape", text };
}

function classAt(source: string, pos: number): string {
  for (let at = pos + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "]") return source.slice(pos, at + 1);
  }
  return source.slice(pos);
}

function stickyAt(pattern: RegExp, source: string, pos: number): string {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = pos;
  return sticky.exec(source)?.[0] ?? source.slice(pos, pos + 1);
}
