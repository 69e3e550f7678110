import { readCommandLine, spell, type Word } from "./command-line.js";
import { type TextMatcher, textMatcher } from "../glob.js";
import { namedPath } from "../paths.js";
import { reachesBeyond } from "./reach.js";

/** Programs that run what their words say. */
const RUNNERS = new Set(
  (
    "sudo doas su env xargs nohup time timeout nice ionice stdbuf setsid watch command builtin exec eval find parallel chroot strace " +
    "sh bash dash zsh ksh ash fish busybox"
  ).split(" "),
);

/** Levels of shells in shells that are looked into, and pieces of one line. More than that counts as anything. */
const MAX_DEPTH = 3;
const MAX_PIECES = 4_000;
const MAX_RUN_WORDS = 64;

/** Whether a pattern is about a command; one that ends with a blank and `*` is also about it without arguments. */
export function commandMatcher(pattern: string): TextMatcher {
  const matches = textMatcher(pattern);
  if (!pattern.endsWith(" *")) return matches;
  const bare = textMatcher(pattern.slice(0, -2));
  return (command) => matches(command) || bare(command);
}

/** Whether a rule that allows is about a command. What its open end can mean ends where a command begins to do something else. */
export function allowedCommand(pattern: string): TextMatcher {
  const matches = commandMatcher(pattern);
  if (!pattern.endsWith(" *")) return matches;
  return (command) => matches(command) && !readCommandLine(command).commands.some((words) => reachesBeyond(words, pattern));
}

/** What is left to be allowed of a line by rules of commands; undefined when rules of commands cannot allow it at all. */
export function commandsToAllow(line: string, cwd: string, start: string): readonly string[] | undefined {
  const { commands, isComplex } = readCommandLine(line);
  if (isComplex || commands.length === 0) return undefined;
  const left: string[] = [];
  let folder = insideOf(cwd, start);
  if (folder === undefined) return undefined;
  for (const words of commands) {
    const next = moveOf(words, folder, cwd);
    if (next === undefined) left.push(spell(words));
    else folder = next;
  }
  // To go to a folder and do nothing there is a command like any other.
  return left.length === 0 ? commands.map(spell) : left;
}

/** The folder, absolute, when it is in the workspace. */
function insideOf(cwd: string, folder: string): string | undefined {
  const { absolute, relative } = namedPath(cwd, folder);
  return relative === undefined ? undefined : absolute;
}

/** Where a plain `cd` to a folder of the workspace leads: what a command is allowed to do it may do in each of them. */
function moveOf([program, target, ...more]: readonly Word[], folder: string, cwd: string): string | undefined {
  if (program?.text !== "cd" || target === undefined || more.length > 0 || !/^[^-~*?[]/u.test(target.text)) return undefined;
  return insideOf(cwd, namedPath(folder, target.text).absolute);
}

/** Everything of a line a rule that denies or asks may be about; undefined when it is too much to look at. */
export function commandsIn(line: string): readonly string[] | undefined {
  const found = new Set<string>();
  collect(line, 0, found);
  return found.size > MAX_PIECES ? undefined : [...found];
}

function collect(line: string, depth: number, found: Set<string>): void {
  if (depth > MAX_DEPTH || found.size > MAX_PIECES) return;
  const read = readCommandLine(line);
  found.add(line.trim());
  if (read.isComplex) collectLoosely(line, depth, found);
  else for (const words of read.commands) collectCommand(words, depth, found);
}

function collectCommand(words: readonly Word[], depth: number, found: Set<string>): void {
  const from = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const own = from < 0 ? [] : words.slice(from);
  addSpellings(own, found);
  if (!RUNNERS.has(baseName(own[0]?.text ?? ""))) return;
  // What such a program runs may begin at any of its words, and a word may be a line of its own.
  for (let at = 1; at < Math.min(own.length, MAX_RUN_WORDS); at += 1) addSpellings(own.slice(at), found);
  for (const { text } of own.slice(1)) if (/[\s;&|]/u.test(text)) collect(text, depth + 1, found);
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/u;

function addSpellings(words: readonly Word[], found: Set<string>): void {
  const [program, ...rest] = words;
  if (program === undefined) return;
  const isQuoted = words.some((word) => word.isQuoted);
  const named = program.text.includes("/") ? [words, [{ ...program, text: baseName(program.text) }, ...rest]] : [words];
  for (const one of named) {
    found.add(spell(one));
    if (isQuoted) found.add(one.map(({ text }) => text).join(" "));
  }
}

const baseName = (program: string): string => program.slice(program.lastIndexOf("/") + 1);

/**
 * Commands as well as they can be seen in a line that is not understood: whatever stands between the marks of its grammar. Such a line
 * may hold a whole file, so that each of its pieces costs little.
 */
function collectLoosely(line: string, depth: number, found: Set<string>): void {
  const plain = without(line, QUOTES, "").replace(/[<>]+&?[ \t]*[^\s;&|(){}`]*/gu, " ");
  for (const piece of without(plain, MARKS, "\n").split("\n")) {
    const command = singleBlanks(piece.trim());
    const program = command.slice(0, (command.indexOf(" ") + 1 || command.length + 1) - 1);
    if (found.size > MAX_PIECES) return;
    if (command === "") continue;
    found.add(command);
    if (RUNNERS.has(baseName(program)) || BEFORE_COMMANDS.has(program) || program.includes("=") || program.includes("/"))
      collectCommand(wordsOf(command.replace(GRAMMAR, "")), depth, found);
  }
}

const QUOTES = ["'", '"', "\\"];
const MARKS = [";", "&", "|", "(", ")", "{", "}", "`", "$"];

/** The engine of the sandbox takes long for each match of a pattern that is replaced, and nothing for texts. */
const without = (text: string, parts: readonly string[], instead: string): string =>
  parts.reduce((left, part) => left.replaceAll(part, instead), text);

function singleBlanks(text: string): string {
  let single = text.replaceAll("\t", " ");
  while (single.includes("  ")) single = single.replaceAll("  ", " ");
  return single;
}

const BEFORE_COMMANDS = new Set("if then elif else while until do time !".split(" "));
const GRAMMAR = /^(?:(?:if|then|elif|else|while|until|do|time|!) )+/u;

const wordsOf = (command: string): readonly Word[] => command.split(" ").map((text) => ({ text, isQuoted: false }));

const BETWEEN_WORDS = [...QUOTES, ...MARKS, " ", "\t", "\r", "<", ">", "=", ",", ":", "@"];

/** Whatever in a line may be the name of a file, if it has a text in it that is given in small letters. */
export function wordsWith(line: string, part: string): readonly string[] {
  const understood = readCommandLine(line).commands.flatMap((words) => words.map(({ text }) => text));
  const pieces = without(line, BETWEEN_WORDS, "\n").split("\n");
  return [...new Set([...understood, ...pieces])].filter((word) => word !== "" && word.normalize("NFC").toLowerCase().includes(part));
}
