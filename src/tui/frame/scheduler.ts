import type { Clock } from "../../base/index.js";

/** After a key, the frame does not wait unless another was painted within this many ms. */
const INPUT_SPACING_MS = 4;

export interface Timers {
  /** Runs `work` soon, after the events at hand. Returns its cancellation. */
  soon(work: () => void): () => void;
  after(ms: number, work: () => void): () => void;
}

export const nodeTimers: Timers = {
  soon: (work) => {
    let wanted = true;
    setImmediate(() => {
      if (wanted) work();
    });
    // Not clearImmediate: called while an error thrown by another immediate is handled, it breaks Node's queue for good.
    return () => {
      wanted = false;
    };
  },
  after: (ms, work) => {
    const handle = setTimeout(work, ms);
    return () => {
      clearTimeout(handle);
    };
  },
};

/**
 * Decides when to paint: the first change at once, then at most one frame per `frameMs`; a key's echo waits for neither. Nothing to
 * paint, no timer.
 */
export class FrameScheduler {
  private lastFrame = Number.NEGATIVE_INFINITY;
  private cancel: (() => void) | undefined;
  private due = Number.POSITIVE_INFINITY;
  private readonly clock: Clock;
  private readonly frameMs: number;
  private readonly paint: () => void;
  private readonly timers: Timers;
  private stopped = false;

  constructor(options: { readonly clock: Clock; readonly frameMs: number; readonly paint: () => void; readonly timers: Timers }) {
    this.clock = options.clock;
    this.frameMs = options.frameMs;
    this.paint = options.paint;
    this.timers = options.timers;
  }

  request(cause: "input" | "change"): void {
    if (this.stopped) return;
    const now = this.clock.monotonic();
    const at = Math.max(now, this.lastFrame + (cause === "input" ? INPUT_SPACING_MS : this.frameMs));
    if (this.cancel !== undefined && this.due <= at) return;
    this.cancel?.();
    this.due = at;
    const run = (): void => {
      this.cancel = undefined;
      this.due = Number.POSITIVE_INFINITY;
      this.lastFrame = this.clock.monotonic();
      this.paint();
    };
    this.cancel = at <= now ? this.timers.soon(run) : this.timers.after(at - now, run);
  }

  stop(): void {
    this.stopped = true;
    this.cancel?.();
    this.cancel = undefined;
  }
}
