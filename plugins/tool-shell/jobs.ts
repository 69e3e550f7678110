import { result } from "smith-agent/plugin";
import type { JobOutput, Tool, ToolOutput } from "smith-agent/plugin";

export interface LookArgs {
  readonly job: string;
  readonly wait_s?: number;
  readonly all?: boolean;
}

export const jobOutput: Tool<LookArgs> = async ({ job, wait_s = 0, all = false }, { process }) =>
  told(await process.output({ job, waitMs: Math.min(Math.max(wait_s, 0), 60) * 1_000, from: all ? "start" : "new" }));

export const jobKill: Tool<{ readonly job: string }> = async ({ job }, { process }) => told(await process.kill({ job }));

/** How a job stands comes last: it is what is looked for. */
function told(job: JobOutput): ToolOutput {
  const text = job.output.replace(/\n+$/u, "");
  const left = job.omittedBytes > 0 ? [`[${job.omittedBytes} bytes left out; all of it is in ${job.outputFile}]`] : [];
  const state = stateOf(job);
  const rest = job.leftRunning === true ? "; what it left running ends by shell_kill, or with the session" : "";
  return result([text === "" ? "(nothing new)" : text, ...left, `[${job.job} ${state}${rest}]`].join("\n"), {
    summary: state,
    details: { data: { job: job.job, running: job.running, exitCode: job.exitCode, outputBytes: job.outputBytes } },
  });
}

function stateOf({ running, exitCode, signal, durationMs }: JobOutput): string {
  const time = `${Math.round(durationMs / 1_000)} s`;
  if (running) return `still runs, for ${time}`;
  return signal === null ? `ended with exit code ${exitCode ?? "none"} after ${time}` : `was ended by ${signal} after ${time}`;
}
