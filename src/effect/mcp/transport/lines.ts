import { StringDecoder } from "node:string_decoder";

/** Of a line that is too long: so much of its beginning and of its end is told. */
const END_UNITS = 100;

/** Lines of UTF-8, however their bytes are cut. One that is too long is passed over whole. */
export class LineReader {
  readonly #decoder = new StringDecoder("utf8");
  readonly #max: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: (ends: string) => void;
  #line = "";
  #head = "";
  #isTooLong = false;

  constructor(max: number, onLine: (line: string) => void, onTooLong: (ends: string) => void) {
    this.#max = max;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  /** What is left counts as a line. */
  end(): void {
    this.#take(`${this.#decoder.end()}\n`);
  }

  #take(text: string): void {
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      this.#add(text.slice(from, to));
      if (this.#isTooLong) this.#onTooLong(`${this.#head}…${this.#line}`);
      else this.#onLine(this.#line);
      this.#line = "";
      this.#isTooLong = false;
      from = to + 1;
    }
    this.#add(text.slice(from));
  }

  #add(piece: string): void {
    if (!this.#isTooLong && this.#line.length + piece.length > this.#max) {
      this.#isTooLong = true;
      this.#head = (this.#line + piece).slice(0, END_UNITS);
    }
    const line = this.#isTooLong ? this.#line.slice(-END_UNITS) + piece : this.#line + piece;
    this.#line = this.#isTooLong ? line.slice(-END_UNITS) : line;
  }
}
