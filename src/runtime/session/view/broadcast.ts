import type { SmithEvent } from "../../../schema/index.js";

export type Listener = (event: SmithEvent) => void;

/** Who observes a session. One that throws is reported, and keeps nothing from the others. */
export class Broadcast {
  readonly #listeners = new Set<Listener>();
  readonly #onFault: (error: unknown) => void;

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  send(event: SmithEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#onFault(error);
      }
    }
  }

  close(): void {
    this.#listeners.clear();
  }
}
