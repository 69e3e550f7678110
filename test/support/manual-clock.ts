import type { Clock } from "../../src/base/index.js";

export interface ManualClock extends Clock {
  /** Moves time on and wakes, in order of their time, everyone whose sleep is over. */
  advance(ms: number): Promise<void>;
  /** Resolves once at least `count` sleeps are pending: the way to know that a wait has begun. */
  sleeping(count?: number): Promise<void>;
  /** ms still to go of every pending sleep, shortest first. */
  readonly pending: readonly number[];
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test moves it. Epoch and monotonic time go together. */
export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let sleepers: Sleeper[] = [];
  let watchers: { readonly count: number; readonly resolve: () => void }[] = [];
  const notice = (): void => {
    const reached = watchers.filter((watcher) => sleepers.length >= watcher.count);
    watchers = watchers.filter((watcher) => sleepers.length < watcher.count);
    for (const watcher of reached) watcher.resolve();
  };
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true || ms <= 0) {
          resolve();
          return;
        }
        const sleeper: Sleeper = { at: elapsed + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener(
          "abort",
          () => {
            sleepers = sleepers.filter((other) => other !== sleeper);
            resolve();
          },
          { once: true },
        );
        notice();
      }),
    advance: async (ms) => {
      const until = elapsed + ms;
      for (;;) {
        const next = sleepers.filter((sleeper) => sleeper.at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        elapsed = Math.max(elapsed, next.at);
        sleepers = sleepers.filter((other) => other !== next);
        next.wake();
        await turn();
      }
      elapsed = until;
      await turn();
    },
    sleeping: (count = 1) =>
      new Promise((resolve) => {
        watchers.push({ count, resolve });
        notice();
      }),
    get pending() {
      return sleepers.map((sleeper) => sleeper.at - elapsed).sort((a, b) => a - b);
    },
  };
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
