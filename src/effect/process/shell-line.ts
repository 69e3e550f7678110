import type { Clock, IdSource } from "../../base/index.js";
import { type Environment, findShell } from "./environment.js";
import { createSupervisor, type Supervisor } from "./supervise.js";

/** A command line of a person's own configuration, run in their environment with nothing on its standard input. */
export interface ShellLine {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** UTF-8 bytes kept of each stream. */
  readonly maxBytes: number;
}

export type ShellLineEnd =
  | { readonly type: "exit"; readonly status: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly type: "timeout" }
  | { readonly type: "aborted" }
  /** It could not be started; `reason` is the system's word. */
  | { readonly type: "unstarted"; readonly reason: string };

export interface ShellLines {
  run(line: ShellLine, signal: AbortSignal): Promise<ShellLineEnd>;
  close(): Promise<void>;
}

/** Runs such lines; what they start ends with them. */
export function createShellLines(deps: { readonly clock: Clock; readonly ids: IdSource; readonly env: Environment }): ShellLines {
  const supervisor = createSupervisor(deps);
  return {
    run: async (line, signal) => await runLine(supervisor, deps.env, line, signal),
    close: async () => {
      await supervisor.close();
    },
  };
}

async function runLine(supervisor: Supervisor, env: Environment, line: ShellLine, signal: AbortSignal): Promise<ShellLineEnd> {
  const streams = { stdout: boundedText(line.maxBytes), stderr: boundedText(line.maxBytes) };
  const launch = {
    file: await findShell(env),
    args: ["-c", line.command],
    cwd: line.cwd,
    env,
    timeoutMs: line.timeoutMs,
    onData: (stream: keyof typeof streams, chunk: Buffer) => {
      streams[stream].push(chunk);
      return undefined;
    },
  };
  const ended = await supervisor.run(launch, signal);
  if (ended === "ECANCELED") return { type: "aborted" };
  if (typeof ended === "string") return { type: "unstarted", reason: ended };
  if (ended.cause === "timeout") return { type: "timeout" };
  if (ended.cause === "abort") return { type: "aborted" };
  return { type: "exit", status: ended.exitCode, stdout: streams.stdout.end(), stderr: streams.stderr.end() };
}

/** The beginning of a stream as text; what comes after it is dropped. */
function boundedText(maxBytes: number): { push(chunk: Buffer): void; end(): string } {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  return {
    push(chunk) {
      if (left > 0) chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
    },
    end: () => Buffer.concat(chunks).toString("utf8"),
  };
}
