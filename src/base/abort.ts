import { setMaxListeners } from "node:events";

/**
 * The end of `work`, or `"aborted"` at once when `signal` aborts. The work goes on unheard: a rejection after the abort is
 * nobody's any more. As many as like may wait for one signal: it is no leak that Node has to warn of.
 */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      resolve("aborted");
    };
    if (signal.aborted) onAbort();
    else {
      setMaxListeners(0, signal);
      signal.addEventListener("abort", onAbort, { once: true });
    }
    const over = (): void => {
      signal.removeEventListener("abort", onAbort);
    };
    work.then(resolve, reject).then(over, over);
  });
}
