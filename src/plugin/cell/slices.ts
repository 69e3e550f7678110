import { CONTROL } from "./protocol.js";

/** Why the running slice was told to stop, when it was. */
export type StopReason = "busy" | "killed";

/** Numbers and times the slices of a thread, one at a time, and shows them to the main side. */
export interface Slices {
  /** Runs `work` as a slice of `invocation` that may take `limitMs`. */
  run(invocation: number, limitMs: number, work: () => void): void;
  /** The engine polls this. */
  mustStop(): boolean;
  /** Of the last slice. */
  readonly stopReason: StopReason | undefined;
  /** What the last slice was allowed, ms. */
  readonly limitMs: number;
}

export function createSlices(control: Int32Array): Slices {
  let number = 0;
  let deadline = Infinity;
  let stopReason: StopReason | undefined;
  let lastLimitMs = 0;
  // The engine also polls while it evaluates the prelude, which is no slice: a late flag must not hit that.
  let isRunning = false;
  return {
    get stopReason() {
      return stopReason;
    },
    get limitMs() {
      return lastLimitMs;
    },
    run(invocation, limitMs, work) {
      number = number === 0x7fffffff ? 1 : number + 1;
      lastLimitMs = limitMs;
      deadline = performance.now() + limitMs;
      stopReason = undefined;
      isRunning = true;
      Atomics.store(control, CONTROL.invocation, invocation);
      Atomics.store(control, CONTROL.limit, limitMs);
      Atomics.store(control, CONTROL.running, number);
      try {
        work();
      } finally {
        Atomics.store(control, CONTROL.running, 0);
        isRunning = false;
      }
    },
    mustStop() {
      if (!isRunning) return false;
      if (Atomics.load(control, CONTROL.kill) === number) stopReason = "killed";
      else if (performance.now() > deadline) stopReason = "busy";
      return stopReason !== undefined;
    },
  };
}
