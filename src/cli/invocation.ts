import { err, ok, type Result } from "../base/index.js";
import { closest } from "../base/index.js";
import type { FlagValue } from "../config/index.js";
import type { Diagnostic } from "../schema/index.js";
import { COMMANDS, type RunnableId } from "./command-table.js";
import { badPattern, badRange, conflictingFlags, misplacedFlag, unknownCommand } from "./diagnostics.js";
import type { Flag } from "./flags.js";
import type { GivenFlag, LineWord } from "./program.js";

/** What the common flags said. */
export interface CommonFlags {
  readonly settings: readonly FlagValue[];
  /** `--config key=value`, in order. */
  readonly pairs: readonly string[];
  readonly trusted: boolean | undefined;
  readonly cwd: string | undefined;
}

/** Which session a run belongs to. `any` and `named` are ids or unique suffixes of one. */
export type SessionTarget =
  { readonly type: "new" } | { readonly type: "temporary" } | { readonly type: "newest" } | { readonly type: "named"; readonly id: string };

export interface EvalInvocation {
  readonly type: "eval";
  readonly common: CommonFlags;
  readonly words: readonly LineWord[];
  readonly json: boolean;
  readonly target: SessionTarget;
  readonly name: string | undefined;
}

export interface InteractiveInvocation {
  readonly type: "interactive";
  readonly common: CommonFlags;
  readonly prompt: string | undefined;
  /** `choose`: no id was given, so the sessions to choose from are shown. */
  readonly target: SessionTarget | { readonly type: "choose" };
}

export interface ListInvocation {
  readonly type: "sessions list";
  readonly json: boolean;
  readonly here: boolean;
  readonly cwd: string | undefined;
}

export interface GrepInvocation {
  readonly type: "sessions grep";
  readonly json: boolean;
  readonly pattern: RegExp;
  readonly session: string | undefined;
}

export interface GetInvocation {
  readonly type: "sessions get";
  readonly json: boolean;
  readonly id: string;
  /** First and last entry, counted from 1; the last may be Infinity. */
  readonly entries: { readonly first: number; readonly last: number } | undefined;
}

export type Invocation = InteractiveInvocation | EvalInvocation | ListInvocation | GrepInvocation | GetInvocation;

export interface CommandLine {
  readonly id: RunnableId;
  readonly flags: readonly GivenFlag[];
  readonly words: readonly LineWord[];
}

/** Gives a parsed line its meaning. Pure. */
export function toInvocation(line: CommandLine): Result<Invocation, Diagnostic> {
  const declared = COMMANDS.find(({ id }) => id === line.id)?.flags ?? [];
  const stray = line.flags.find((given) => !declared.some(({ name }) => name === given.name));
  if (stray !== undefined) return err(misplacedFlag(stray.name, line.id));
  switch (line.id) {
    case "interactive":
      return toInteractive(line, declared);
    case "eval":
      return toEval(line, declared);
    case "sessions list":
      return ok({ type: line.id, json: has(line, "--json"), here: has(line, "--here"), cwd: valueOf(line, "--cwd") });
    case "sessions grep":
      return toGrep(line);
    case "sessions get":
      return toGet(line);
  }
}

const has = (line: CommandLine, name: string): boolean => line.flags.some((given) => given.name === name);

/** The last one given counts. */
const valueOf = (line: CommandLine, name: string): string | undefined => line.flags.findLast((given) => given.name === name)?.value;

function commonFlags(line: CommandLine, declared: readonly Flag[]): CommonFlags {
  const settings = line.flags.flatMap((given): readonly FlagValue[] => {
    const setting = declared.find(({ name }) => name === given.name)?.setting;
    return setting === undefined ? [] : [{ setting: setting.name, name: given.name, text: setting.means ?? given.value ?? "" }];
  });
  const trust = line.flags.findLast(({ name }) => name === "--trust" || name === "--no-trust")?.name;
  return {
    settings,
    pairs: line.flags.flatMap(({ name, value }) => (name === "--config" ? [value ?? ""] : [])),
    trusted: trust === undefined ? undefined : trust === "--trust",
    cwd: valueOf(line, "--cwd"),
  };
}

function toInteractive(line: CommandLine, declared: readonly Flag[]): Result<Invocation, Diagnostic> {
  const [word, ...more] = line.words;
  const mistyped = word !== undefined && more.length === 0 && !word.literal ? closestCommand(word.text) : undefined;
  if (word !== undefined && mistyped !== undefined) return err(unknownCommand(word.text, "", mistyped));
  const common = commonFlags(line, declared);
  const text = line.words.map((one) => one.text).join(" ");
  const prompt = text.trim() === "" ? undefined : text;
  if (has(line, "--continue") && has(line, "--resume")) return err(conflictingFlags("--continue", "--resume"));
  if (has(line, "--continue")) return ok({ type: "interactive", common, prompt, target: { type: "newest" } });
  if (!has(line, "--resume")) return ok({ type: "interactive", common, prompt, target: { type: "new" } });
  const id = valueOf(line, "--resume");
  return ok({ type: "interactive", common, prompt, target: id === undefined ? { type: "choose" } : { type: "named", id } });
}

/** One word that is nearly a command is a slip of the finger, not a prompt. */
function closestCommand(word: string): string | undefined {
  const names = COMMANDS.filter(({ id }) => id !== "interactive" && !id.includes(" ")).map(({ id }) => id);
  return /^[a-z-]+$/iu.test(word) ? closest(word, names) : undefined;
}

function toEval(line: CommandLine, declared: readonly Flag[]): Result<Invocation, Diagnostic> {
  const target = evalTarget(line);
  if (!target.ok) return target;
  return ok({
    type: "eval",
    common: commonFlags(line, declared),
    words: line.words,
    json: has(line, "--json"),
    target: target.value,
    name: valueOf(line, "--name"),
  });
}

function evalTarget(line: CommandLine): Result<SessionTarget, Diagnostic> {
  const [one, other] = ["--session", "--continue", "--no-session"].filter((name) => has(line, name));
  if (one !== undefined && other !== undefined) return err(conflictingFlags(one, other));
  const id = valueOf(line, "--session");
  if (id !== undefined) return ok({ type: "named", id });
  return ok({ type: one === "--continue" ? "newest" : one === "--no-session" ? "temporary" : "new" });
}

function toGrep(line: CommandLine): Result<Invocation, Diagnostic> {
  const source = line.words[0]?.text ?? "";
  const pattern = has(line, "--fixed-strings") ? source.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&") : source;
  try {
    const compiled = new RegExp(pattern, has(line, "--ignore-case") ? "iu" : "u");
    return ok({ type: "sessions grep", json: has(line, "--json"), pattern: compiled, session: valueOf(line, "--session") });
  } catch (error) {
    if (error instanceof SyntaxError) return err(badPattern(source, `${error.message}.`));
    throw error;
  }
}

function toGet(line: CommandLine): Result<Invocation, Diagnostic> {
  const range = valueOf(line, "--entries");
  const [, first, last] = /^(\d{0,15})\.\.(\d{0,15})$/u.exec(range ?? "..") ?? [];
  const entries = { first: first === "" ? 1 : Number(first), last: last === "" ? Infinity : Number(last) };
  if (!(entries.first >= 1 && entries.first <= entries.last)) return err(badRange(range ?? ""));
  return ok({
    type: "sessions get",
    json: has(line, "--json"),
    id: line.words[0]?.text ?? "",
    entries: range === undefined ? undefined : entries,
  });
}
