import { definePlugin, failure, result } from "smith-agent/plugin";
import type { ProcessOutput, Tool } from "smith-agent/plugin";

export interface ShellArgs {
  readonly command: string;
  readonly timeout_s?: number;
  readonly cwd?: string;
}

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;

/** Runs the command once. Everything but exit code 0 is an error result: the model must see that it failed. */
export const shell: Tool<ShellArgs> = async ({ command, timeout_s, cwd }, context) => {
  if (command.trim() === "") return failure("command is empty; give a command line to run.");
  const timeoutS = Math.min(Math.max(timeout_s ?? DEFAULT_TIMEOUT_S, 1), MAX_TIMEOUT_S);
  const output = await context.process.run({
    command,
    timeoutMs: timeoutS * 1000,
    ...(cwd === undefined || cwd === "" ? {} : { cwd }),
  });
  const body = output.output.replace(/\n+$/u, "");
  const notes = [...warnings(output), ...ending(output, timeoutS)];
  const said = body === "" && notes.length === 0 ? ["(no output)"] : [...(body === "" ? [] : [body]), ...notes];
  const answer = output.exitCode === 0 && !output.timedOut && !output.aborted ? result : failure;
  return answer(said.join("\n"), {
    summary: `${endWord(output)} · ${duration(output.durationMs)}`,
    details: { data: { exitCode: output.exitCode, signal: output.signal, timedOut: output.timedOut, durationMs: output.durationMs } },
  });
};

function warnings(output: ProcessOutput): readonly string[] {
  const lines: string[] = [];
  if (output.omittedBytes > 0) lines.push(`[${output.omittedBytes} bytes left out of the middle of the output]`);
  if (output.leftRunning) lines.push("[a background process it started may still be running]");
  return lines;
}

function ending(output: ProcessOutput, timeoutS: number): readonly string[] {
  if (output.aborted) return ["[stopped by the user before it ended]"];
  if (output.timedOut) return [`[timed out after ${timeoutS} s and was ended; what it had done so far stays done]`];
  if (output.signal !== null) return [`ended by signal ${output.signal}`];
  if (output.exitCode === null) return ["[ended without an exit code]"];
  return output.exitCode === 0 ? [] : [`exit code ${output.exitCode}`];
}

function endWord(output: ProcessOutput): string {
  if (output.aborted) return "stopped";
  if (output.timedOut) return "timed out";
  return output.exitCode === null ? (output.signal ?? "no exit code") : `exit ${output.exitCode}`;
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}

export default definePlugin({ tools: { shell } });
