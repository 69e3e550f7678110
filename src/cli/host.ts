import type { Clock } from "../base/index.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Standard input. Read at most once; `close` ends a pending read, after which the process no longer waits for this stream. */
export interface InputPort {
  /** `idle-prone`: a pipe or socket, whose writer may never write. `file` also stands for devices such as /dev/null. */
  readonly kind: "terminal" | "idle-prone" | "file";
  chunks(): AsyncIterator<Uint8Array>;
  close(): void;
}

/** Standard output or standard error. */
export interface OutputPort {
  readonly isTerminal: boolean;
  readonly columns: number | undefined;
  /** Calls `done` once the bytes are with the operating system, or with the error that kept them from getting there. */
  write(text: string, done: (error?: Error | null) => void): void;
  /** From now on nothing gets there but what is written here: what else the process prints to it goes to standard error. */
  claim?(): void;
}

/** A file that is there under its name whole, or not at all. Each call rejects with the system's error. */
export interface FileOutput {
  write(text: string): Promise<void>;
  /** Puts it in its place, on disk. Rejects with code "EEXIST" when one is there and was not to be replaced. */
  publish(): Promise<void>;
  /** Leaves nothing behind. Never rejects; does nothing after `publish`. */
  discard(): Promise<void>;
}

/** The part of the terminal's streams and the process the interface takes over. Shaped as the interface's own port. */
export interface TerminalPort {
  readonly input: {
    setRawMode?(on: boolean): unknown;
    on(event: "data" | "end" | "error", listener: (chunk: Uint8Array) => void): unknown;
    off(event: "data" | "end" | "error", listener: (chunk: Uint8Array) => void): unknown;
    resume(): unknown;
    pause(): unknown;
  };
  readonly output: {
    readonly columns?: number;
    readonly rows?: number;
    readonly fd?: number;
    readonly writableNeedDrain?: boolean;
    write(text: string): boolean;
    on(event: "resize" | "drain" | "error", listener: () => void): unknown;
    off(event: "resize" | "drain" | "error", listener: () => void): unknown;
  };
  readonly process: {
    onSignal(listener: (signal: StopSignal | "SIGCONT") => void): () => void;
    onFatal(listener: (error: unknown) => void): () => void;
    onExitRestore(restore: () => void): () => void;
    stop(): void;
  };
}

/** Everything the command line takes from the process it runs in; made in `bin`, replaced in tests. */
export interface CliHost {
  readonly env: Environment;
  readonly cwd: string;
  readonly platform: string;
  /** Of Node.js. */
  readonly nodeVersion: string;
  readonly pid: number;
  readonly hostName: string;
  readonly tempDir: string;
  /** Folder of the built program. */
  readonly installDir: URL;
  readonly clock: Clock;
  readonly stdin: InputPort;
  readonly stdout: OutputPort;
  readonly stderr: OutputPort;
  /** From 0 to 1, for jitter. */
  random(): number;
  /** Fills with bytes fit for ids. */
  randomBytes(into: Uint8Array): void;
  /** The account's home folder as the system knows it. */
  userHome(): string | undefined;
  /** Rejects with the system's error, or with `code` "ERR_TOO_LARGE" when the file has more than `maxBytes`. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array>;
  /** A file piece by piece, for one of any size. Rejects with the system's error. */
  fileChunks(path: string): AsyncIterator<Uint8Array>;
  /** Begins a file; rejects with code "EEXIST" when one is there, unless it may be replaced, and "ERR_NO_FILE" when it is no file. */
  createFile(path: string, replace: boolean): Promise<FileOutput>;
  /** Appends, making the file (for its owner alone) and its folder; a file above `maxBytes` is renamed to `.old` first. */
  appendFile(path: string, text: string, maxBytes: number): Promise<void>;
  /** `path` without the links on its way, as the system names the folder one is in; undefined when it is not there. */
  realPath(path: string): Promise<string | undefined>;
  /** Whether folders can be made where `path` is not there yet: on what only looks like a file system Node would try for ever. */
  canHold(path: string): Promise<boolean>;
  /** Whether `path` is a folder one can enter. */
  isDirectory(path: string): Promise<boolean>;
  /** Called at each signal until the returned function is called; the process then no longer dies of them by itself. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  onFatal(listener: (error: unknown) => void): () => void;
  /** Ends the process at once, losing what is not yet written. */
  endNow(status: number): void;
  terminal(): TerminalPort;
}
