export interface GridSize {
  readonly columns: number;
  readonly rows: number;
}

/** One row; `continues`: the line of the one before. A wide character has an empty cell behind it. */
interface Row {
  cells: string[];
  continues: boolean;
}

interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** A cell nothing stands in: a blank between others, nothing behind them. */
const GAP = "\0";
const BLANKS: ReadonlySet<string> = new Set([GAP, " ", ""]);

const blankRow = (): Row => ({ cells: [], continues: false });

/** Of a line that goes on over so many characters the beginning is handed on. */
const HELD_UNITS = 4_096;

const TAKES_NO_CELL = /^[\p{M}\p{Cf}\u1160-\u11ff]$/u;
const TAKES_TWO =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** As terminals do: a combining mark takes no cell, a wide character two. Control characters never come here. */
function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  if (TAKES_NO_CELL.test(character)) return 0;
  return TAKES_TWO.test(character) ? 2 : 1;
}

/**
 * What a terminal of a fixed size shows: rows of cells and a cursor. Lines that leave it at the top are given to `onText`. Columns and
 * rows count from 0; every move ends inside.
 */
export class Grid {
  readonly #size: GridSize;
  readonly #onText: (text: string) => void;
  #rows: Row[];
  #row = 0;
  /** `columns`: behind the last cell, where the next character begins a new row. */
  #column = 0;
  #saved: Cursor = { row: 0, column: 0 };
  #top = 0;
  #bottom: number;
  #last = "";
  /** The line that left last: it may go on. */
  #held: string | undefined;
  wraps = true;

  constructor(size: GridSize, onText: (text: string) => void) {
    this.#size = size;
    this.#onText = onText;
    this.#bottom = size.rows - 1;
    this.#rows = Array.from({ length: size.rows }, blankRow);
  }

