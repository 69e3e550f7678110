/** Time as an injected dependency. `now` is ms since the epoch, `monotonic` ms from an arbitrary start. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /**
   * Resolves after `ms`, or at once when `signal` aborts; never rejects. Abort with a reason of your own: without one Node
   * makes an exception with a stack for each.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
