import { ok, type Result } from "../../base/index.js";
import type { Diagnostic, ProcessInput } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import { parseName, textOf } from "../paths/index.js";
import { fillReferences, restoreText, type SecretPort, type SecretVault } from "../secrets/index.js";
import { type Environment, findShell, inherited, UNATTENDED } from "./environment.js";
import { type PlacedSecrets, placeSecrets } from "./secret-words.js";
import type { Launch } from "./supervise.js";

export interface LaunchDeps {
  /** All that commands may inherit; the composition has taken credentials out. */
  readonly env: Environment;
  readonly secret: SecretPort;
  readonly vault: SecretVault;
}

/** What is started, without its time and its reader, and the values of secrets that are in it. */
export interface PreparedLaunch extends Pick<Launch, "file" | "args" | "cwd" | "env" | "stdin"> {
  readonly secrets: readonly string[];
}

/** `input` is checked: `cwd` a folder in shown form, `program` an absolute path. */
export type PrepareLaunch = (
  input: ProcessInput & { readonly cwd: string },
  context: EffectContext,
) => Promise<Result<PreparedLaunch, Diagnostic>>;

export function createLaunches(deps: LaunchDeps): PrepareLaunch {
  let shell: Promise<string> | undefined;
  return async (input, context) => {
    shell ??= findShell(deps.env);
    const placed = "command" in input ? placeSecrets(input.command, context, deps.vault) : ok(NOTHING_PLACED);
    if (!placed.ok) return placed;
    const { command, env, values } = placed.value;
    const [file, args] = "command" in input ? [await shell, ["-c", command]] : [input.program, input.args ?? []];
    const filled = fillReferences(input.env ?? {}, context, { ...deps, reach: "local" });
    if (!filled.ok) return filled;
    return ok({
      file,
      args,
      cwd: textOf(parseName(input.cwd)),
      env: { ...inherited(deps.env, context.grants.processEnv), ...UNATTENDED, ...filled.value.texts, ...env },
      ...(input.stdin === undefined ? {} : { stdin: restoreText(input.stdin, context, deps.vault) }),
      secrets: [...filled.value.values, ...values],
    });
  };
}

const NOTHING_PLACED: PlacedSecrets = { command: "", env: {}, values: [] };
