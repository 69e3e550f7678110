import { Grid } from "./grid.js";

/** Columns and rows of the terminal that commands are given. */
export const TERMINAL_SIZE = { columns: 120, rows: 40 } as const;

/**
 * The text of what a program writes to a terminal: lines as they stand when they leave the screen at its top, and what the screen shows in
 * the end. A progress bar is its last state, a full screen program what was on the screen last.
 */
export interface Screen {
  /** Text of the lines that left. What is split over pushes stays whole. */
  push(text: string): string;
  /** What is on the screen and may still change. */
  shown(): string;
  /** The same, at the end. */
  end(): string;
}

export function createScreen(): Screen {
  let left = "";
  const view = new View((text) => {
    left += text;
  });
  const reader = new SequenceReader(view);
  return {
    push(text) {
      left = "";
      reader.read(text);
      return left;
    },
    shown: () => view.shown(),
    end: () => view.shown(),
  };
}

/** The screen of programs that print, and above it the second one of programs that paint. */
class View {
  readonly #onText: (text: string) => void;
  #main: Grid;
  #second: Grid | undefined;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
    this.#main = new Grid(TERMINAL_SIZE, onText);
  }

  get grid(): Grid {
    return this.#second ?? this.#main;
  }

  showSecond(isShown: boolean): void {
    if (isShown) this.#second ??= new Grid(TERMINAL_SIZE, () => undefined);
    else this.#second = undefined;
  }

  reset(): void {
    this.#second = undefined;
    this.#main = new Grid(TERMINAL_SIZE, this.#onText);
  }

  shown(): string {
    if (this.#second === undefined) return this.#main.shown();
    return [this.#main.shown(), this.#second.shown()].filter((text) => text !== "").join("\n");
  }
}

/** A number of a sequence; left out or 0 it is 1 for moves. */
type Numbers = readonly number[];
const amount = ([first = 0]: Numbers): number => Math.max(first, 1);

const MOVES: Readonly<Partial<Record<string, (grid: Grid, numbers: Numbers) => void>>> = {
  A: (grid, numbers) => {
    grid.move(-amount(numbers), 0);
  },
  B: (grid, numbers) => {
    grid.move(amount(numbers), 0);
  },
  C: (grid, numbers) => {
    grid.move(0, amount(numbers));
  },
  D: (grid, numbers) => {
    grid.move(0, -amount(numbers));
  },
  E: (grid, numbers) => {
    grid.move(amount(numbers), 0);
    grid.carriageReturn();
  },
  F: (grid, numbers) => {
    grid.move(-amount(numbers), 0);
    grid.carriageReturn();
  },
  G: (grid, numbers) => {
    grid.moveTo(grid.cursor.row, amount(numbers) - 1);
  },
  H: (grid, [row = 1, column = 1]) => {
    grid.moveTo(Math.max(row, 1) - 1, Math.max(column, 1) - 1);
  },
  d: (grid, numbers) => {
    grid.moveTo(amount(numbers) - 1, grid.cursor.column);
  },
  s: (grid) => {
    grid.save();
  },
  u: (grid) => {
    grid.restore();
  },
  r: (grid, [top = 1, bottom = 0]) => {
    grid.region(Math.max(top, 1) - 1, (bottom === 0 ? TERMINAL_SIZE.rows : bottom) - 1);
  },
};

const CHANGES: Readonly<Partial<Record<string, (grid: Grid, numbers: Numbers) => void>>> = {
  J: (grid, [part = 0]) => {
    grid.eraseInDisplay(part);
  },
  K: (grid, [part = 0]) => {
    grid.eraseInLine(part);
  },
  X: (grid, numbers) => {
    grid.eraseCharacters(amount(numbers));
  },
  "@": (grid, numbers) => {
    grid.insertCharacters(amount(numbers));
  },
  P: (grid, numbers) => {
    grid.deleteCharacters(amount(numbers));
  },
  L: (grid, numbers) => {
    grid.insertLines(amount(numbers));
  },
  M: (grid, numbers) => {
    grid.deleteLines(amount(numbers));
  },
  S: (grid, numbers) => {
    grid.scroll(amount(numbers));
  },
  T: (grid, numbers) => {
    grid.scroll(-amount(numbers));
  },
  b: (grid, numbers) => {
    grid.repeatLast(amount(numbers));
  },
};

const SAME_AS: Readonly<Partial<Record<string, string>>> = { f: "H", "`": "G", a: "C", e: "B" };

const CONTROLS: Readonly<Partial<Record<string, (grid: Grid) => void>>> = {
  "\b": (grid) => {
    grid.move(0, -1);
  },
  "\t": (grid) => {
    grid.tab();
  },
  "\n": (grid) => {
    grid.lineFeed();
  },
  "\v": (grid) => {
    grid.lineFeed();
  },
  "\f": (grid) => {
    grid.lineFeed();
  },
  "\r": (grid) => {
    grid.carriageReturn();
  },
};

/** Characters behind ESC that are sequences of their own. */
const ESCAPES: Readonly<Partial<Record<string, (grid: Grid) => void>>> = {
  "7": (grid) => {
    grid.save();
  },
  "8": (grid) => {
    grid.restore();
  },
  D: (grid) => {
    grid.index();
  },
  E: (grid) => {
    grid.carriageReturn();
    grid.index();
  },
  M: (grid) => {
    grid.reverseLineFeed();
  },
};

/** What every sequence begins with, except those of one byte. */
const BEGINS = /^\x1b$/u;

type State = "text" | "escape" | "charset" | "control" | "string" | "string-end";

/** Controls of one byte that stand for ESC and a letter. */
const SHORT: Readonly<Partial<Record<string, string>>> = {
  "\u0090": "P",
  "\u0098": "X",
  "\u009b": "[",
  "\u009d": "]",
  "\u009e": "^",
  "\u009f": "_",
  "\u0084": "D",
  "\u0085": "E",
  "\u008d": "M",
};

/** A longer one is none that a program means. */
const SEQUENCE_UNITS = 64;

/** Reads text with control sequences; keeps its place between pieces, and never more than one short sequence. */
class SequenceReader {
  readonly #view: View;
  #state: State = "text";
  #sequence = "";

  constructor(view: View) {
    this.#view = view;
  }

  read(text: string): void {
    const special = /[\0-\x1f\x7f-\x9f]/gu;
    let at = 0;
    while (at < text.length) {
      if (this.#state === "text") {
        special.lastIndex = at;
        const next = special.exec(text)?.index ?? text.length;
        if (next > at) this.#view.grid.print(text.slice(at, next));
        at = next;
        if (at === text.length) return;
      }
      this.#step(text[at] ?? "");
      at += 1;
    }
  }

  #step(mark: string): void {
    if (this.#state === "string" || this.#state === "string-end") this.#inString(mark);
    else if (BEGINS.test(mark)) this.#state = "escape";
    else if (mark === "\x18" || mark === "\x1a") this.#state = "text";
    else if (mark < " ") CONTROLS[mark]?.(this.#view.grid);
    else if (mark === "\x7f") return;
    else if (SHORT[mark] !== undefined) this.#afterEscape(SHORT[mark]);
    else if (this.#state === "escape") this.#afterEscape(mark);
    else if (this.#state === "control") this.#inControl(mark);
    else this.#state = "text";
  }

  /** What it says, such as a title, is for nobody; it ends with BEL or ESC and a backslash. */
  #inString(mark: string): void {
    if (mark === "\x07" || mark === "\u009c" || mark === "\x18" || mark === "\x1a") this.#state = "text";
    else if (BEGINS.test(mark)) this.#state = "string-end";
    else if (this.#state === "string-end") {
      this.#state = "text";
      if (mark !== "\\") this.#afterEscape(mark);
    }
  }

  #afterEscape(mark: string): void {
    this.#state = "text";
    if (mark === "[") {
      this.#state = "control";
      this.#sequence = "";
    } else if ("]PX^_".includes(mark)) this.#state = "string";
    else if (/[ -/]/u.test(mark)) this.#state = "charset";
    else if (mark === "c") this.#view.reset();
    else ESCAPES[mark]?.(this.#view.grid);
  }

  #inControl(mark: string): void {
    if (mark < "@" || mark > "~") {
      if (mark > "~") this.#state = "text";
      else if (this.#sequence.length < SEQUENCE_UNITS) this.#sequence += mark;
      return;
    }
    this.#state = "text";
    const [, sign = "", parameters] = /^([?]?)([\d;:]*)$/u.exec(this.#sequence) ?? [];
    if (parameters === undefined) return;
    const numbers = parameters.split(";").map((part) => Math.min(Number.parseInt(part, 10) || 0, 9_999));
    if (mark === "h" || mark === "l") this.#mode(sign, numbers, mark === "h");
    else this.#apply(sign, SAME_AS[mark] ?? mark, numbers);
  }

  #apply(sign: string, mark: string, numbers: Numbers): void {
    if (sign === "") MOVES[mark]?.(this.#view.grid, numbers);
    if (sign === "" || mark === "J" || mark === "K") CHANGES[mark]?.(this.#view.grid, numbers);
  }

  #mode(sign: string, numbers: Numbers, isSet: boolean): void {
    if (sign !== "?") return;
    for (const number of numbers) {
      if (number === 7) this.#view.grid.wraps = isSet;
      if (number === 47 || number === 1047 || number === 1049) this.#view.showSecond(isSet);
    }
  }
}
