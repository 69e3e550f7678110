/** Gives what `waiting` comes to, or nothing at abort, whichever is first. Leaves no listener behind: a turn has one signal for all its rounds. */
export const untilAborted = <Value>(signal: AbortSignal, waiting: Promise<Value>): Promise<Value | undefined> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      resolve(undefined);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    waiting.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject);
    if (signal.aborted) resolve(undefined);
  });

/** A promise that is resolved from outside. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

export function deferred(): Deferred {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
