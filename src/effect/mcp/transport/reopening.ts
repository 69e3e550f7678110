import type { Clock } from "../../../base/index.js";

export const REOPENING = {
  /** Between the end of a stream and the next attempt, whatever the server says; doubled each time it ended at once. */
  minMs: 1_000,
  maxMs: 30_000,
  /** A stream that ends within this time ended at once. */
  atOnceMs: 1_000,
  /** So often in a row it may. */
  maxAtOnce: 5,
} as const;

/** Paces the opening of one stream of events again and again. */
export class Reopening {
  readonly #clock: Clock;
  #openedMs: number | undefined;
  #endedMs = 0;
  #atOnce = 0;
  #isOpen = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until it may be opened. False: it is open, or it ended at once too often and is given up. */
  async mayOpen(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#isOpen || this.#atOnce >= REOPENING.maxAtOnce) return false;
    if (this.#openedMs === undefined) return true;
    const wait = Math.min(REOPENING.minMs * 2 ** Math.max(0, this.#atOnce - 1), REOPENING.maxMs);
    const left = this.#endedMs + wait - this.#clock.monotonic();
    if (left > 0) await this.#clock.sleep(left, signal);
    return true;
  }

  opened(): void {
    this.#isOpen = true;
    this.#openedMs = this.#clock.monotonic();
    this.#endedMs = this.#openedMs;
  }

  ended(): void {
    this.#isOpen = false;
    this.#endedMs = this.#clock.monotonic();
    this.#atOnce = this.#openedMs !== undefined && this.#endedMs - this.#openedMs < REOPENING.atOnceMs ? this.#atOnce + 1 : 0;
  }
}
