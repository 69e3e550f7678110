import { type CommandLine, readCommandLine, spell, type Word } from "./command-line.js";
import { matchesText } from "./glob.js";
import { namedPath } from "./paths.js";

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
export const matchesCommand = (pattern: string, command: string): boolean =>
  matchesText(pattern, command) || (pattern.endsWith(" *") && matchesText(pattern.slice(0, -2), command));

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
  for (const words of read.isComplex ? loosely(line) : read.commands) collectCommand(words, depth, found);
}

function collectCommand(words: readonly Word[], depth: number, found: Set<string>): void {
  const from = words.findIndex(({ text }) => !/^[A-Za-z_][A-Za-z0-9_]*\+?=/u.test(text));
  const own = from < 0 ? [] : words.slice(from);
  const program = baseName(own[0]?.text ?? "");
  addSpellings(own, found);
  if (!RUNNERS.has(program)) return;
  // What such a program runs may begin at any of its words, and a word may be a line of its own.
  for (let at = 1; at < Math.min(own.length, MAX_RUN_WORDS); at += 1) addSpellings(own.slice(at), found);
  for (const { text } of own.slice(1)) if (/[\s;&|]/u.test(text)) collect(text, depth + 1, found);
}

function addSpellings(words: readonly Word[], found: Set<string>): void {
  const [program, ...rest] = words;
  if (program === undefined) return;
  for (const one of [words, [{ ...program, text: baseName(program.text) }, ...rest]]) {
    found.add(spell(one));
    found.add(one.map(({ text }) => text).join(" "));
  }
}

const baseName = (program: string): string => program.slice(program.lastIndexOf("/") + 1);

/** Commands as well as they can be seen in a line that is not understood: whatever stands between the marks of its grammar. */
function loosely(line: string): CommandLine["commands"] {
  return line
    .split(/[;&|\n(){}`]|\$\(/u)
    .slice(0, MAX_PIECES + 1)
    .map((piece) =>
      piece
        .replace(/[<>]+&?[ \t]*\S*/gu, " ")
        .replace(/["'\\]/gu, "")
        .replace(/^\s*(?:(?:if|then|elif|else|while|until|do|time|!)\s+)*/u, "")
        .split(/\s+/u)
        .filter((word) => word !== "")
        .map((text) => ({ text, isQuoted: false })),
    )
    .filter((words) => words.length > 0);
}

/** Whatever in a line may be the name of a file. */
export function wordsIn(line: string): readonly string[] {
  const understood = readCommandLine(line).commands.flatMap((words) => words.map(({ text }) => text));
  const pieces = line.split(/[\s'"`;|&<>()=,:@{}$\\]+/u);
  return [...new Set([...understood, ...pieces])].filter((word) => word !== "");
}
