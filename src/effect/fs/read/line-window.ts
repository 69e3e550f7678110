import { utf8Length } from "../../../base/index.js";

export interface WindowBounds {
  /** 1-based. */
  readonly firstLine: number;
  readonly maxLines: number;
  /** UTF-8 bytes of the shown lines, one for each line end included. */
  readonly maxBytes: number;
  /** Characters after which a shown line is cut. */
  readonly maxLineCharacters: number;
}

export interface LineWindow {
  push(text: string): void;
  /** A line behind the window was seen: whatever follows is only counted. */
  readonly isFull: boolean;
  /** The line that is being taken, 1-based. */
  readonly line: number;
  end(): {
    readonly lines: readonly string[];
    readonly totalLines: number;
    readonly cutLines: readonly { readonly line: number; readonly length: number }[];
    readonly truncated: boolean;
  };
}

/** Characters (code points) of a text whose pairs are whole. */
const lengthOf = (text: string): number => text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);

/**
 * Takes decoded text in pieces of any size and keeps the lines of one window; memory is bounded by the window whatever the
 * file. `\r\n` and `\n` end a line; what follows the last line end is a line only when it is not empty.
 */
export const createLineWindow = (bounds: WindowBounds): LineWindow => new Window(bounds);

class Window implements LineWindow {
  readonly #bounds: WindowBounds;
  readonly #lines: string[] = [];
  readonly #cutLines: { line: number; length: number }[] = [];
  #bytes = 0;
  #leftOut = false;
  /** The line that is being taken. */
  #number = 1;
  #kept = "";
  #characters = 0;
  #units = 0;
  #isOpen = false;
  #endsInReturn = false;

  constructor(bounds: WindowBounds) {
    this.#bounds = bounds;
  }

  get isFull(): boolean {
    return this.#leftOut;
  }

  get line(): number {
    return this.#number;
  }

  push(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      this.#add(text.slice(from, at));
      this.#close(this.#endsInReturn);
      from = at + 1;
    }
    this.#add(text.slice(from));
  }

  end(): ReturnType<LineWindow["end"]> {
    if (this.#isOpen) this.#close(false);
    return { lines: this.#lines, totalLines: this.#number - 1, cutLines: this.#cutLines, truncated: this.#leftOut };
  }

  #add(piece: string): void {
    if (piece === "") return;
    this.#isOpen = true;
    this.#endsInReturn = piece.endsWith("\r");
    if (this.#leftOut || this.#number < this.#bounds.firstLine) return;
    this.#characters += lengthOf(piece);
    this.#units += piece.length;
    // Two units a character at most, and one for the return that may belong to the line end.
    const room = this.#bounds.maxLineCharacters * 2 + 1 - this.#kept.length;
    if (room > 0) this.#kept += piece.slice(0, room);
  }

  #close(hasReturn: boolean): void {
    if (hasReturn) {
      this.#characters -= 1;
      if (this.#kept.length === this.#units) this.#kept = this.#kept.slice(0, -1);
    }
    this.#show();
    this.#number += 1;
    this.#kept = "";
    this.#characters = 0;
    this.#units = 0;
    this.#isOpen = false;
    this.#endsInReturn = false;
  }

  #show(): void {
    const { firstLine, maxLines, maxBytes, maxLineCharacters } = this.#bounds;
    if (this.#leftOut || this.#number < firstLine) return;
    const isCut = this.#characters > maxLineCharacters;
    const text = isCut ? [...this.#kept].slice(0, maxLineCharacters).join("") : this.#kept;
    this.#bytes += utf8Length(text) + 1;
    this.#leftOut = this.#lines.length >= maxLines || (this.#bytes > maxBytes && this.#lines.length > 0);
    if (this.#leftOut) return;
    if (isCut) this.#cutLines.push({ line: this.#number, length: this.#characters });
    this.#lines.push(text);
  }
}
