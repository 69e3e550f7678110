import type { CliHost } from "../src/cli/index.js";

/** Time of this machine. A pending sleep keeps the process alive until it is over or aborted. */
export const createClock = (): CliHost["clock"] => ({
  now: () => Date.now(),
  monotonic() {
    // What `performance` is behind takes a millisecond to load.
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    }),
});
