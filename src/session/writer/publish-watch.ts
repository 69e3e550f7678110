import type { GrowthWatch } from "../reader/index.js";

/** Growth of a file that this very process writes: told directly. */
export class PublishWatch implements GrowthWatch {
  readonly #onClose: () => void;
  #hasNews = false;
  #wake: (() => void) | undefined;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  tell(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  async grown(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#hasNews && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          signal?.removeEventListener("abort", wake);
          this.#wake = undefined;
          resolve();
        };
        this.#wake = wake;
        signal?.addEventListener("abort", wake);
      });
    }
    this.#hasNews = false;
  }

  close(): void {
    this.#onClose();
    this.#wake?.();
  }
}
