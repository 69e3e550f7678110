/** UTF-16 units of one message: a prompt with images fits, what fills the memory does not. */
export const MAX_LINE_UNITS = 64 * 1024 * 1024;

/** Bytes to lines, whatever the pieces they come in. A line that is too long is left out to its end and told once. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  readonly #onTooLong: () => void;
  readonly #max: number;
  #parts: string[] = [];
  #units = 0;
  #isSkipping = false;

  constructor(onTooLong: () => void, max: number = MAX_LINE_UNITS) {
    this.#onTooLong = onTooLong;
    this.#max = max;
  }

  /** Lines that are complete with these bytes, without their ends; empty ones are left out. */
  push(chunk: Uint8Array): readonly string[] {
    const pieces = this.#decoder.decode(chunk, { stream: true }).split("\n");
    const last = pieces.pop() ?? "";
    const lines = pieces.map((piece) => this.#complete(piece)).filter((line) => line.trim() !== "");
    this.#keep(last);
    return lines;
  }

  #complete(piece: string): string {
    this.#keep(piece);
    const line = this.#isSkipping ? "" : this.#parts.join("");
    this.#parts = [];
    this.#units = 0;
    this.#isSkipping = false;
    return line;
  }

  #keep(piece: string): void {
    if (this.#isSkipping || piece === "") return;
    this.#units += piece.length;
    if (this.#units <= this.#max) {
      this.#parts.push(piece);
      return;
    }
    this.#parts = [];
    this.#isSkipping = true;
    this.#onTooLong();
  }
}
