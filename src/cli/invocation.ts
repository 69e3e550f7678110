import { closest, err, ok, type Result } from "../base/index.js";
import type { FlagValue } from "../config/index.js";
import type { Diagnostic } from "../schema/index.js";
import { type AdministrationInvocation, isAdministration, toAdministration } from "./administration.js";
import { COMMANDS } from "./command-table.js";
import { conflictingFlags, misplacedFlag, unknownCommand, watchNeedsPlugin, workNeedsNoPrompt, workNeedsSession } from "./diagnostics.js";
import type { DoctorInvocation } from "./doctor/invocation.js";
import type { Flag } from "./flags.js";
import { type CommandLine, type CommonFlags, has, valueOf, valuesOf } from "./given-flags.js";
import type { GivenFlag, LineWord } from "./program.js";
import type { McpInvocation } from "./mcp/run.js";
import type { PlaceName, SessionsInvocation } from "./sessions/invocation.js";
import { toSessionsInvocation } from "./sessions/parse/parse.js";
import { parsePlace } from "./sessions/parse/values.js";

/** Which session a run belongs to. `named` is an id or a unique suffix of one, `fork` a copy of the place it names. */
export type SessionTarget =
  | { readonly type: "new" }
  | { readonly type: "temporary" }
  | { readonly type: "newest" }
  | { readonly type: "named"; readonly id: string }
  | { readonly type: "fork"; readonly source: PlaceName };

export interface EvalInvocation {
  readonly type: "eval";
  readonly common: CommonFlags;
  readonly words: readonly LineWord[];
  readonly json: boolean;
  readonly target: SessionTarget;
  readonly name: string | undefined;
  /** Goes on with interrupted work; there are no words then. */
  readonly resumeWork: boolean;
}

export interface InteractiveInvocation {
  readonly type: "interactive";
  readonly common: CommonFlags;
  readonly prompt: string | undefined;
  /** `choose`: no id was given, so the sessions to choose from are shown. */
  readonly target: SessionTarget | { readonly type: "choose" };
}

export type Invocation =
  InteractiveInvocation | EvalInvocation | McpInvocation | DoctorInvocation | SessionsInvocation | AdministrationInvocation;

/** Gives a parsed line its meaning. Pure. */
export function toInvocation(line: CommandLine): Result<Invocation, Diagnostic> {
  const declared = COMMANDS.find(({ id }) => id === line.id)?.flags ?? [];
  const stray = line.flags.find((given) => isStray(line, given) || !declared.some(({ name }) => name === given.name));
  if (stray !== undefined) return err(misplacedFlag(stray.name, line.id));
  if (line.id === "interactive") return toInteractive(line, declared);
  if (line.id === "eval") return toEval(line, declared);
  if (line.id === "mcp") return ok({ type: "mcp", common: commonFlags(line, declared) });
  if (line.id === "doctor") return ok({ type: "doctor", common: commonFlags(line, declared), json: has(line, "--json") });
  if (isAdministration(line.id)) return toAdministration(line.id, line, () => commonFlags(line, declared));
  return toSessionsInvocation(line.id, line);
}

/** Before `sessions` a flag is about a run, which there is none of, even when the command has one of that name. */
const isStray = (line: CommandLine, { name, early }: GivenFlag): boolean =>
  early === true && line.id.startsWith("sessions ") && name !== "--cwd";

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
    plugins: valuesOf(line, "--plugin"),
    watch: has(line, "--watch"),
  };
}

function toInteractive(line: CommandLine, declared: readonly Flag[]): Result<Invocation, Diagnostic> {
  const [word, ...more] = line.words;
  const mistyped = word !== undefined && more.length === 0 && !word.literal ? closestCommand(word.text) : undefined;
  if (word !== undefined && mistyped !== undefined) return err(unknownCommand(word.text, "", mistyped));
  const common = commonFlags(line, declared);
  if (common.watch && common.plugins.length === 0) return err(watchNeedsPlugin());
  const text = line.words.map((one) => one.text).join(" ");
  const prompt = text.trim() === "" ? undefined : text;
  const target = interactiveTarget(line);
  return target.ok ? ok({ type: "interactive", common, prompt, target: target.value }) : target;
}

const ONE_TARGET = "Both say which session the run belongs to, and differently.";

function interactiveTarget(line: CommandLine): Result<InteractiveInvocation["target"], Diagnostic> {
  const [one, other] = ["--continue", "--resume", "--fork"].filter((name) => has(line, name));
  if (one !== undefined && other !== undefined) return err(conflictingFlags(one, other, ONE_TARGET));
  if (one === "--continue") return ok({ type: "newest" });
  if (one === "--fork") return forkTarget(line);
  if (one === undefined) return ok({ type: "new" });
  const id = valueOf(line, "--resume");
  return ok(id === undefined ? { type: "choose" } : { type: "named", id });
}

function forkTarget(line: CommandLine): Result<SessionTarget, Diagnostic> {
  const source = parsePlace(valueOf(line, "--fork") ?? "");
  return source.ok ? ok({ type: "fork", source: source.value }) : source;
}

/** One word that is nearly a command is a slip of the finger, not a prompt. */
function closestCommand(word: string): string | undefined {
  const names = COMMANDS.filter(({ id }) => id !== "interactive" && !id.includes(" ")).map(({ id }) => id);
  return /^[a-z-]+$/iu.test(word) ? closest(word, names) : undefined;
}

function toEval(line: CommandLine, declared: readonly Flag[]): Result<Invocation, Diagnostic> {
  const target = evalTarget(line);
  if (!target.ok) return target;
  const resumeWork = has(line, "--resume-work");
  if (resumeWork && target.value.type !== "newest" && target.value.type !== "named") return err(workNeedsSession());
  if (resumeWork && line.words.length > 0) return err(workNeedsNoPrompt());
  return ok({
    type: "eval",
    common: commonFlags(line, declared),
    words: line.words,
    json: has(line, "--json"),
    target: target.value,
    name: valueOf(line, "--name"),
    resumeWork,
  });
}

function evalTarget(line: CommandLine): Result<SessionTarget, Diagnostic> {
  const [one, other] = ["--session", "--continue", "--fork", "--no-session"].filter((name) => has(line, name));
  if (one !== undefined && other !== undefined) return err(conflictingFlags(one, other, ONE_TARGET));
  if (one === "--fork") return forkTarget(line);
  const id = valueOf(line, "--session");
  if (id !== undefined) return ok({ type: "named", id });
  return ok({ type: one === "--continue" ? "newest" : one === "--no-session" ? "temporary" : "new" });
}
