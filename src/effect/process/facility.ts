import { stat } from "node:fs/promises";
import { err, ok, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, ProcessInput } from "../../schema/index.js";
import type { EffectContext, Facility } from "../types.js";
import { bytesOf, errnoOf, fromText, locatePath, realWorkspace, showName, textOf } from "../paths/index.js";
import { checkReferences, firstKnown, restoreProblem, secretMisplaced, type SecretPort, type SecretVault } from "../secrets/index.js";
import { type Environment, findProgram, isNameGranted, isSettingGranted, RESERVED } from "./environment.js";
import { badCommand, badFolder, badVariable, programDenied, programMissing, stdinTooLarge, variableDenied } from "./failures.js";
import { areWordsGranted, isLineGranted, programOf, type Surroundings } from "./programs.js";
import type { ProcessRunner } from "./run.js";
import { placeSecrets } from "./secret-words.js";

/** UTF-8 bytes of `stdin`. */
export const STDIN_BYTES = 4 * 1024 * 1024;

export interface ProcessFacilityDeps {
  readonly runner: ProcessRunner;
  readonly env: Environment;
  readonly secret: SecretPort;
  readonly vault: SecretVault;
}

/** The folder of a command is where it starts, not a boundary: a program can go anywhere its user can. */
export function createProcessFacility({ runner, env, secret, vault }: ProcessFacilityDeps): Facility<"process.run"> {
  return {
    async authorize(input, context) {
      const problem = wordingProblem(input) ?? variableProblem(input, context) ?? secretsProblem(input, context, { secret, vault });
      if (problem !== undefined) return err(problem);
      const start = await startFolder(input, context);
      if (!start.ok) return start;
      const { cwd, at } = start.value;
      if (!isGranted(input, context, at)) return err(programDenied(context.plugin, namedOf(input), context.grants.process));
      if ("command" in input) return ok({ ...input, cwd });
      const program = await findProgram(input.program, env, at.cwd);
      return program === undefined ? err(programMissing(input.program)) : ok({ ...input, program, args: input.args ?? [], cwd });
    },
    run: (input, context) => runner.run({ ...input, cwd: input.cwd ?? showName(fromText(context.cwd)) }, context),
  };
}

const namedOf = (input: ProcessInput): string => ("command" in input ? programOf(input.command) : input.program);

function isGranted(input: ProcessInput, { grants }: EffectContext, at: Surroundings): boolean {
  if ("command" in input) return isLineGranted(input.command, grants.process, at);
  return areWordsGranted([input.program, ...(input.args ?? [])], grants.process, at);
}

function wordingProblem(input: ProcessInput): Diagnostic | undefined {
  const words = "command" in input ? [input.command] : [input.program, ...(input.args ?? [])];
  if ((words[0] ?? "").trim() === "") return badCommand("it is empty");
  if (words.some((word) => word.includes("\0"))) return badCommand("it holds a NUL");
  const bytes = utf8Length(input.stdin ?? "");
  return bytes > STDIN_BYTES ? stdinTooLarge(bytes, STDIN_BYTES) : undefined;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/u;

function variableProblem({ env = {} }: ProcessInput, { plugin, grants }: EffectContext): Diagnostic | undefined {
  for (const [name, value] of Object.entries(env)) {
    if (!VARIABLE.test(name) || value.includes("\0")) return badVariable(name);
    if (isNameGranted(name, [RESERVED]) || !isSettingGranted(name, grants)) return variableDenied(plugin, name, grants.processEnv);
  }
  return undefined;
}

/** Secrets go into variables, stdin and command lines; never among the arguments of a program, which every other program sees. */
function secretsProblem(
  input: ProcessInput,
  context: EffectContext,
  { secret, vault }: Pick<ProcessFacilityDeps, "secret" | "vault">,
): Diagnostic | undefined {
  const problem =
    checkReferences(input.env ?? {}, context, { secret, vault, reach: "local" }) ?? restoreProblem([input.stdin ?? ""], context, vault);
  if (problem !== undefined) return problem;
  if ("command" in input) {
    const placed = placeSecrets(input.command, context, vault);
    return placed.ok ? undefined : placed.error;
  }
  const found = firstKnown([input.program, ...(input.args ?? [])], vault);
  if (found === undefined) return undefined;
  return secretMisplaced(
    found.name,
    "among the arguments of a program",
    "Hand it over in env or on stdin, or run a command line of the shell.",
  );
}

interface Start {
  /** Shown form. */
  readonly cwd: string;
  readonly at: Surroundings;
}

/** Nothing is looked up for a plugin that may run nothing. */
async function startFolder(input: ProcessInput, context: EffectContext): Promise<Result<Start, Diagnostic>> {
  if (context.grants.process.length === 0) return err(programDenied(context.plugin, namedOf(input), []));
  const located = await locatePath(input.cwd ?? ".", context);
  if (!located.ok) return located;
  const { real } = located.value;
  const shown = showName(real);
  // A name that is no UTF-8 cannot be handed over as a text.
  if (fromText(textOf(real)) !== real || !(await isFolder(real))) return err(badFolder(shown));
  return ok({ cwd: shown, at: { cwd: textOf(real), workspace: textOf(await realWorkspace(context)) } });
}

async function isFolder(path: Parameters<typeof bytesOf>[0]): Promise<boolean> {
  try {
    return (await stat(bytesOf(path))).isDirectory();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
