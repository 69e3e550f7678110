import { definePlugin, failure, result } from "smith-agent/plugin";
import type { ProcessOutput, Tool, ToolOutput } from "smith-agent/plugin";
import { NOTES } from "./notes.js";

export interface NuArgs {
  readonly script?: string;
  readonly cwd?: string;
  readonly timeout_s?: number;
  readonly notes?: boolean;
}

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;
/** Without a person's own configuration a script means the same everywhere; tables without frames and errors without colours cost little. */
const FLAGS = ["--no-config-file", "--no-history", "--table-mode", "light", "--error-style", "plain"] as const;

/** One script, and nothing kept from the last one. */
export const nu: Tool<NuArgs> = async ({ script = "", cwd, timeout_s, notes = false }, context) => {
  if (notes) return result(NOTES, { summary: "notes" });
  if (script.trim() === "") return failure("script is empty; give a script, or notes: true for notes on the language.");
  const timeoutS = Math.min(Math.max(timeout_s ?? DEFAULT_TIMEOUT_S, 1), MAX_TIMEOUT_S);
  const output = await context.process.run({
    program: "nu",
    args: [...FLAGS, "--commands", script],
    timeoutMs: timeoutS * 1_000,
    ...(cwd === undefined || cwd === "" ? {} : { cwd }),
  });
  return told(output, timeoutS);
};

function told(output: ProcessOutput, timeoutS: number): ToolOutput {
  const lines = [output.output.trimEnd(), ...endings(output, timeoutS)].filter((line) => line !== "");
  const answer = output.exitCode === 0 && !output.timedOut && !output.aborted ? result : failure;
  return answer(lines.length === 0 ? "(no output)" : lines.join("\n"), {
    summary: output.exitCode === null ? "ended" : `exit ${output.exitCode}`,
    details: { data: { exitCode: output.exitCode, timedOut: output.timedOut, durationMs: output.durationMs } },
  });
}

function endings(output: ProcessOutput, timeoutS: number): readonly string[] {
  const { exitCode, signal, timedOut, aborted, omittedBytes, outputFile } = output;
  const whole = outputFile === undefined ? "" : `; all of it is in ${outputFile}`;
  const left = omittedBytes > 0 ? [`[${omittedBytes} bytes left out of the middle of the output${whole}]`] : [];
  if (aborted) return [...left, "[stopped by the user before it ended]"];
  if (timedOut) return [...left, `[timed out after ${timeoutS} s and was ended]`];
  if (signal !== null) return [...left, `ended by signal ${signal}`];
  return exitCode === 0 ? left : [...left, `exit code ${exitCode ?? "unknown"}`];
}

export default definePlugin({ tools: { nu } });
