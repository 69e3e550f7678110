import type { Clock } from "../../base/index.js";

/** A limit on the time an invocation works. It stands still while a person is asked. */
export class Deadline {
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #leftMs: number;
  #pauses = 0;
  #running: { readonly since: number; readonly timer: AbortController } | undefined;
  #isStopped = false;

  constructor(clock: Clock, limitMs: number, onOver: () => void) {
    this.#clock = clock;
    this.#leftMs = limitMs;
    this.#onOver = onOver;
    this.#run();
  }

  /** Several may hold it at once; it goes on when none does. */
  pause(): void {
    this.#pauses += 1;
    if (this.#running === undefined) return;
    this.#leftMs -= this.#clock.monotonic() - this.#running.since;
    this.#running.timer.abort("paused");
    this.#running = undefined;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  /** For good. */
  stop(): void {
    this.#isStopped = true;
    this.#running?.timer.abort("over");
    this.#running = undefined;
  }

  #run(): void {
    if (this.#isStopped) return;
    const timer = new AbortController();
    this.#running = { since: this.#clock.monotonic(), timer };
    this.#clock
      .sleep(Math.max(0, this.#leftMs), timer.signal)
      .then(() => {
        if (!timer.signal.aborted) this.#onOver();
      })
      .catch((error: unknown) => {
        // A clock does not reject and stopping does not throw: whatever this is, it is a bug and must be seen.
        queueMicrotask(() => {
          throw error;
        });
      });
  }
}
