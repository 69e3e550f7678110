import { setImmediate as nextTurn } from "node:timers/promises";

/** So many run before timers and signals are heard. */
const BATCH = 64;

/** Runs what is given, one after the other: each after what the one before it set off, and a few in each turn of the event loop. */
export class Turns {
  readonly #onIdle: () => void;
  #waiting: (() => void)[] = [];
  #isRunning = false;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return !this.#isRunning;
  }

  add(run: () => void): void {
    this.#waiting.push(run);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run().catch(() => undefined);
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      // What one fails at is not the next one's.
      for (const run of batch) await Promise.resolve().then(run).catch(nothing);
      if (batch.length === BATCH) await nextTurn();
    }
    this.#isRunning = false;
    this.#onIdle();
  }
}

const nothing = (): void => undefined;
