import { resolve } from "node:path";
import { fitsPattern } from "../../base/index.js";

/** Words that the shell takes as they are: no expansion, quoting, redirection or list can hide in them. */
const PLAIN = /^[\w@%+:,./ =-]+$/u;

/** Where a program is asked for: relative paths of it start here, those of a grant at the workspace. */
export interface Surroundings {
  readonly cwd: string;
  readonly workspace: string;
}

const wordsOf = (line: string): readonly string[] => line.trim().split(/\s+/u);

/**
 * Whether a command line runs nothing but granted programs. `*` grants every command. Any other grant covers only a single
 * program with plain words, since a shell would otherwise run whatever the line says.
 */
export function isLineGranted(command: string, granted: readonly string[], at: Surroundings): boolean {
  if (granted.includes("*")) return true;
  if (!PLAIN.test(command) || programOf(command).includes("=")) return false;
  return areWordsGranted(wordsOf(command), granted, at);
}

/**
 * Whether a program may be run with these arguments (`words`: the program first). A pattern of one word names programs,
 * whatever their arguments: `git`, `npm*`. One of several words must fit them all, joined by blanks: `git status*`. In both `*`
 * is any text. A pattern without a slash names programs on the PATH only, one with a slash a file.
 */
export function areWordsGranted(words: readonly string[], granted: readonly string[], at: Surroundings): boolean {
  if (granted.includes("*")) return true;
  const [program = "", ...args] = words;
  return granted.some((pattern) => {
    const [name = "", ...rest] = wordsOf(pattern);
    if (!fitsProgram(name, program, at)) return false;
    return rest.length === 0 || (args.length > 0 && fitsPattern(rest.join(" "), args.join(" ")));
  });
}

function fitsProgram(pattern: string, program: string, { cwd, workspace }: Surroundings): boolean {
  if (!pattern.includes("/")) return !program.includes("/") && fitsPattern(pattern, program);
  return program.includes("/") && fitsPattern(resolve(workspace, pattern), resolve(cwd, program));
}

/** The first word of a command line. */
export const programOf = (command: string): string => wordsOf(command)[0] ?? "";
