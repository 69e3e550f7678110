import type { ProcessPort, TuiSignal } from "../types.js";

/** The part of Node's process that {@link createProcessPort} needs. */
export interface NodeProcess {
  readonly pid: number;
  readonly platform: string;
  on(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: (...args: never[]) => void): unknown;
  kill(pid: number, signal: string): unknown;
}

const SIGNALS: readonly TuiSignal[] = ["SIGTERM", "SIGHUP", "SIGINT", "SIGCONT"];

/** {@link ProcessPort} over Node's process, which the caller passes in. */
export function createProcessPort(node: NodeProcess): ProcessPort {
  const listen = (event: string, listener: (...args: never[]) => void): (() => void) => {
    node.on(event, listener);
    return () => {
      node.off(event, listener);
    };
  };
  const all = (stops: readonly (() => void)[]) => (): void => {
    for (const stop of stops) stop();
  };
  return {
    onSignal: (listener) =>
      all(
        SIGNALS.filter((signal) => signal !== "SIGCONT" || node.platform !== "win32").map((signal) =>
          listen(signal, () => {
            listener(signal);
          }),
        ),
      ),
    onFatal: (listener) => all([listen("uncaughtException", listener), listen("unhandledRejection", listener)]),
    onExitRestore: (restore) => listen("exit", restore),
    stop: () => {
      // A stop signal to the whole group would be SIGTSTP's job, but a self-sent SIGTSTP is dropped for orphaned groups.
      if (node.platform !== "win32") node.kill(node.pid, "SIGSTOP");
    },
  };
}
