/** Characters that mean more than themselves in a pattern. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/u;
const QUANTIFIER = /[*+?{]/u;
const SHORTEST = 2;

/**
 * A text that every match of `pattern` contains, as bytes to look for before anything is decoded; `undefined` when there
 * is none to be sure of. Understands plain runs between simple classes and escapes; gives up on groups and alternatives.
 */
export function requiredLiteral(pattern: RegExp): Buffer | undefined {
  if (pattern.ignoreCase || pattern.flags.includes("v") || /[(|]/u.test(pattern.source)) return undefined;
  let best = "";
  for (const run of plainRuns(pattern.source)) if (run.length > best.length) best = run;
  // Bytes of a lone surrogate are never stored: such a pattern is left to the full search.
  return best.length >= SHORTEST && !/\p{Surrogate}/u.test(best) ? Buffer.from(best, "utf8") : undefined;
}

function plainRuns(source: string): readonly string[] {
  const runs: string[] = [];
  let run = "";
  const end = (): void => {
    runs.push(run);
    run = "";
  };
  for (let pos = 0; pos < source.length;) {
    const token = tokenAt(source, pos);
    pos += token.length;
    const next = source[pos] ?? "";
    if (token.literal === undefined) {
      end();
    } else if (QUANTIFIER.test(next)) {
      // What may be missing or repeated ends the run before it.
      end();
    } else {
      run += token.literal;
    }
    if (QUANTIFIER.test(next)) pos = afterQuantifier(source, pos);
  }
  end();
  return runs;
}

interface Token {
  readonly length: number;
  /** The character it stands for, when it stands for exactly one. */
  readonly literal: string | undefined;
}

function tokenAt(source: string, pos: number): Token {
  const char = String.fromCodePoint(source.codePointAt(pos) ?? 0);
  if (char === "[") return { length: classLength(source, pos), literal: undefined };
  if (char !== "\\") return { length: char.length, literal: SPECIAL.test(char) ? undefined : char };
  const escaped = source[pos + 1] ?? "";
  if (/[^\p{L}\p{N}]/u.test(escaped)) return { length: 2, literal: escaped };
  return { length: escapeLength(source, pos), literal: undefined };
}

function classLength(source: string, pos: number): number {
  for (let at = pos + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "]") return at + 1 - pos;
  }
  return source.length - pos;
}

const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|k<[^>]*>|[0-9]+|.)/suy;

function escapeLength(source: string, pos: number): number {
  const escape = new RegExp(ESCAPE);
  escape.lastIndex = pos;
  return escape.exec(source)?.[0].length ?? 2;
}

const QUANTITY = /(?:[*+?]|\{[^}]*\})\??/uy;

function afterQuantifier(source: string, pos: number): number {
  const quantity = new RegExp(QUANTITY);
  quantity.lastIndex = pos;
  return pos + (quantity.exec(source)?.[0].length ?? 1);
}
