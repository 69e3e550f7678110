import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic, ProcessInput } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import { parseName, textOf } from "../paths/index.js";
import { fillReferences, restoreText, type SecretPort, type SecretVault } from "../secrets/index.js";
import {
  type CommandShell,
  type Environment,
  findCommandShell,
  inherited,
  isFolderThere,
  UNATTENDED,
  WITH_TERMINAL,
} from "./environment.js";
import { badFolder, commandStopped, noTerminal, spawnFailed } from "./failures.js";
import { type PlacedSecrets, placeSecrets } from "./secret-words.js";
import type { Launch } from "./start.js";
import { loadTerminals, type OpenTerminal } from "./terminal.js";

export interface LaunchDeps {
  /** All that commands may inherit; the composition has taken credentials out. */
  readonly env: Environment;
  readonly secret: SecretPort;
  readonly vault: SecretVault;
  /** What gives programs a terminal; undefined where it is not installed. Default: looks for it. */
  readonly terminals?: () => OpenTerminal | undefined;
}

/** What is started, without its time and its reader, and the values of secrets that are in it. */
export interface PreparedLaunch extends Pick<Launch, "file" | "args" | "cwd" | "env" | "stdin" | "terminal"> {
  readonly secrets: readonly string[];
}

/** `input` is checked: `cwd` a folder in shown form, `program` an absolute path. */
export type PrepareLaunch = (
  input: ProcessInput & { readonly cwd: string },
  context: EffectContext,
) => Promise<Result<PreparedLaunch, Diagnostic>>;

export function createLaunches(deps: LaunchDeps): PrepareLaunch {
  let shell: Promise<CommandShell> | undefined;
  return async (input, context) => {
    const placed = "command" in input ? placeSecrets(input.command, context, deps.vault) : ok(NOTHING_PLACED);
    if (!placed.ok) return placed;
    const { command, env, values } = placed.value;
    const filled = fillReferences(input.env ?? {}, context, { ...deps, reach: "local" });
    if (!filled.ok) return filled;
    const seat = seatOf(input, deps);
    if (!seat.ok) return seat;
    const { file, args } = await (shell ??= findCommandShell(deps.env));
    return ok({
      ...("command" in input ? { file, args: [...args, command] } : { file: input.program, args: input.args ?? [] }),
      cwd: textOf(parseName(input.cwd)),
      env: { ...inherited(deps.env, context.grants.processEnv), ...UNATTENDED, ...seat.value.env, ...filled.value.texts, ...env },
      ...(input.stdin === undefined ? {} : { stdin: restoreText(input.stdin, context, deps.vault) }),
      ...seat.value.terminal,
      secrets: [...filled.value.values, ...values],
    });
  };
}

interface Seat {
  readonly env: Environment;
  readonly terminal: Pick<PreparedLaunch, "terminal">;
}

/** What a program that needs a terminal gets besides. */
function seatOf({ pty = false }: ProcessInput, { terminals = loadTerminals }: LaunchDeps): Result<Seat, Diagnostic> {
  if (!pty) return ok({ env: {}, terminal: {} });
  const terminal = terminals();
  return terminal === undefined ? err(noTerminal()) : ok({ env: WITH_TERMINAL, terminal: { terminal } });
}

const NOTHING_PLACED: PlacedSecrets = { command: "", env: {}, values: [] };

/** Why nothing was started. The folder may have gone since it was looked at, which the system tells like a missing program. */
export async function startProblem({ file, cwd }: Pick<Launch, "file" | "cwd">, errno: string): Promise<Diagnostic> {
  if (errno === "ECANCELED") return commandStopped();
  return (await isFolderThere(cwd)) ? spawnFailed(file, errno) : badFolder(cwd);
}
