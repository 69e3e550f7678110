import type { Token } from "./tokens.js";
import { tokensOf } from "./tokens.js";

const SHORTEST = 2;
/** Texts looked for at once; more cost more than they save. */
const MOST = 8;

/** Bytes of which every matching text contains at least one. Compared with ASCII letters in lower case when `isFolded`. */
export interface Required {
  readonly literals: readonly Buffer[];
  readonly isFolded: boolean;
}

/**
 * What every match of `pattern` contains, to look for before anything is decoded; `undefined` when there is nothing to be sure
 * of. Understands plain runs between classes, escapes and groups, and alternatives.
 */
export function requiredLiterals(pattern: RegExp): Required | undefined {
  if (pattern.flags.includes("v")) return undefined;
  const isFolded = pattern.ignoreCase;
  const literals: Buffer[] = [];
  for (const alternative of alternativesOf(tokensOf(pattern.source))) {
    const longest = runsOf(alternative, pattern).reduce((best, run) => (run.length > best.length ? run : best), "");
    // Bytes of a lone surrogate are never stored: such a pattern is left to the full search.
    if (longest.length < SHORTEST || /\p{Surrogate}/u.test(longest)) return undefined;
    literals.push(Buffer.from(isFolded ? longest.toLowerCase() : longest, "utf8"));
  }
  return literals.length <= MOST ? { literals, isFolded } : undefined;
}

/** Top-level alternatives, every group in them reduced to one piece that says nothing. */
function alternativesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  let current: Token[] = [];
  const alternatives = [current];
  let depth = 0;
  for (const token of tokens) {
    if (token.type === "open") depth += 1;
    else if (token.type === "close") depth -= 1;
    if (token.type === "or" && depth === 0) alternatives.push((current = []));
    else if (depth === 0) current.push(token);
  }
  return alternatives;
}

/** Runs of characters that stand side by side in every match. */
function runsOf(tokens: readonly Token[], pattern: RegExp): readonly string[] {
  const runs: string[] = [];
  let run = "";
  for (const [index, { char }] of tokens.entries()) {
    // What may be missing or repeated ends the run before it.
    const isPlain = char !== undefined && tokens[index + 1]?.type !== "quantifier";
    if (isPlain && (!pattern.ignoreCase || hasAsciiCase(char, pattern))) run += char;
    else {
      runs.push(run);
      run = "";
    }
  }
  return [...runs, run];
}

/** Whether the character has no other cases than ASCII ones. With flag `u`, k and s have: the Kelvin sign and the long s. */
const hasAsciiCase = (char: string, { unicode }: RegExp): boolean => char < "\u0080" && !(unicode && /[ks]/iu.test(char));
