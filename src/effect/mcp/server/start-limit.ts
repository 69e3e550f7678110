import { type Clock, orAborted } from "../../../base/index.js";
import { TimedOut } from "./errors.js";

/** How long the whole start of a server may take: opening it, agreeing, and reading its lists. Stops at once when `closing` aborts. */
export class StartLimit {
  readonly #over = new AbortController();
  readonly #closing: AbortSignal;
  readonly #stop: () => void;

  constructor(clock: Clock, timeoutMs: number, closing: AbortSignal) {
    this.#closing = closing;
    this.#stop = () => {
      this.#over.abort(closing.reason);
    };
    if (closing.aborted) this.#stop();
    closing.addEventListener("abort", this.#stop, { once: true });
    const waited = clock.sleep(timeoutMs, this.signal).then(() => {
      if (!this.signal.aborted) this.#over.abort(new TimedOut("it did not come up in time"));
    });
    waited.catch(() => undefined);
  }

  /** Aborts with `closing`, at the end of the time, and when the start is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The end of a step, which goes on unheard after the limit. */
  async within<T>(step: Promise<T>): Promise<T> {
    const done = await orAborted(step, this.signal);
    if (done !== "aborted") return done;
    throw this.signal.reason instanceof Error ? this.signal.reason : new Error("it was closed");
  }

  end(): void {
    this.#closing.removeEventListener("abort", this.#stop);
    this.#over.abort("over");
  }
}
