import { err, ok } from "../../base/index.js";
import type { Clock } from "../../base/index.js";
import type { ProcessInput, ProcessOutput } from "../../schema/index.js";
import type { EffectContext, EffectReply } from "../types.js";
import { createRedactor, joined } from "../secrets/index.js";
import { createLaunches, type LaunchDeps, startProblem } from "./launch.js";
import { createCapture, createOutputFile, type OutputCapture, type OutputFile, type OutputFolder } from "./output/index.js";
import type { Launch } from "./start.js";
import type { ProcessEnd, Supervisor } from "./supervise.js";

export const PROCESS_BOUNDS = {
  /** UTF-8 bytes kept of the head, and again of the tail. */
  keepBytes: 32 * 1024,
  timeoutMs: 120_000,
  progressMs: 200,
  progressCharacters: 4096,
} as const;

export interface RunDeps extends LaunchDeps {
  readonly clock: Clock;
  readonly supervisor: Supervisor;
  readonly outputFolder: OutputFolder;
}

type ProcessReply = EffectReply<ProcessOutput>;

export interface ProcessRunner {
  /** `input` is checked: `cwd` a folder in shown form, `program` an absolute path. */
  run(input: ProcessInput & { readonly cwd: string }, context: EffectContext): Promise<ProcessReply>;
}

/** Runs command lines by the shell and programs without one; stdin is at its end unless something is given. */
export function createProcessRunner(deps: RunDeps): ProcessRunner {
  const launches = createLaunches(deps);
  const { clock, outputFolder } = deps;
  return {
    async run(input, context) {
      const prepared = await launches(input, context);
      if (!prepared.ok) return { outcome: "not-applied", result: prepared };
      const { secrets, ...launch } = prepared.value;
      const file = createOutputFile({ path: (await outputFolder.next("command")).path, holdBytes: 2 * PROCESS_BOUNDS.keepBytes });
      const isTerminal = launch.terminal !== undefined;
      const output = createOutput(deps, { secrets, file, isTerminal, onProgress: context.onProgress });
      const startedMs = clock.monotonic();
      const timeoutMs = input.timeoutMs ?? PROCESS_BOUNDS.timeoutMs;
      const ended = await deps.supervisor.run({ ...launch, timeoutMs, onData: output.push }, context.signal);
      const { text, omittedBytes } = output.end();
      const durationMs = Math.round(clock.monotonic() - startedMs);
      const outputFile = await file.end();
      await outputFolder.swept();
      if (typeof ended === "string") return { outcome: "not-applied", result: err(await startProblem(launch, ended)) };
      const seen = { output: text, omittedBytes, durationMs };
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

interface Output extends Pick<OutputCapture, "end"> {
  readonly push: Launch["onData"];
}

interface OutputParts {
  readonly secrets: readonly string[];
  readonly file: OutputFile;
  readonly isTerminal: boolean;
  readonly onProgress: EffectContext["onProgress"];
}

/** What is kept of the output, secrets taken out, and its tail at most five times a second until the command settles. */
function createOutput({ clock, vault }: Pick<RunDeps, "clock" | "vault">, { secrets, file, isTerminal, onProgress }: OutputParts): Output {
  const capture = createCapture({
    keepBytes: PROCESS_BOUNDS.keepBytes,
    redactor: () => joined(vault.stream(), createRedactor(secrets)),
    onText: (text) => {
      file.push(text);
    },
    isTerminal,
  });
  const settled = new AbortController();
  let isWaiting = false;
  const report = (): void => {
    isWaiting = false;
    if (!settled.signal.aborted) onProgress?.(capture.tail(PROCESS_BOUNDS.progressCharacters));
  };
  return {
    push(stream, chunk) {
      capture.push(stream, chunk);
      if (onProgress !== undefined && !isWaiting) {
        isWaiting = true;
        clock.sleep(PROCESS_BOUNDS.progressMs, settled.signal).then(report, () => undefined);
      }
      return file.room();
    },
    end() {
      settled.abort("over");
      return capture.end();
    },
  };
}