  get cursor(): Cursor {
    return { row: this.#row, column: Math.min(this.#column, this.#size.columns - 1) };
  }

  /** Text without control characters. */
  print(text: string): void {
    for (const character of text) this.#put(character);
  }

  repeatLast(times: number): void {
    if (this.#last !== "") this.print(this.#last.repeat(Math.min(times, this.#size.columns * this.#size.rows)));
  }

  #put(character: string): void {
    const { columns } = this.#size;
    const width = widthOf(character);
    if (width === 0) {
      this.#combine(character);
      return;
    }
    if (this.#column + width > columns) {
      if (this.wraps) {
        this.#down();
        this.#current().continues = true;
        this.#column = 0;
      } else this.#column = columns - width;
    }
    const { cells } = this.#current();
    this.#clearHalves(cells, this.#column, width);
    while (cells.length < this.#column) cells.push(GAP);
    cells[this.#column] = character;
    if (width === 2) cells[this.#column + 1] = "";
    this.#column += width;
    this.#last = character;
  }

  #combine(mark: string): void {
    const { cells } = this.#current();
    let at = Math.min(this.#column, cells.length) - 1;
    while (at > 0 && cells[at] === "") at -= 1;
    const before = cells[at];
    // A letter with more marks than any script has is not kept growing.
    if (before !== undefined && before.length < 16) cells[at] = before + mark;
  }

  /** What is left of a wide character that is overwritten in part is a blank. */
  #clearHalves(cells: string[], column: number, width: number): void {
    if (cells[column] === "" && column > 0) cells[column - 1] = GAP;
    if (cells[column + width] === "") cells[column + width] = GAP;
  }

  #current(): Row {
    return this.#rows[this.#row] ?? blankRow();
  }

  /** To the next row, in the same column, where a new line begins; below a region that scrolls there may be none. */
  lineFeed(): void {
    const before = this.#row;
    this.index();
    if (this.#row !== before) this.#current().continues = false;
  }

  /** To the next row. */
  index(): void {
    this.#down();
    this.#stayInRow();
  }

  /** Behind the last character of a full row is not yet the next one; most sequences act on that character. */
  #stayInRow(): void {
    this.#column = this.cursor.column;
  }

  reverseLineFeed(): void {
    if (this.#row === this.#top) this.#shift(this.#top, -1);
    else this.#row = Math.max(0, this.#row - 1);
    this.#stayInRow();
  }

  #down(): void {
    if (this.#row === this.#bottom) {
      const gone = this.#shift(this.#top, 1);
      if (this.#top === 0 && gone !== undefined) this.#leave(gone);
    } else this.#row = Math.min(this.#size.rows - 1, this.#row + 1);
  }

  /** Moves what is between `from` and the bottom of the region up, or down where negative. What is moved out is gone. */
  #shift(from: number, count: number): Row | undefined {
    let gone: Row | undefined;
    for (let moved = 0; moved < Math.min(Math.abs(count), this.#size.rows); moved += 1) {
      [gone] = this.#rows.splice(count > 0 ? from : this.#bottom, 1);
      this.#rows.splice(count > 0 ? this.#bottom : from, 0, blankRow());
    }
    return gone;
  }

  #leave({ cells, continues }: Row): void {
    const text = textOf(cells);
    if (this.#held === undefined || continues) this.#held = (this.#held ?? "") + text;
    else {
      this.#onText(`${trimmed(this.#held)}\n`);
      this.#held = text;
    }
    if (this.#held.length <= HELD_UNITS) return;
    this.#onText(this.#held);
    this.#held = "";
  }

  carriageReturn(): void {
    this.#column = 0;
  }

  moveTo(row: number, column: number): void {
    this.#row = clamp(row, this.#size.rows - 1);
    this.#column = clamp(column, this.#size.columns - 1);
  }

  /** By rows and columns; not past an edge of the region that scrolls. */
  move(rows: number, columns: number): void {
    const { row, column } = this.cursor;
    const highest = row >= this.#top ? this.#top : 0;
    const lowest = row <= this.#bottom ? this.#bottom : this.#size.rows - 1;
    this.moveTo(Math.min(Math.max(row + rows, highest), lowest), column + columns);
  }

  /** Past a full line there is no stop: the next character still begins a line. */
  tab(): void {
    if (this.#column >= this.#size.columns) return;
    const { row, column } = this.cursor;
    this.moveTo(row, (Math.floor(column / 8) + 1) * 8);
  }

  save(): void {
    this.#saved = { row: this.#row, column: this.#column };
  }

  restore(): void {
    this.#row = this.#saved.row;
    this.#column = this.#saved.column;
  }

  /** Rows from `top` to `bottom` scroll, the others stand still. */
  region(top: number, bottom: number): void {
    const last = Math.min(bottom, this.#size.rows - 1);
    if (top >= last) return;
    this.#top = Math.max(0, top);
    this.#bottom = last;
    this.moveTo(0, 0);
  }

  eraseInLine(part: number): void {
    const row = this.#current();
    const column = this.#column;
    if (part === 0) {
      this.#clearHalves(row.cells, column, 0);
      row.cells.length = Math.min(row.cells.length, column);
      if (column === 0) row.continues = false;
    } else if (part === 1) this.#blank(row.cells, 0, column + 1);
    else if (part === 2) Object.assign(row, blankRow());
  }

  eraseInDisplay(part: number): void {
    if (part > 2) return;
    if (part === 2) this.#rows = this.#rows.map(blankRow);
    else {
      this.eraseInLine(part);
      if (part === 1) this.#current().continues = false;
      const next = this.#rows[this.#row + 1];
      if (part === 1 && next !== undefined && this.#column >= this.#size.columns - 1) next.continues = false;
      for (const index of this.#rows.keys()) {
        if (part === 0 ? index > this.#row : index < this.#row) this.#rows[index] = blankRow();
      }
    }
  }

  eraseCharacters(count: number): void {
    this.#stayInRow();
    this.#blank(this.#current().cells, this.cursor.column, count);
  }

  #blank(cells: string[], from: number, count: number): void {
    const end = Math.min(from + count, this.#size.columns, cells.length);
    if (end <= from) return;
    this.#clearHalves(cells, from, end - from);
    cells.fill(GAP, from, end);
  }

  insertCharacters(count: number): void {
    this.#stayInRow();
    const { cells } = this.#current();
    const { column } = this.cursor;
    if (column >= cells.length) return;
    this.#clearHalves(cells, column, 0);
    cells.splice(column, 0, ...Array.from({ length: Math.min(count, this.#size.columns - column) }, () => GAP));
    if (cells[this.#size.columns] === "") cells[this.#size.columns - 1] = GAP;
    cells.length = Math.min(cells.length, this.#size.columns);
  }

  deleteCharacters(count: number): void {
    this.#stayInRow();
    const { cells } = this.#current();
    const { column } = this.cursor;
    this.#clearHalves(cells, column, Math.min(count, this.#size.columns));
    cells.splice(column, count);
  }

  insertLines(count: number): void {
    this.deleteLines(-count);
  }

  deleteLines(count: number): void {
    this.#stayInRow();
    if (this.#row < this.#top || this.#row > this.#bottom) return;
    this.#shift(this.#row, count);
    this.#column = 0;
  }

  scroll(count: number): void {
    this.#shift(this.#top, count);
  }

  /** What it shows, up to the last row with something in it, the cursor's own line without its end; what has left but may go on is before it. */
  shown(): string {
    const used = this.#rows.findLastIndex(({ cells }) => cells.some((cell) => !BLANKS.has(cell)));
    let text = this.#held ?? "";
    for (const [index, { cells, continues }] of this.#rows.slice(0, used + 1).entries()) {
      const isFirst = index === 0 && this.#held === undefined;
      text = isFirst || continues ? text + textOf(cells) : `${trimmed(text)}\n${textOf(cells)}`;
    }
    if (this.#held === undefined && used < 0) return "";
    return this.#row <= used ? trimmed(text) : `${trimmed(text)}\n`;
  }
}

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);

/** Blanks at the end of a line are not seen. */
const trimmed = (text: string): string => text.replace(/ +$/u, "");

function textOf(cells: readonly string[]): string {
  const text = cells.join("");
  return text.includes(GAP) ? text.replace(/\0+$/u, "").replaceAll(GAP, " ") : text;
}
