/** What is run, and how. */
export type ProcessInput = ProcessOptions &
  (
    | {
        /** One shell command line, run by the user's `sh` (or `bash` when there). */
        readonly command: string;
      }
    | {
        /** A program by name or path, run without a shell. */
        readonly program: string;
        readonly args?: readonly string[];
      }
  );

/** How a program is run. */
export interface ProcessOptions {
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Added to the environment; only names the grant lists. `{secret:NAME}` stands for a granted secret. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text for its standard input, which is closed after it. Absent: closed at once. */
  readonly stdin?: string;
  /** Gives it a terminal of 120x40 to write to, for programs that need one. Its output is text without control sequences all the same. */
  readonly pty?: boolean;
}

/** How a program ended and what it printed. */
export interface ProcessOutput {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** stdout and stderr interleaved as they came; head and tail kept when `omittedBytes` > 0. */
  readonly output: string;
  readonly omittedBytes: number;
  readonly durationMs: number;
  /** A descendant still held an output pipe when the command itself had ended. */
  readonly leftRunning: boolean;
  /** File with the whole output, absolute, where something was left out of `output`: a reader may read it. */
  readonly outputFile?: string;
}
