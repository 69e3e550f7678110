import { type GrowthWatch, News } from "../reader/index.js";

/** Growth of a file that this very process writes: told directly. */
export class PublishWatch implements GrowthWatch {
  readonly #onClose: () => void;
  readonly #news = new News();

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  tell(): void {
    this.#news.tell();
  }

  grown(signal: AbortSignal | undefined): Promise<void> {
    return this.#news.heard(signal);
  }

  close(): void {
    this.#onClose();
    this.#news.release();
  }
}
