/** Something that waits for a person. */
export interface Waiting {
  /** One whose asker was aborted is about to be taken back and is not shown any more. */
  readonly signal: AbortSignal;
  readonly onShown: () => void;
}

/** What waits for a person, oldest first; the first of it is shown, and nothing else. Shared by everything a session asks. */
export class Attention {
  readonly #waiting: Waiting[] = [];
  #shown: Waiting | undefined;

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#showNext();
  }

  /** Takes it back. Tells whether it was shown. What follows is shown by {@link next}, once what has to be told of this was told. */
  remove(waiting: Waiting): boolean {
    const index = this.#waiting.indexOf(waiting);
    if (index !== -1) this.#waiting.splice(index, 1);
    if (this.#shown !== waiting) return false;
    this.#shown = undefined;
    return true;
  }

  next(): void {
    this.#showNext();
  }

  #showNext(): void {
    if (this.#shown !== undefined) return;
    this.#shown = this.#waiting.find(({ signal }) => !signal.aborted);
    this.#shown?.onShown();
  }
}
