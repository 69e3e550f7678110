/** One import of a module, where it stands in the parsed text. */
export interface ImportSite {
  /** As written, without its quotes. */
  readonly specifier: string;
  /** Offset of the opening quote. */
  readonly offset: number;
}

/** What of the parser's tokens is looked at. */
export interface ParsedToken {
  readonly type: number;
  readonly start: number;
  readonly end: number;
  /** Part of a type, which is removed. */
  readonly isType: boolean;
}

/** Numbers the parser gives to some kinds of tokens. They are its own business, so they are passed in. */
export interface TokenKinds {
  readonly import: number;
  readonly export: number;
  readonly string: number;
}

interface Reading {
  readonly text: string;
  readonly tokens: readonly ParsedToken[];
  readonly kinds: TokenKinds;
}

/**
 * The imports in the tokens of a parsed JavaScript module: `import` and `export … from` with every clause, and `import()` of a plain
 * string. The parser calls keywords that stand as names of properties names, and names of exports written as strings too, so
 * that only real ones are met here.
 */
export function findImports(text: string, tokens: readonly ParsedToken[], kinds: TokenKinds): readonly ImportSite[] {
  const reading: Reading = { text, tokens, kinds };
  return tokens.flatMap(({ type }, index) => {
    const found = type === kinds.import ? imported(reading, index) : type === kinds.export ? exported(reading, index) : undefined;
    return found === undefined ? [] : [{ specifier: text.slice(found.start + 1, found.end - 1), offset: found.start }];
  });
}

function imported(reading: Reading, index: number): ParsedToken | undefined {
  switch (wordAt(reading, index + 1)) {
    case "(":
      // Anything but one string is known at run time only, and refused there.
      return [")", ","].includes(wordAt(reading, index + 3)) ? stringAt(reading, index + 2) : undefined;
    case ".":
      return undefined;
    default:
      return stringAt(reading, index + 1) ?? stringAfterFrom(reading, index + 1);
  }
}

function exported(reading: Reading, index: number): ParsedToken | undefined {
  const word = wordAt(reading, index + 1);
  if (word === "*") return stringAfterFrom(reading, index + 2);
  if (word !== "{") return undefined;
  let end = index + 2;
  while (end < reading.tokens.length && wordAt(reading, end) !== "}") end += 1;
  return wordAt(reading, end + 1) === "from" ? stringAt(reading, end + 2) : undefined;
}

function stringAfterFrom(reading: Reading, start: number): ParsedToken | undefined {
  for (let index = start; index < reading.tokens.length; index += 1) {
    const string = wordAt(reading, index) === "from" ? stringAt(reading, index + 1) : undefined;
    if (string !== undefined) return string;
  }
  return undefined;
}

const stringAt = ({ tokens, kinds }: Reading, index: number): ParsedToken | undefined => {
  const token = tokens[index];
  return token?.type === kinds.string ? token : undefined;
};

function wordAt({ text, tokens }: Reading, index: number): string {
  const token = tokens[index];
  return token === undefined ? "" : text.slice(token.start, token.end);
}

/** A construct of TypeScript that is more than types and that removing types would silently lose. */
export interface LostConstruct {
  readonly words: string;
  readonly offset: number;
}

/** Cheap and too generous: most modules are told apart without their tokens. */
export const mayLose = (text: string): boolean => /\b(?:namespace|module)\s+[\p{L}_$]|\b(?:export|import)\b[^\n;{}'"`]{0,200}=/u.test(text);

/** Namespaces with a body, `export =` and `import x = …`, in the tokens of a parsed TypeScript module. */
export function findLost(text: string, tokens: readonly ParsedToken[], kinds: TokenKinds): LostConstruct | undefined {
  const reading: Reading = { text, tokens, kinds };
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    const word = wordAt(reading, index);
    if (token.isType && BLOCKS.has(word) && wordAt(reading, index - 1) === "declare") index = endOfBlock(reading, index);
    else if (token.type === kinds.export && wordAt(reading, index + 1) === "=") return { words: "`export =`", offset: token.start };
    else if (token.type === kinds.import && isAssigned(reading, index)) return { words: "`import … =`", offset: token.start };
    else if (token.isType && isNamespace(reading, index)) return { words: "a namespace", offset: token.start };
  }
  return undefined;
}

const isAssigned = (reading: Reading, index: number): boolean =>
  wordAt(reading, index + 2) === "=" || (wordAt(reading, index + 1) === "type" && wordAt(reading, index + 3) === "=");

const isNamespace = (reading: Reading, index: number): boolean =>
  ["namespace", "module"].includes(wordAt(reading, index)) &&
  /^[\p{L}_$]/u.test(wordAt(reading, index + 1)) &&
  ["{", "."].includes(wordAt(reading, index + 2));

/** What `declare` may put before a block. */
const BLOCKS: ReadonlySet<string> = new Set(["namespace", "module", "global"]);

/** Last token of the block that a declaration opens after its name; `index` itself where it opens none. */
function endOfBlock(reading: Reading, index: number): number {
  let at = index + 1;
  while (/^[\p{L}_$."']/u.test(wordAt(reading, at)) && !BLOCKS.has(wordAt(reading, at))) at += 1;
  if (wordAt(reading, at) !== "{") return index;
  for (let depth = 0; at < reading.tokens.length; at += 1) {
    const word = wordAt(reading, at);
    if (word === "{") depth += 1;
    if (word === "}" && (depth -= 1) === 0) return at;
  }
  return index;
}
