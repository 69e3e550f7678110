import { definePlugin, failure, result } from "smith-agent/plugin";
import type { Handler, ProcessOutput, Tool, ToolContext, ToolOutput } from "smith-agent/plugin";
import { jobKill, jobOutput } from "./jobs.js";

export interface ShellArgs {
  readonly command: string;
  readonly timeout_s?: number;
  readonly cwd?: string;
  readonly background?: boolean;
  readonly pty?: boolean;
}

type JobInput = Parameters<ToolContext["process"]["start"]>[0];

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;

/** Runs the command once. Everything but exit code 0 is an error result: the model must see that it failed. */
export const shell: Tool<ShellArgs> = async ({ command, timeout_s, background = false, ...where }, context) => {
  if (command.trim() === "") return failure("command is empty; give a command line to run.");
  const input = { command, ...placed(where) };
  if (background) return await begin(input, context);
  const timeoutS = Math.min(Math.max(timeout_s ?? DEFAULT_TIMEOUT_S, 1), MAX_TIMEOUT_S);
  const output = await context.process.run({ ...input, timeoutMs: timeoutS * 1000 });
  const body = output.output.replace(/\n+$/u, "");
  const notes = [...warnings(output), ...ending(output, timeoutS)];
  const said = body === "" && notes.length === 0 ? ["(no output)"] : [...(body === "" ? [] : [body]), ...notes];
  const answer = output.exitCode === 0 && !output.timedOut && !output.aborted ? result : failure;
  return answer(said.join("\n"), {
    summary: `${endWord(output)} · ${duration(output.durationMs)}`,
    details: { data: { exitCode: output.exitCode, signal: output.signal, timedOut: output.timedOut, durationMs: output.durationMs } },
  });
};

const placed = ({ cwd = "", pty = false }: Pick<ShellArgs, "cwd" | "pty">): Omit<JobInput, "command"> => ({
  ...(cwd === "" ? {} : { cwd }),
  ...(pty ? { pty } : {}),
});

/** A job runs on beside the conversation; what looks at it is offered from now on. */
async function begin(input: JobInput, { process }: ToolContext): Promise<ToolOutput> {
  const job = await process.start(input);
  const ended = `has ended already (exit code ${job.exitCode ?? "none"})${job.leftRunning === true ? " and left something running" : ""}`;
  const state = job.running ? "runs in the background" : ended;
  return result(`${job.job} ${state}. shell_output shows what it prints, shell_kill ends it; it ends with the session.`, {
    summary: job.job,
    details: { data: { job: job.job, running: job.running } },
  });
}

/** The first words of a result that began one. */
const BEGAN = /^job-\d+ (?:runs|has ended)/u;

const onSettled: Handler<"tool-settled"> = ({ text, args }) =>
  args["background"] === true && BEGAN.test(text) ? [{ type: "set-tools", enable: ["shell_output", "shell_kill"] }] : [];

function warnings(output: ProcessOutput): readonly string[] {
  const lines: string[] = [];
  if (output.omittedBytes > 0) {
    const whole = output.outputFile === undefined ? "" : `; all of it is in ${output.outputFile}`;
    lines.push(`[${output.omittedBytes} bytes left out of the middle of the output${whole}]`);
  }
  if (output.leftRunning) lines.push("[a background process it started may still be running]");
  return lines;
}

function ending(output: ProcessOutput, timeoutS: number): readonly string[] {
  if (output.aborted) return ["[stopped by the user before it ended]"];
  if (output.timedOut) {
    return [`[timed out after ${timeoutS} s and was ended; what it had done so far stays done${waiting(output.output)}]`];
  }
  if (output.signal !== null) return [`ended by signal ${output.signal}`];
  if (output.exitCode === null) return ["[ended without an exit code]"];
  return output.exitCode === 0 ? [] : [`exit code ${output.exitCode}`];
}

/** Silence, or a last line like a question, is what a program does that waits for somebody. */
function waiting(output: string): string {
  const [last = ""] = output.split("\n").slice(-1);
  if (output.trim() !== "" && !/[?:>$#\])] ?$/u.test(last)) return "";
  return "; it may have waited for input, and there is none";
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

export default definePlugin({ tools: { shell, shell_output: jobOutput, shell_kill: jobKill }, handlers: { "tool-settled": onSettled } });
