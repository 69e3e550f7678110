import { err, ok } from "../../base/index.js";
import type { Clock } from "../../base/index.js";
import type { ProcessInput, ProcessOutput } from "../../schema/index.js";
import type { EffectContext, EffectReply } from "../types.js";
import { parseName, textOf } from "../paths/index.js";
import { createRedactor, fillReferences, joined, restoreText, type SecretPort, type SecretVault } from "../secrets/index.js";
import type { OutputCapture } from "./capture.js";
import { createCapture } from "./capture.js";
import type { Environment } from "./environment.js";
import { findShell, inherited, UNATTENDED } from "./environment.js";
import { type PlacedSecrets, placeSecrets } from "./secret-words.js";
import { commandStopped, spawnFailed } from "./failures.js";
import type { ProcessEnd, Supervisor } from "./supervise.js";

export const PROCESS_BOUNDS = {
  /** UTF-8 bytes kept of the head, and again of the tail. */
  keepBytes: 32 * 1024,
  timeoutMs: 120_000,
  progressMs: 200,
  progressCharacters: 4096,
} as const;

export interface RunDeps {
  readonly clock: Clock;
  readonly supervisor: Supervisor;
  /** All that commands may inherit; the composition has taken credentials out. */
  readonly env: Environment;
  readonly secret: SecretPort;
  readonly vault: SecretVault;
}

type ProcessReply = EffectReply<ProcessOutput>;

export interface ProcessRunner {
  /** `input` is checked: `cwd` a folder in shown form, `program` an absolute path. */
  run(input: ProcessInput & { readonly cwd: string }, context: EffectContext): Promise<ProcessReply>;
}

/** Runs command lines by the shell and programs without one; stdin is at its end unless something is given. */
export function createProcessRunner(deps: RunDeps): ProcessRunner {
  let shell: Promise<string> | undefined;
  return {
    async run(input, context) {
      shell ??= findShell(deps.env);
      const placed = "command" in input ? placeSecrets(input.command, context, deps.vault) : ok(NOTHING_PLACED);
      if (!placed.ok) return { outcome: "not-applied", result: placed };
      const { command, env, values } = placed.value;
      const [file, args] = "command" in input ? [await shell, ["-c", command]] : [input.program, input.args ?? []];
      const filled = fillReferences(input.env ?? {}, context, { ...deps, reach: "local" });
      if (!filled.ok) return { outcome: "not-applied", result: filled };
      const output = createOutput(deps, [...filled.value.values, ...values], context.onProgress);
      const startedMs = deps.clock.monotonic();
      const ended = await deps.supervisor.run(
        {
          file,
          args,
          cwd: textOf(parseName(input.cwd)),
          env: { ...inherited(deps.env, context.grants.processEnv), ...UNATTENDED, ...filled.value.texts, ...env },
          ...(input.stdin === undefined ? {} : { stdin: restoreText(input.stdin, context, deps.vault) }),
          timeoutMs: input.timeoutMs ?? PROCESS_BOUNDS.timeoutMs,
          onData: output.push,
        },
        context.signal,
      );
      const { text, omittedBytes } = output.end();
      if (typeof ended === "string")
        return { outcome: "not-applied", result: err(ended === "ECANCELED" ? commandStopped() : spawnFailed(file, ended)) };
      return reply(ended, { output: text, omittedBytes, durationMs: Math.round(deps.clock.monotonic() - startedMs) });
    },
  };
}

const NOTHING_PLACED: PlacedSecrets = { command: "", env: {}, values: [] };

const reply = (
  { cause, exitCode, signal, leftRunning }: ProcessEnd,
  seen: Pick<ProcessOutput, "output" | "omittedBytes" | "durationMs">,
): ProcessReply => ({
  outcome: cause === "exit" ? "applied" : "unknown",
  result: ok({ exitCode, signal, timedOut: cause === "timeout", aborted: cause === "abort", ...seen, leftRunning }),
});

type Output = Pick<OutputCapture, "push" | "end">;

/** What is kept of the output, secrets taken out, and its tail at most five times a second until the command settles. */
function createOutput(
  { clock, vault }: Pick<RunDeps, "clock" | "vault">,
  secrets: readonly string[],
  onProgress: EffectContext["onProgress"],
): Output {
  const capture = createCapture(PROCESS_BOUNDS.keepBytes, () => joined(vault.stream(), createRedactor(secrets)));
  const settled = new AbortController();
  let isWaiting = false;
  const report = (): void => {
    isWaiting = false;
    if (!settled.signal.aborted) onProgress?.(capture.tail(PROCESS_BOUNDS.progressCharacters));
  };
  return {
    push(stream, chunk) {
      capture.push(stream, chunk);
      if (onProgress === undefined || isWaiting) return;
      isWaiting = true;
      clock.sleep(PROCESS_BOUNDS.progressMs, settled.signal).then(report, () => undefined);
    },
    end() {
      settled.abort("over");
      return capture.end();
    },
  };
}
