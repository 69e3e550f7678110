/** Time as an injected dependency. `now` is ms since the epoch, `monotonic` ms from an arbitrary start. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects and never keeps the process alive by itself when `unref` is set. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
