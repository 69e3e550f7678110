import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, GrepInput } from "../../schema/index.js";
import { badPattern } from "./failures.js";

export interface LinePattern {
  /** Where the first match in the line starts; -1 when there is none. */
  search(line: string): number;
  /** Text that every matching line holds, when known: lets whole files be passed over. */
  readonly needle: string | undefined;
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
  const source = bare.replace(/\[:([a-z]+):\]/gu, (whole, name: string) => POSIX_CLASSES[name] ?? whole);
  return { source, ignoreCase: inline?.[1]?.includes("i") ?? false };
}

/**
 * A pattern as typed: literal, or a JavaScript regular expression, with Unicode rules when it is valid under them and
 * without otherwise. A leading `(?i)` and POSIX class names work as in other tools.
 */
export function compileLinePattern(input: GrepInput): Result<LinePattern, Diagnostic> {
  const { source, ignoreCase } =
    input.literal === true ? { source: escapeRegExp(input.pattern), ignoreCase: false } : expand(input.pattern);
  const isFolded = ignoreCase || input.ignoreCase === true;
  const compiled = compileEither(source, isFolded ? "i" : "");
  if (!compiled.ok) return err(badPattern(input.pattern, compiled.error));
  const isPlain = input.literal === true || !/[\\^$.*+?()[\]{}|]/u.test(input.pattern);
  const expression = compiled.value;
  return ok({
    search: (line) => line.search(expression),
    needle: isPlain && !isFolded && input.pattern !== "" ? input.pattern : undefined,
    spansLines: input.literal === true ? input.pattern.includes("\n") : /\n|(?<!\\)(?:\\\\)*\\n/u.test(input.pattern),
  });
}

function compileEither(source: string, flags: string): Result<RegExp, string> {
  try {
    return ok(new RegExp(source, `${flags}u`));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return ok(new RegExp(source, flags));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return err(error.message.replace(/^Invalid regular expression: /u, ""));
  }
}
