import type { Clock } from "../base/index.js";
import type { Inspection, OpenOptions, Runtime } from "../runtime/index.js";
import type { Diagnostic } from "../schema/index.js";

/** Where messages go, one a line, and nothing else. */
export interface MessageOutput {
  write(text: string): void;
  /** The reader has fallen behind: what may be left out is. */
  isBehind(): boolean;
  /** Called once when nothing can be written any more. */
  onBroken(listener: () => void): void;
}

/** What a server is made of; it opens sessions in `runtime` and closes them, and closes nothing else. */
export interface McpServerPorts {
  readonly runtime: Runtime;
  readonly inspection: Pick<Inspection, "list" | "entries" | "dump">;
  readonly clock: Clock;
  /** Mode and tools of every session it makes. */
  readonly options: Pick<OpenOptions, "mode" | "tools">;
  readonly input: AsyncIterator<Uint8Array>;
  readonly output: MessageOutput;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** What goes wrong beside any request, told to whoever reads standard error. */
  readonly onTrouble: (text: string) => void;
  /** Hears of diagnostics of the runtime until the returned function is called. */
  readonly observeDiagnostics: (listener: (diagnostic: Diagnostic) => void) => () => void;
}
