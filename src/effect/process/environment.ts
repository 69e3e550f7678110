import { access, constants, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fitsPattern } from "../grants/index.js";
import { errnoOf } from "../paths/index.js";

export type Environment = Readonly<Record<string, string>>;

/**
 * Added to what is inherited, so that nothing waits for a person who cannot answer: editors that git opens fail at
 * once (a rebase does not silently run with an unedited list), no password prompts, no pagers. The locale is the user's.
 */
export const UNATTENDED: Environment = {
  AI_AGENT: "smith",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_PAGER: "cat",
  PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
};

/** What every program gets, so that it finds other programs, its home, its language and its time; and smith's own marks. */
const BASIC = ["PATH", "HOME", "LANG", "LC_*", "TERM", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ", "SMITH_*"];

/** Names of the marks, which nobody else sets. */
export const RESERVED = "SMITH_*";

/** Whether one of the granted names or patterns covers this variable. */
export const isNameGranted = (name: string, granted: readonly string[]): boolean => granted.some((pattern) => fitsPattern(pattern, name));

/** The part of the environment that a program of a plugin inherits. */
export const inherited = (env: Environment, granted: readonly string[]): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isNameGranted(name, BASIC) || isNameGranted(name, granted)));

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Absolute path of a program: of that name on the PATH, or at that path from `cwd`. Undefined when nothing there can be run. */
export async function findProgram(name: string, env: Environment, cwd: string): Promise<string | undefined> {
  if (name.includes("/")) return (await canRun(resolve(cwd, name))) ? resolve(cwd, name) : undefined;
  for (const folder of (env["PATH"] ?? FALLBACK_PATH).split(":")) {
    // A relative folder would be another one for each command.
    if (folder.startsWith("/") && (await canRun(join(folder, name)))) return join(folder, name);
  }
  return undefined;
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** `bash` when it is on the PATH, else `sh`. */
export const findShell = async (env: Environment): Promise<string> => (await findProgram("bash", env, "/")) ?? "/bin/sh";
