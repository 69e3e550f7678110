/**
 * What can be told of a regular expression from its source, token by token: texts that every match holds, and a form that
 * never matches over a line end. Both only ever let more through; the whole expression decides afterwards.
 */

type Token =
  | { readonly type: "text"; readonly text: string }
  /** `[...]`, whole. */
  | { readonly type: "class"; readonly text: string }
  /** `\w`, `\b`, `\1`, `.`, `^`, `$`. */
  | { readonly type: "other"; readonly text: string }
  /** `isLook`: looks around without taking anything. */
  | { readonly type: "open"; readonly text: string; readonly isLook: boolean }
  | { readonly type: "close" | "bar"; readonly text: string }
  | { readonly type: "quantifier"; readonly text: string; readonly isOptional: boolean };

const OPEN = /^\((?:\?(?::|<?[=!]|<[^>=!]+>))?/u;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/u;
/** Escapes that stand for one known character are read; of the longer ones only the extent is. */
const ESCAPE = /^\\(?:x[\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|c[A-Za-z]|k<[^>]+>|[pP]\{[^}]*\}|\d+|.)/su;
const CLASS = /^\[(?:\\.|[^\\\]])*\]/su;
/** Punctuation that is escaped to be meant as it is. */
const PLAIN_ESCAPE = /^\\[^\w\s]$/u;

function tokenAt(source: string): Token {
  const first = source[0] ?? "";
  switch (first) {
    case "\\": {
      const text = ESCAPE.exec(source)?.[0] ?? first;
      return PLAIN_ESCAPE.test(text) ? { type: "text", text: text.slice(1) } : { type: "other", text };
    }
    case "[":
      return { type: "class", text: CLASS.exec(source)?.[0] ?? source };
    case "(": {
      const text = OPEN.exec(source)?.[0] ?? first;
      return { type: "open", text, isLook: /^\(\?<?[=!]/u.test(text) };
    }
    case ")":
      return { type: "close", text: first };
    case "|":
      return { type: "bar", text: first };
    default:
      return simpleTokenAt(source, first);
  }
}

function simpleTokenAt(source: string, first: string): Token {
  if (".^$".includes(first)) return { type: "other", text: first };
  const quantifier = QUANTIFIER.exec(source)?.[0];
  if (quantifier !== undefined) return { type: "quantifier", text: quantifier, isOptional: /^[*?]|^\{0/u.test(quantifier) };
  return { type: "text", text: String.fromCodePoint(source.codePointAt(0) ?? 0) };
}

function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let rest = source; rest !== "";) {
    const token = tokenAt(rest);
    tokens.push(token);
    // A plain escape is shorter as text than it was written.
    rest = rest.slice(token.type === "text" && rest.startsWith("\\") ? 2 : token.text.length);
  }
  return tokens;
}

const MAX_NEEDLES = 8;

/** Texts of which every match holds one, or undefined where there is no such set: `foo\w+|ba(r|z)` gives `foo` and `ba`. */
export function needlesOf(source: string): readonly string[] | undefined {
  const needles: string[] = [];
  for (const branch of branchesOf(tokensOf(source))) {
    const longest = longestRun(branch);
    if (longest === "") return undefined;
    needles.push(longest);
  }
  return needles.length > MAX_NEEDLES ? undefined : needles;
}

/** Alternatives of the whole expression; a group in them is one token that says nothing. */
function branchesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  let branch: Token[] = [];
  const branches = [branch];
  let depth = 0;
  for (const token of tokens) {
    if (token.type === "open") depth += 1;
    if (token.type === "close") depth -= 1;
    if (depth === 0 && token.type === "bar") branches.push((branch = []));
    else if (depth === 0) branch.push(token);
  }
  return branches;
}

/** The longest text that is in every match of the branch. */
function longestRun(branch: readonly Token[]): string {
  let longest = "";
  let run = "";
  for (const token of [...branch, undefined]) {
    if (token?.type === "text") {
      run += token.text;
      continue;
    }
    if (token?.type === "quantifier" && token.isOptional) run = withoutLast(run);
    if (run.length > longest.length) longest = run;
    run = "";
  }
  return longest;
}

const withoutLast = (text: string): string => Array.from(text).slice(0, -1).join("");

/** Classes that hold a line end, and the same without it. */
const WITHOUT_LINE_END: Readonly<Record<string, string>> = { "\\s": "[^\\S\\n]", "\\W": "[^\\w\\n]", "\\D": "[^\\d\\n]" };
const KNOWN_ESCAPE = /^\\[wdSbBt\d]/u;
/** Between brackets: classes and ranges that may hold a line end. */
const MAY_HOLD_LINE_END = /\\[sWDnrvfxucpPk0]|[\0-\x1f]|[^\\]-(?=[^\]])/u;
const SIMPLE_RANGE = /[a-zA-Z0-9]-[a-zA-Z0-9]/gu;

/**
 * The expression for whole texts instead of lines: it matches at least wherever the given one matches in a line alone, and never over a
 * line end. Undefined where that cannot be told, as with what looks around.
 */
export function sourceWithinLines(source: string): string | undefined {
  let result = "";
  let offset = 0;
  for (const token of tokensOf(source)) {
    const written = token.type === "text" && source[offset] === "\\" ? `\\${token.text}` : token.text;
    offset += written.length;
    const within = withinLine(token, written);
    if (within === undefined) return undefined;
    result += within;
  }
  return result;
}

function withinLine(token: Token, written: string): string | undefined {
  switch (token.type) {
    case "open":
      return token.isLook ? undefined : written;
    case "class": {
      if (written.startsWith("[^")) return written === "[^]" ? undefined : `${written.slice(0, -1)}\\n]`;
      return MAY_HOLD_LINE_END.test(written.replace(SIMPLE_RANGE, "")) ? undefined : written;
    }
    case "other": {
      if (!written.startsWith("\\")) return written;
      return WITHOUT_LINE_END[written] ?? (KNOWN_ESCAPE.test(written) ? written : undefined);
    }
    case "text":
      return /[\r\n]/u.test(written) ? undefined : written;
    case "close":
    case "bar":
    case "quantifier":
      return written;
  }
}
