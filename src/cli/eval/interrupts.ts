import type { ExitStatus } from "../../schema/index.js";
import type { CliHost, StopSignal } from "../host.js";

export const SIGNAL_STATUS: Readonly<Record<StopSignal, ExitStatus>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** The first signal asks the run to stop; a second one ends the process at once. */
export interface Interrupts {
  received(): StopSignal | undefined;
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** What a process that ends at once must not leave behind is ended by `work`, synchronously. */
  onLast(work: () => void): void;
  /** Gives the signals back to the process. */
  dispose(): void;
}

export function watchInterrupts(host: Pick<CliHost, "onSignal" | "endNow">): Interrupts {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  let last: () => void = () => undefined;
  const dispose = host.onSignal((signal) => {
    if (received !== undefined) {
      last();
      host.endNow(SIGNAL_STATUS[signal]);
      return;
    }
    received = signal;
    controller.abort();
  });
  return {
    received: () => received,
    signal: controller.signal,
    onLast(work) {
      last = work;
    },
    dispose,
  };
}
