/** A word of a command as the program gets it. */
export interface Word {
  readonly text: string;
  /** Some of it was quoted, so that nothing in it is a pattern of file names. */
  readonly isQuoted: boolean;
}

/** What of a command line is understood. */
export interface CommandLine {
  /** Its simple commands in their order, each at least one word. */
  readonly commands: readonly (readonly Word[])[];
  /** It does more than run them one after the other: what they do cannot be said from their words. */
  readonly isComplex: boolean;
}

/** Redirections that lose or join output and change no file. */
const HARMLESS = /(?:[0-9]*>&[0-9]|[0-9]*>>?[ \t]*\/dev\/null|&>>?[ \t]*\/dev\/null|<[ \t]*\/dev\/null)(?=[\s;&|]|$)/uy;
/** Substitution, grouping, redirection. */
const BEYOND = new Set(["$", "`", "(", ")", "{", "}", "<", ">"]);

/** Words that are grammar, or begin it, where a command's name would be. */
const RESERVED = new Set("if then elif else fi for while until do done case esac select function time coproc ! [[ ]]".split(" "));
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/u;

interface Reading {
  readonly line: string;
  at: number;
  word: Word | undefined;
  words: Word[];
  readonly commands: (readonly Word[])[];
  isComplex: boolean;
}

/**
 * Splits a line for sh into simple commands. Understood are words, quotes, backslashes, the separators `&&`, `||`, `;`, `|`, `&` and
 * newlines, and redirections to /dev/null or another descriptor; with anything else in it the line is complex.
 */
export function readCommandLine(line: string): CommandLine {
  const reading: Reading = { line, at: 0, word: undefined, words: [], commands: [], isComplex: false };
  while (reading.at < line.length && !reading.isComplex) step(reading);
  endCommand(reading);
  const { commands, isComplex } = reading;
  return { commands, isComplex: isComplex || commands.some(isBeyond) };
}

function step(reading: Reading): void {
  const character = reading.line.charAt(reading.at);
  if (mayRedirect(character, reading.word) && take(reading, HARMLESS)) endWord(reading);
  else if (character === " " || character === "\t") {
    reading.at += 1;
    endWord(reading);
  } else if (character === ";" || character === "&" || character === "|" || character === "\n") separator(reading, character);
  else if (character === "'") single(reading);
  else if (character === '"') double(reading);
  else if (character === "\\") escape(reading);
  else plain(reading, character);
}

/** Asked for each character, so that the pattern is tried where it can fit only. */
const mayRedirect = (character: string, word: Word | undefined): boolean =>
  character === "<" || character === ">" || (word === undefined && (character === "&" || (character >= "0" && character <= "9")));

/** `;`, `&`, `|`, a newline, `&&`, `||` and `|&`. */
function separator(reading: Reading, character: string): void {
  const next = reading.line.charAt(reading.at + 1);
  const isDouble = (next === character && (character === "&" || character === "|")) || (character === "|" && next === "&");
  reading.at += isDouble ? 2 : 1;
  endCommand(reading);
}

/** A run of characters that mean themselves, outside of quotes and inside of double ones. */
const PLAIN = /[^\s'"\\$`(){}<>;&|#\u0000-\u001f\u007f]+/uy;
const DOUBLE_PLAIN = /(?:[^"\\$`]|\\[^"\\$`\n])+/uy;

function plain(reading: Reading, character: string): void {
  const from = reading.at;
  if (take(reading, PLAIN)) {
    add(reading, reading.line.slice(from, reading.at), false);
    return;
  }
  const isControl = character < " " || character === "\u007f";
  if (BEYOND.has(character) || isControl || (character === "#" && reading.word === undefined)) reading.isComplex = true;
  add(reading, character, false);
  reading.at += 1;
}

function escape(reading: Reading): void {
  const next = reading.line.charAt(reading.at + 1);
  if (next === "") reading.isComplex = true;
  else if (next !== "\n") add(reading, next, true);
  reading.at += 2;
}

function single(reading: Reading): void {
  const end = reading.line.indexOf("'", reading.at + 1);
  add(reading, reading.line.slice(reading.at + 1, end < 0 ? undefined : end), true);
  reading.isComplex ||= end < 0;
  reading.at = end < 0 ? reading.line.length : end + 1;
}

function double(reading: Reading): void {
  const { line } = reading;
  let text = "";
  reading.at += 1;
  while (reading.at < line.length && line.charAt(reading.at) !== '"') {
    const from = reading.at;
    if (take(reading, DOUBLE_PLAIN)) {
      text += line.slice(from, reading.at);
      continue;
    }
    const character = line.charAt(from);
    const next = line.charAt(from + 1);
    reading.isComplex ||= character === "$" || character === "`";
    const isEscape = character === "\\" && next !== "" && '$`"\\\n'.includes(next);
    if (!isEscape) text += character;
    else if (next !== "\n") text += next;
    reading.at += isEscape ? 2 : 1;
  }
  add(reading, text, true);
  reading.isComplex ||= reading.at >= line.length;
  reading.at += 1;
}

function add(reading: Reading, text: string, isQuoted: boolean): void {
  const { word } = reading;
  reading.word = { text: (word?.text ?? "") + text, isQuoted: isQuoted || word?.isQuoted === true };
}

function endWord(reading: Reading): void {
  if (reading.word !== undefined) reading.words.push(reading.word);
  reading.word = undefined;
}

function endCommand(reading: Reading): void {
  endWord(reading);
  if (reading.words.length > 0) reading.commands.push(reading.words);
  reading.words = [];
}

function take(reading: Reading, pattern: RegExp): boolean {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.line)?.[0];
  reading.at += found?.length ?? 0;
  return found !== undefined;
}

/** Grammar, an assignment or a pattern where the name of a program should be. */
function isBeyond([first]: readonly Word[]): boolean {
  const name = first?.text ?? "";
  return name === "" || RESERVED.has(name) || ASSIGNMENT.test(name) || /[*?[\]~]/u.test(name);
}

const SAFE = /^[A-Za-z0-9_@%+=:,./-]+$/u;

/** One spelling for each command: words with one blank between them, quoted only where it makes a difference. */
export const spell = (words: readonly Word[]): string => words.map(spellWord).join(" ");

const spellWord = ({ text, isQuoted }: Word): string => (!isQuoted || SAFE.test(text) ? text : `'${text.replace(/'/gu, "'\\''")}'`);
