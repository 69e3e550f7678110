import type { Clock } from "../../src/base/index.js";
import type { Timers } from "../../src/tui/frame/index.js";

/** Timers and clock that move only when told. */
export class ManualTimers implements Timers {
  time = 0;
  private readonly waiting = new Set<{ readonly at: number; readonly work: () => void }>();

  readonly clock: Clock = {
    now: () => this.time,
    monotonic: () => this.time,
    sleep: () => Promise.resolve(),
  };

  get pending(): number {
    return this.waiting.size;
  }

  soon(work: () => void): () => void {
    return this.after(0, work);
  }

  after(ms: number, work: () => void): () => void {
    const timer = { at: this.time + ms, work };
    this.waiting.add(timer);
    return () => {
      this.waiting.delete(timer);
    };
  }

  /** Moves on, running what is due in order. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const next = [...this.waiting].filter(({ at }) => at <= end).sort((left, right) => left.at - right.at)[0];
      if (next === undefined) break;
      this.waiting.delete(next);
      this.time = Math.max(this.time, next.at);
      next.work();
    }
    this.time = end;
  }
}
