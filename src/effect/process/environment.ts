import { access, constants, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fitsPattern } from "../../base/index.js";
import type { Grants } from "../types.js";
import { errnoOf } from "../paths/index.js";

export type Environment = Readonly<Record<string, string>>;

/** As a process has it. */
export type GivenEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Added to what is inherited, so that nothing waits for a person who cannot answer and the output is plain: editors fail at once (a
 * rebase does not silently run with an unedited list), no password prompts, no pagers, no colours. The locale is the user's.
 */
export const UNATTENDED: Environment = {
  AI_AGENT: "smith",
  ...{ EDITOR: "false", VISUAL: "false", GIT_EDITOR: "false", GIT_SEQUENCE_EDITOR: "false" },
  ...{ GIT_TERMINAL_PROMPT: "0", SSH_ASKPASS_REQUIRE: "never", DEBIAN_FRONTEND: "noninteractive" },
  ...{ PAGER: "cat", GIT_PAGER: "cat", GH_PAGER: "cat", MANPAGER: "cat", SYSTEMD_PAGER: "cat", AWS_PAGER: "" },
  ...{ NO_COLOR: "1", TERM: "dumb" },
};

/** The terminal that a program is given where it needs one: its sequences are understood. */
export const WITH_TERMINAL: Environment = { TERM: "xterm-256color" };

/** What asks for colours whatever the output is; programs warn when it is set beside `NO_COLOR`. */
const COLOURING: readonly string[] = ["FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"];

/** What every program gets, so that it finds other programs, its home, its language and its time; and smith's own marks. */
const BASIC = ["PATH", "HOME", "LANG", "LC_*", "TERM", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ", "SMITH_*"];

/** Names of the marks, which nobody else sets. */
export const RESERVED = "SMITH_*";

/** Whether one of the granted names or patterns covers this variable. */
export const isNameGranted = (name: string, granted: readonly string[]): boolean => granted.some((pattern) => fitsPattern(pattern, name));

/**
 * Variables by which a program runs other code than its own: libraries, options, start files, commands of git, the search for programs.
 * A list of all of them there cannot be; these are what common programs obey.
 */
const LOADING =
  /^(?:PATH|IFS|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|LD_.*|DYLD_.*|GCONV_PATH|NODE_(?:OPTIONS|PATH)|NPM_CONFIG_.*|PYTHON(?:PATH|HOME|STARTUP|USERBASE|BREAKPOINT)|PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|(?:_?JAVA|JDK_JAVA|MAVEN|GRADLE|JAVA_TOOL)_.*O(?:PTION|PT)S|GIT_.*|RUSTC(?:_.*)?|RUSTFLAGS|CARGO_.*|GOFLAGS|GOTOOLCHAIN|MAKEFLAGS|MAKEFILES|SHELL|EDITOR|VISUAL|PAGER|LESSOPEN|BROWSER)$/iu;

/**
 * Whether a plugin may give this variable a value. One that decides what code runs has to be granted by its own name, unless the plugin may
 * run any command anyway: a pattern such as `GIT_*` or `*` is agreed to for what programs read, not for what they run.
 */
export const isSettingGranted = (name: string, { process, processEnv }: Pick<Grants, "process" | "processEnv">): boolean =>
  processEnv.includes(name) || (isNameGranted(name, processEnv) && (process.includes("*") || !LOADING.test(name)));

/** The part of the environment that a program of a plugin inherits. */
export const inherited = (env: Environment, granted: readonly string[]): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !COLOURING.includes(name) && (isNameGranted(name, BASIC) || isNameGranted(name, granted))),
  );

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Absolute path of a program: of that name on the PATH, or at that path from `cwd`. Undefined when nothing there can be run. */
export async function findProgram(name: string, env: GivenEnvironment, cwd: string): Promise<string | undefined> {
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
export const findShell = async (env: GivenEnvironment): Promise<string> => (await findProgram("bash", env, "/")) ?? "/bin/sh";

/** A shell, and what stands before the command line. */
export interface CommandShell {
  readonly file: string;
  readonly args: readonly string[];
}

/** Without start files; words and unmatched patterns as in bash, since that is what command lines are written for. */
const ZSH: readonly string[] = ["-f", "-o", "shwordsplit", "-o", "nonomatch", "-c"];

/**
 * The shell of command lines: the user's, where SHELL names a bash or zsh that is there. Any other shell has a language of its own: then
 * `bash` of the PATH, else `sh`.
 */
export async function findCommandShell(env: GivenEnvironment): Promise<CommandShell> {
  const own = env["SHELL"] ?? "";
  const name = basename(own);
  if (own.startsWith("/") && (name === "bash" || name === "zsh") && (await canRun(own)))
    return { file: own, args: name === "zsh" ? ZSH : ["-c"] };
  return { file: await findShell(env), args: ["-c"] };
}

/** Whether there is a folder now. */
export async function isFolderThere(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
