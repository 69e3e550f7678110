import type { ProcessInput } from "./process.js";

/** A command that runs beside the conversation, owned by its session and ended with it. */
export interface JobInfo {
  /** `job-1`, `job-2` …, in the order they were started in this session. */
  readonly job: string;
  readonly command: string;
  readonly running: boolean;
  /** It has ended and left something running, which ends with the session, or when it is ended like a job that runs. */
  readonly leftRunning?: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Bytes it has printed so far. */
  readonly outputBytes: number;
  /** File with all of its output, absolute; a reader may read it. */
  readonly outputFile: string;
}

/** `timeoutMs` is not for jobs: they run until they end, are ended, or their session is. */
export type JobInput = Extract<ProcessInput, { readonly command: string }>;

/** Which job, and how much of what it printed. */
export interface JobOutputInput {
  readonly job: string;
  /** Waits so long for its end, at most 60,000 ms. Absent: does not wait. */
  readonly waitMs?: number;
  /** `new`: what came since the last look of this session. Default. */
  readonly from?: "new" | "start";
}

/** Head and tail are kept where `omittedBytes` > 0. */
export interface JobOutput extends JobInfo {
  readonly output: string;
  readonly omittedBytes: number;
}
