import { createDeadline, err, invariant, ok, type Result } from "../../base/index.js";
import { findImports, findLost, type ImportSite, mayLose, type ParsedToken, type TokenKinds } from "./imports.js";
import type { ModuleExtension } from "./specifier.js";
import { reasonOf } from "./walk.js";

/** A place in a module; lines and columns count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A module as the engine runs it, on the author's lines. */
export interface StrippedModule {
  readonly code: string;
  readonly imports: readonly (TextPlace & { readonly specifier: string })[];
}

export interface ModuleProblem extends Partial<TextPlace> {
  readonly type: "syntax" | "construct" | "time";
  readonly words: string;
}

/** Turns modules into JavaScript. */
export interface Stripper {
  strip(text: string, extension: ModuleExtension): Result<StrippedModule, ModuleProblem>;
}

interface Parser {
  readonly transform: (text: string, options: { transforms: "typescript"[]; disableESTransforms: boolean }) => { readonly code: string };
  readonly parse: (text: string, jsx: boolean, typescript: boolean, flow: boolean) => { readonly tokens: readonly ParsedToken[] };
  readonly kinds: TokenKinds;
}

/** Of the parser: its kinds of tokens by name. */
type TokenTypes = Readonly<Record<string, number>>;

/** Loads the parser, which takes tens of milliseconds the first time: only for what the cache does not have. */
export async function loadStripper(): Promise<Stripper> {
  // Its modules are CommonJS: `default` is all of one, in Node and in a bundle alike.
  const [{ default: sucrase }, { default: inner }, { default: types }] = await Promise.all([
    import("sucrase"),
    // @ts-expect-error -- the package keeps the types of its inner modules elsewhere; `Parser` says what is used of this one
    import("sucrase/dist/parser/index.js") as Promise<{ readonly default: Pick<Parser, "parse"> }>,
    // @ts-expect-error -- as above
    import("sucrase/dist/parser/tokenizer/types.js") as Promise<{ readonly default: { readonly TokenType: TokenTypes } }>,
  ]);
  const { _import: importKind, _export: exportKind, string } = types.TokenType;
  invariant(importKind !== undefined && exportKind !== undefined && string !== undefined, "the parser names the kinds of its tokens");
  const parser: Parser = { transform: sucrase.transform, parse: inner.parse, kinds: { import: importKind, export: exportKind, string } };
  const deadline = createDeadline();
  return {
    strip(text, extension) {
      const work = (): StripResult => (extension === ".json" ? stripJson(parser, text) : stripScript(parser, text, extension));
      const ms = BASE_MS + Math.ceil((text.length / 1024) * MS_PER_KIB);
      return deadline.run(work, ms)?.value ?? err({ type: "time", words: `${String(ms)} ms` });
    },
  };
}

/** What parsing a module may take: generous for honest ones on a busy machine, short for those that are made to take long. */
const BASE_MS = 1_000;
const MS_PER_KIB = 4;

type StripResult = ReturnType<Stripper["strip"]>;

function stripScript(parser: Parser, text: string, extension: ModuleExtension): StripResult {
  try {
    const isTypeScript = extension === ".ts" || extension === ".mts";
    const lost = isTypeScript && mayLose(text) ? findLost(text, parser.parse(text, false, true, false).tokens, parser.kinds) : undefined;
    if (lost !== undefined) return err({ type: "construct", words: lost.words, ...placeOf(text, lost.offset) });
    const code = isTypeScript ? parser.transform(text, { transforms: ["typescript"], disableESTransforms: true }).code : text;
    const sites = findImports(code, parser.parse(code, false, false, false).tokens, parser.kinds);
    const lines = text.split("\n");
    const places = placesOf(code, sites);
    return ok({ code, imports: sites.map((site, index) => ({ specifier: site.specifier, ...authorsPlace(site, places[index], lines) })) });
  } catch (error) {
    return err(syntaxProblem(error));
  }
}

/** Lines up to this length are searched for a string; nobody counts columns in longer ones. */
const MAX_LINE = 2_000;

/** Removing types keeps lines and moves columns: the author's column is that of the same string in the author's line. */
function authorsPlace({ specifier }: ImportSite, place: TextPlace = { line: 1, column: 1 }, lines: readonly string[]): TextPlace {
  const line = lines[place.line - 1] ?? "";
  if (line.length > MAX_LINE) return place;
  const column = Math.max(line.indexOf(`"${specifier}"`), line.indexOf(`'${specifier}'`));
  return column === -1 ? place : { line: place.line, column: column + 1 };
}

const placeOf = (text: string, offset: number): TextPlace => placesOf(text, [{ offset }])[0] ?? { line: 1, column: 1 };

/** Places of offsets, which ascend: one walk through the text for all of them. */
function placesOf(text: string, sites: readonly { readonly offset: number }[]): readonly TextPlace[] {
  let line = 1;
  let lineStart = 0;
  return sites.map(({ offset }) => {
    for (let next = text.indexOf("\n", lineStart); next !== -1 && next < offset; next = text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = next + 1;
    }
    return { line, column: offset - lineStart + 1 };
  });
}

/** The text itself is what runs, read by the guest: a literal in its place would take `__proto__` for something else. */
function stripJson(parser: Parser, text: string): StripResult {
  try {
    JSON.parse(text);
    return ok({ code: `export default JSON.parse(${JSON.stringify(text)});\n`, imports: [] });
  } catch (error) {
    const words = reasonOf(error);
    return err({ ...jsonPlace(parser, text, words), type: "syntax", words: `${words}.` });
  }
}

/** Where the engine says so, in its words; else where the parser of scripts stumbles, JSON being JavaScript. */
function jsonPlace(parser: Parser, text: string, words: string): Partial<TextPlace> {
  const position = /at position (\d+)/u.exec(words)?.[1];
  if (position !== undefined) return placeOf(text, Number(position));
  try {
    parser.parse(`(${text}\n)`, false, false, false);
    return {};
  } catch (error) {
    const { line, column } = syntaxProblem(error);
    if (line === undefined || column === undefined) return {};
    return { line, column: line === 1 ? Math.max(1, column - 1) : column };
  }
}

function syntaxProblem(error: unknown): ModuleProblem {
  // The parser recurses: a text of ten thousand brackets is not worth more than these words.
  if (error instanceof RangeError) return { type: "syntax", words: "It is nested too deeply." };
  if (!(error instanceof SyntaxError)) throw error;
  const { loc } = error as { readonly loc?: TextPlace };
  const words = error.message.replace(/ \(\d+:\d+\)$/u, "");
  return { type: "syntax", words: `${words}.`, ...(loc === undefined ? {} : { line: loc.line, column: loc.column }) };
}
