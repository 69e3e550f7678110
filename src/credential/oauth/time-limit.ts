import type { Clock } from "../../base/index.js";

/** Does `work` with a signal that also aborts after `ms`. Leaves no timer behind. */
export async function withinTime<End>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<End>,
): Promise<End> {
  const limit = new AbortController();
  const over = new AbortController();
  const ticking = clock.sleep(ms, over.signal).then(() => {
    limit.abort("time limit");
  });
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    over.abort("ended");
    await ticking;
  }
}
