import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { recoverable } from "../refusal.js";

/**
 * What is asked of plugins beside any turn: commands, calls of tools. None of it is a change that abort waits for: it may itself wait for
 * a person, or for the turn that is to be aborted.
 */
export class Errands {
  readonly #running = new Set<Promise<unknown>>();
  #aborting = new AbortController();

  async run<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Result<Value, Diagnostic>> {
    const { signal } = this.#aborting;
    const running = recoverable(async () => await work(signal));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Those that run; later ones begin anew. */
  abort(): void {
    this.#aborting.abort();
    this.#aborting = new AbortController();
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
