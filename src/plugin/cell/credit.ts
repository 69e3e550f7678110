/** Host calls a guest has in the air. Without a bound a loop could fill the queue to the main thread. */
export class CallCredit {
  readonly #units = new Map<number, number>();
  readonly #maxCalls: number;
  readonly #maxUnits: number;
  #outstandingUnits = 0;

  constructor(maxCalls: number, maxUnits: number) {
    this.#maxCalls = maxCalls;
    this.#maxUnits = maxUnits;
  }

  get outstanding(): number {
    return this.#units.size;
  }

  /** False: no credit left, or the number is in use. */
  take(call: number, units: number): boolean {
    if (this.#units.size >= this.#maxCalls || this.#outstandingUnits + units > this.#maxUnits || this.#units.has(call)) return false;
    this.#units.set(call, units);
    this.#outstandingUnits += units;
    return true;
  }

  /** False: there was no such call. */
  give(call: number): boolean {
    const units = this.#units.get(call);
    if (units === undefined) return false;
    this.#units.delete(call);
    this.#outstandingUnits -= units;
    return true;
  }
}

/** Lines per second a guest may log; what is over is counted and told with the next line that passes. */
export class LogBudget {
  readonly #perSecond: number;
  #windowStart = -Infinity;
  #used = 0;
  #dropped = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Lines dropped before this one; undefined when this one is dropped too. `now` in ms of any steady clock. */
  take(now: number): number | undefined {
    if (now - this.#windowStart >= 1_000) {
      this.#windowStart = now;
      this.#used = 0;
    }
    if (this.#used >= this.#perSecond) {
      this.#dropped += 1;
      return undefined;
    }
    this.#used += 1;
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
