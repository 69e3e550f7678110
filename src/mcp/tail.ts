import { utf8Length } from "../base/index.js";

/** Keeps the newest whole pieces that together have no more than so many UTF-8 bytes. */
export class Tail {
  readonly #max: number;
  #pieces: { readonly text: string; readonly bytes: number }[] = [];
  #bytes = 0;
  #omitted = 0;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  push(text: string): void {
    const bytes = utf8Length(text);
    this.#pieces.push({ text, bytes });
    this.#bytes += bytes;
    let from = 0;
    for (const piece of this.#pieces) {
      if (this.#bytes <= this.#max) break;
      this.#bytes -= piece.bytes;
      from += 1;
    }
    if (from === 0) return;
    this.#omitted += from;
    this.#pieces = this.#pieces.slice(from);
  }

  get text(): string {
    return this.#pieces.map(({ text }) => text).join("");
  }

  /** Pieces that were left out. */
  get omitted(): number {
    return this.#omitted;
  }
}
