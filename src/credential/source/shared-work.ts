import { orAborted } from "../../base/index.js";

/** Work that whoever needs its end joins, so that it is done once at a time. */
export interface SharedWork<End> {
  /** Its end, or `"aborted"` at once when `signal` aborts. */
  join(signal: AbortSignal): Promise<End | "aborted">;
  /** It was told to stop: nobody joins it any more. */
  readonly isStopping: boolean;
  /** Tells it to stop. */
  stop(): void;
  /** Resolves when it has ended, however. */
  ended(): Promise<void>;
}

/** Begins it. `work` is told to stop when nobody waits any more, unless it `outlivesWaiters`. */
export function shareWork<End>(
  work: (signal: AbortSignal) => Promise<End>,
  { outlivesWaiters }: { readonly outlivesWaiters: boolean },
): SharedWork<End> {
  const stopping = new AbortController();
  const end = work(stopping.signal);
  const over = end.then(
    () => undefined,
    // Who joined hears of a rejection; nobody else has to.
    () => undefined,
  );
  let waiting = 0;
  return {
    async join(signal) {
      waiting += 1;
      try {
        return await orAborted(end, signal);
      } finally {
        waiting -= 1;
        if (waiting === 0 && !outlivesWaiters) stopping.abort("nobody waits");
      }
    },
    get isStopping() {
      return stopping.signal.aborted;
    },
    stop: () => {
      stopping.abort("closed");
    },
    ended: async () => {
      await over;
    },
  };
}

/** At most one work for a name at a time. */
export interface SharedWorks<End> {
  /** Joins the work for a name, beginning it where there is none. */
  join(name: string, work: (signal: AbortSignal) => Promise<End>, signal: AbortSignal): Promise<End | "aborted">;
  readonly running: () => readonly SharedWork<End>[];
}

export function createSharedWorks<End>(options: { readonly outlivesWaiters: boolean }): SharedWorks<End> {
  const works = new Map<string, SharedWork<End>>();
  const begun = new Set<SharedWork<End>>();
  const begin = (name: string, work: (signal: AbortSignal) => Promise<End>): SharedWork<End> => {
    const own = shareWork(work, options);
    works.set(name, own);
    begun.add(own);
    own.ended().then(
      () => {
        begun.delete(own);
        if (works.get(name) === own) works.delete(name);
      },
      () => undefined,
    );
    return own;
  };
  return {
    async join(name, work, signal) {
      if (signal.aborted) return "aborted";
      const there = works.get(name);
      return await (there === undefined || there.isStopping ? begin(name, work) : there).join(signal);
    },
    running: () => [...begun],
  };
}
