import { join } from "node:path";
import { err, ok } from "../../base/index.js";
import type { Clock } from "../../base/index.js";
import type { ProcessInput, ProcessOutput } from "../../schema/index.js";
import type { EffectContext, EffectReply } from "../types.js";
import { createRedactor, joined, type SecretPort, type SecretVault } from "../secrets/index.js";
import type { OutputCapture } from "./capture.js";
import { createCapture } from "./capture.js";
import type { Environment } from "./environment.js";
import { commandStopped, spawnFailed } from "./failures.js";
import { createLaunches } from "./launch.js";
import { createOutputFile, type OutputFile } from "./output-file.js";
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
  /** Folder for whole outputs, absolute. */
  readonly outputs: string;
}

type ProcessReply = EffectReply<ProcessOutput>;

export interface ProcessRunner {
  /** `input` is checked: `cwd` a folder in shown form, `program` an absolute path. */
  run(input: ProcessInput & { readonly cwd: string }, context: EffectContext): Promise<ProcessReply>;
}

/** Runs command lines by the shell and programs without one; stdin is at its end unless something is given. */
export function createProcessRunner(deps: RunDeps): ProcessRunner {
  const launches = createLaunches(deps);
  let runs = 0;
  return {
    async run(input, context) {
      const prepared = await launches(input, context);
      if (!prepared.ok) return { outcome: "not-applied", result: prepared };
      const { secrets, ...launch } = prepared.value;
      runs += 1;
      const file = createOutputFile({ path: join(deps.outputs, `command-${runs}.log`), holdBytes: 2 * PROCESS_BOUNDS.keepBytes });
      const output = createOutput(deps, { secrets, file, onProgress: context.onProgress });
      const startedMs = deps.clock.monotonic();
      const timeoutMs = input.timeoutMs ?? PROCESS_BOUNDS.timeoutMs;
      const ended = await deps.supervisor.run({ ...launch, timeoutMs, onData: output.push }, context.signal);
      const { text, omittedBytes } = output.end();
      const outputFile = file.end();
      if (typeof ended === "string")
        return { outcome: "not-applied", result: err(ended === "ECANCELED" ? commandStopped() : spawnFailed(launch.file, ended)) };
      const seen = { output: text, omittedBytes, durationMs: Math.round(deps.clock.monotonic() - startedMs) };
      return reply(ended, { ...seen, ...(outputFile === undefined || omittedBytes === 0 ? {} : { outputFile }) });
    },
  };
}

const reply = (
  { cause, exitCode, signal, leftRunning }: ProcessEnd,
  seen: Pick<ProcessOutput, "output" | "omittedBytes" | "durationMs" | "outputFile">,
): ProcessReply => ({
  outcome: cause === "exit" ? "applied" : "unknown",
  result: ok({ exitCode, signal, timedOut: cause === "timeout", aborted: cause === "abort", ...seen, leftRunning }),
});

type Output = Pick<OutputCapture, "push" | "end">;

interface OutputParts {
  readonly secrets: readonly string[];
  readonly file: OutputFile;
  readonly onProgress: EffectContext["onProgress"];
}

/** What is kept of the output, secrets taken out, and its tail at most five times a second until the command settles. */
function createOutput({ clock, vault }: Pick<RunDeps, "clock" | "vault">, { secrets, file, onProgress }: OutputParts): Output {
  const capture = createCapture(
    PROCESS_BOUNDS.keepBytes,
    () => joined(vault.stream(), createRedactor(secrets)),
    (text) => {
      file.push(text);
    },
  );
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
