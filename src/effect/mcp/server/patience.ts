import type { Clock } from "../../../base/index.js";

/** However much progress a server tells. */
const MAX_TOTAL_MS = 3_600_000;

/** How long one request is waited for: so long after the last that was heard of it, not counting while a person is asked. */
export class Patience {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #over = new AbortController();
  #until: number;
  #holds = 0;
  #heldSince = 0;
  #isDone = false;
  #sleep = new AbortController();

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#until = clock.monotonic() + Math.max(MAX_TOTAL_MS, timeoutMs);
    this.heard();
  }

  /** Aborts when it is at its end. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  heard(): void {
    this.#sleep.abort();
    if (this.#isDone || this.#holds > 0) return;
    const sleep = new AbortController();
    this.#sleep = sleep;
    const ms = Math.max(1, Math.min(this.#timeoutMs, this.#until - this.#clock.monotonic()));
    const waited = this.#clock.sleep(ms, sleep.signal).then(() => {
      if (!sleep.signal.aborted) this.#over.abort(new Error("it took too long"));
    });
    waited.catch(() => undefined);
  }

  hold(): void {
    if (this.#holds === 0) this.#heldSince = this.#clock.monotonic();
    this.#holds += 1;
    this.#sleep.abort();
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    this.#until += this.#clock.monotonic() - this.#heldSince;
    this.heard();
  }

  end(): void {
    this.#isDone = true;
    this.#sleep.abort();
  }
}
