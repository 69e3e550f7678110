import type { Clock, Result } from "../base/index.js";
import type { RuntimeSession } from "../runtime/index.js";
import type { Diagnostic, ExitStatus } from "../schema/index.js";
import type { ModelPort } from "./models/index.js";
import type { AdminPort, PluginRuntime } from "./plugins/index.js";

/** The part of a terminal's read stream the interface uses; `process.stdin` satisfies it. */
export interface TerminalInput {
  setRawMode?(on: boolean): unknown;
  on(event: "data" | "end" | "error", listener: (chunk: Uint8Array) => void): unknown;
  off(event: "data" | "end" | "error", listener: (chunk: Uint8Array) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** The part of a terminal's write stream the interface uses; `process.stdout` satisfies it. `fd` allows synchronous restoring. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
  readonly writableNeedDrain?: boolean;
  write(text: string): boolean;
  on(event: "resize" | "drain" | "error", listener: () => void): unknown;
  off(event: "resize" | "drain" | "error", listener: () => void): unknown;
}

/** Environment variables by name; the interface reads TERM, COLORTERM, COLORFGBG, NO_COLOR, FORCE_COLOR, SSH_TTY, SSH_CONNECTION, HOME, SMITH_NO_SYNC. */
export type EnvView = Readonly<Record<string, string | undefined>>;

export type TuiSignal = "SIGTERM" | "SIGHUP" | "SIGINT" | "SIGCONT";

/** What the process offers; each `on…` returns its unsubscribe function. */
export interface ProcessPort {
  onSignal(listener: (signal: TuiSignal) => void): () => void;
  /** Uncaught exceptions and unhandled rejections. */
  onFatal(listener: (error: unknown) => void): () => void;
  /** `restore` runs synchronously when the process ends, whatever the reason. It is idempotent. */
  onExitRestore(restore: () => void): () => void;
  /** Stops this process (SIGSTOP to itself); returns when the request was made. */
  stop(): void;
}

export interface TuiOptions {
  /** Called once, after the first frame is on the screen: everything heavy belongs behind it. */
  readonly open: () => Promise<Result<RuntimeSession, Diagnostic>>;
  /** What plugins bring; asked for once `open` has resolved. */
  readonly plugins?: () => PluginRuntime | undefined;
  /** What goes wrong beside any session from now on, such as a plugin that does not load again. Returns the unsubscribe function. */
  readonly problems?: (listener: (problem: Diagnostic) => void) => () => void;
  /** Looking after plugins. Called when it is first needed. */
  readonly admin?: () => Promise<AdminPort>;
  /** Choosing a model by looking at those there are. */
  readonly models?: ModelPort;
  /** Name of a theme, built in or of a plugin; left out: dark or light, as the background is. */
  readonly theme?: string;
  /** `untrusted`: something of the project is not used until it is trusted; people are told. `refused`: nor is it then, in this run. */
  readonly project?: "untrusted" | "refused";
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly env: EnvView;
  readonly clock: Clock;
  readonly cwd: string;
  readonly version: string;
  readonly process: ProcessPort;
  /** Submitted as soon as the session is open. */
  readonly initialPrompt?: string;
  /** Bytes read from the terminal before this was called. They are decoded first. */
  readonly typedAhead?: Uint8Array;
  /** `firstFrame` is already on the screen (so the alternate screen is entered and raw mode is on). */
  readonly painted?: boolean;
  /** How many rows of the transcript the farewell repeats. Default 20, 0 for none. */
  readonly farewellRows?: number;
}

/** `farewell` is plain text for the normal screen, already safe to print; it ends with a newline unless empty. */
export interface TuiEnd {
  readonly status: ExitStatus;
  readonly farewell: string;
}

/** What happened while the interface was being loaded. */
export interface EarlyEvents {
  readonly signal: TuiSignal | undefined;
  readonly fatal: { readonly error: unknown } | undefined;
  /** Ends the listening for them; called once the interface listens by itself. */
  release(): void;
}
