import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, GrepInput } from "../../../schema/index.js";
import { badPattern } from "../failures.js";
import { needlesOf, sourceWithinLines } from "./source.js";

export interface LinePattern {
  /** Where the first match in the line starts; -1 when there is none. */
  readonly search: (line: string) => number;
  /** Every text that matches holds one of these, when known: lets whole files be passed over before they are decoded. */
  readonly needles: readonly Buffer[] | undefined;
  /** The whole of what is looked for, where that is a text and nothing else. */
  readonly literal: string | undefined;
  /** Finds in a whole text every line that may match; global. */
  readonly candidates: RegExp | undefined;
  /** Matches over lines; global. Set in multiline mode alone. */
  readonly whole: RegExp | undefined;
  /** Asks for a line end and is matched line by line. */
  readonly spansLines: boolean;
}

/** Class names of POSIX, which models know from grep and which JavaScript would silently read as letters. */
const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: " \\t",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");

function expand(pattern: string): { readonly source: string; readonly ignoreCase: boolean } {
  const inline = /^\(\?([ims]+)\)/u.exec(pattern);
  const bare = inline === null ? pattern : pattern.slice(inline[0].length);
  const source = bare
    .replace(/\[:([a-z]+):\]/gu, (whole, name: string) => POSIX_CLASSES[name] ?? whole)
    .replace(/\\.|\(\?P<(?=[A-Za-z_])/gsu, (whole) => (whole === "(?P<" ? "(?<" : whole));
  return { source, ignoreCase: inline?.[1]?.includes("i") ?? false };
}

/**
 * A pattern as typed: literal, or a JavaScript regular expression, with Unicode rules when it is valid under them and
 * without otherwise. A leading `(?i)` and POSIX class names work as in other tools.
 */
export function compileLinePattern(input: GrepInput): Result<LinePattern, Diagnostic> {
  const isLiteral = input.literal === true;
  const { source, ignoreCase } = isLiteral ? { source: escapeRegExp(input.pattern), ignoreCase: false } : expand(input.pattern);
  const isFolded = ignoreCase || input.ignoreCase === true;
  const isMultiline = input.multiline === true;
  const base = compileEither(source, isFolded ? "i" : "");
  if (!base.ok) return err(badPattern(input.pattern, base.error));
  const { flags } = base.value;
  const wanted = input.word === true ? asWord(source, flags) : source;
  const expression = new RegExp(wanted, flags);
  return ok({
    search: (line) => line.search(expression),
    ...plainOf(input, source, isFolded),
    candidates: withinLines(source, flags),
    whole: isMultiline ? new RegExp(wanted, `${flags}gms`) : undefined,
    spansLines: !isMultiline && (isLiteral ? input.pattern.includes("\n") : /\n|(?<!\\)(?:\\\\)*\\n/u.test(input.pattern)),
  });
}

/** What is known of a pattern as text. */
function plainOf(input: GrepInput, source: string, isFolded: boolean): Pick<LinePattern, "needles" | "literal"> {
  if (isFolded || input.pattern === "") return { needles: undefined, literal: undefined };
  const isPlain = input.literal === true || !/[\\^$.*+?()[\]{}|]/u.test(input.pattern);
  return {
    needles: asBytes(isPlain ? [input.pattern] : needlesOf(source)),
    literal: isPlain && input.word !== true ? input.pattern : undefined,
  };
}

/** No letter, digit or underscore directly before or after. */
const asWord = (source: string, flags: string): string =>
  flags.includes("u") ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : `(?<!\\w)(?:${source})(?!\\w)`;

/** Only texts whose bytes stand for them alone: what is no Unicode reads as U+FFFD and is found by it. */
function asBytes(texts: readonly string[] | undefined): readonly Buffer[] | undefined {
  if (texts === undefined || texts.some((text) => text === "" || text.includes("\ufffd") || /[\ud800-\udfff]/u.test(text)))
    return undefined;
  return texts.map((text) => Buffer.from(text, "utf8"));
}

function withinLines(source: string, flags: string): RegExp | undefined {
  const within = sourceWithinLines(source);
  if (within === undefined) return undefined;
  try {
    return new RegExp(within, `${flags}gm`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/**
 * An escape of other dialects, such as `\A`, `\h` or `\Q`. Without Unicode rules JavaScript takes it for the letter alone, so that
 * a search would find nothing and say so.
 */
function foreignEscape(source: string): string | undefined {
  for (const [escape] of source.matchAll(/\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[A-Za-z]|.)/gsu))
    if (/^\\[A-Za-z]$/u.test(escape) && !/^\\[bBdDfknrsStvwW]$/u.test(escape)) return escape;
  return undefined;
}

function compileEither(source: string, flags: string): Result<RegExp, string> {
  try {
    return ok(new RegExp(source, `${flags}u`));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const foreign = foreignEscape(source);
  if (foreign !== undefined) return err(`${foreign} means nothing in it`);
  try {
    return ok(new RegExp(source, flags));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return err(error.message.replace(/^Invalid regular expression: /u, ""));
  }
}
