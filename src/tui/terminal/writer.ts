import { invariant } from "../../base/index.js";
import { clipText, EMPTY_ROW, isAscii, isPrintable, isUncertain, type Row, type Span, spansWidth, textWidth } from "../text/index.js";
import type { CompiledTheme, StyleName } from "../theme/index.js";

/** One whole screen. `rows.length` equals the height. */
export interface Frame {
  readonly rows: readonly Row[];
  readonly columns: number;
  readonly caret: { readonly row: number; readonly column: number } | undefined;
  /** The rows that scroll together: tried first as a shift of what is on the screen. `end` is exclusive. */
  readonly scroll?: Region;
}

export interface WriterOptions {
  readonly sync: boolean;
  readonly scrollRegions: boolean;
}

const move = (row: number, column: number): string => `\x1b[${String(row + 1)};${String(column + 1)}H`;

const sameSpans = (left: Row, right: Row): boolean =>
  left === right ||
  (left.spans.length === right.spans.length &&
    left.spans.every((item, index) => item.text === right.spans[index]?.text && item.style === right.spans[index]?.style));

/** Frames to bytes: writes only rows that changed, from the first changed cell on, and shifts the scrolled part in place. */
export class FrameWriter {
  private painted: readonly Row[] | undefined;
  private caret: Frame["caret"];
  private caretShown: boolean | undefined;
  private columns = 0;
  private theme: CompiledTheme;
  private readonly options: WriterOptions;

  constructor(theme: CompiledTheme, options: WriterOptions) {
    this.theme = theme;
    this.options = options;
  }

  setTheme(theme: CompiledTheme): void {
    this.theme = theme;
    this.invalidate();
  }

  /** What is on the screen is not known any more: the next frame repaints all. */
  invalidate(): void {
    this.painted = undefined;
    this.caretShown = undefined;
  }

  /** The bytes that turn the screen into `frame`; empty when it already looks so. */
  encode(frame: Frame): string {
    const start = this.startFrom(frame);
    let out = start.bytes;
    for (const [index, next] of frame.rows.entries()) out += this.row(index, start.rows[index] ?? EMPTY_ROW, next, frame.columns);
    out += this.placeCaret(frame, out !== "");
    this.painted = frame.rows;
    this.columns = frame.columns;
    if (out === "") return "";
    return this.options.sync ? `\x1b[?2026h${out}\x1b[?2026l` : out;
  }

  /** What is on the screen to begin with, and the bytes that make it so: nothing, the last frame, or that with its scrolled part moved. */
  private startFrom(frame: Frame): { readonly bytes: string; readonly rows: readonly Row[] } {
    const { painted } = this;
    if (painted === undefined || painted.length !== frame.rows.length || this.columns !== frame.columns)
      return { bytes: "\x1b[0m\x1b[H\x1b[J", rows: [] };
    const { scroll } = frame;
    const by = scroll !== undefined && this.options.scrollRegions ? findShift(painted, frame.rows, scroll) : undefined;
    return by === undefined || scroll === undefined
      ? { bytes: "", rows: painted }
      : { bytes: this.shift(scroll, by), rows: shifted(painted, scroll, by) };
  }

  private shift(region: Region, by: number): string {
    const set = `\x1b[0m\x1b[${String(region.start + 1)};${String(region.end)}r`;
    return `${set}${by > 0 ? `\x1b[${String(by)}S` : `\x1b[${String(-by)}T`}\x1b[r`;
  }

  private row(index: number, before: Row, next: Row, columns: number): string {
    if (sameSpans(before, next)) return "";
    const { skipped, column } = commonPrefix(before.spans, next.spans);
    const body = this.spans(next.spans, skipped, column, columns);
    const width = spansWidth(next.spans);
    // Where the terminal may count cells in another way, what is not overwritten would stay: erase first.
    const unsure = next.spans.some(({ text }) => isUncertain(text)) || before.spans.some(({ text }) => isUncertain(text));
    const erase = unsure ? "\x1b[0m\x1b[K" : "";
    const rest = !unsure && width < columns && width < spansWidth(before.spans) ? "\x1b[0m\x1b[K" : body === "" ? "" : "\x1b[0m";
    return `${move(index, column)}${erase}${body}${rest}`;
  }

  /** `skip`: whole spans, then characters of the next one, that are on the screen already. */
  private spans(spans: readonly Span[], skip: { readonly spans: number; readonly chars: number }, from: number, columns: number): string {
    let out = "";
    let column = from;
    let style: StyleName | undefined;
    for (let index = skip.spans; index < spans.length && column < columns; index += 1) {
      const item = spans[index];
      if (item === undefined) break;
      const text = clipText(index === skip.spans ? item.text.slice(skip.chars) : item.text, columns - column);
      invariant(isPrintable(text), "a row holds no control character");
      if (item.style !== style) out += this.sgr(item.style);
      style = item.style;
      out += text;
      column += textWidth(text);
      // Terminals disagree about such clusters: say where the next cell is.
      if (isUncertain(text) && column < columns) out += `\x1b[${String(column + 1)}G`;
    }
    return out;
  }

  private sgr(style: StyleName): string {
    const codes = this.theme.get(style) ?? "";
    return codes === "" ? "\x1b[0m" : `\x1b[0;${codes}m`;
  }

  private placeCaret(frame: Frame, wrote: boolean): string {
    const { caret } = frame;
    const moved = caret !== undefined && (wrote || caret.row !== this.caret?.row || caret.column !== this.caret.column);
    const shown = caret !== undefined;
    let out = moved ? move(caret.row, caret.column) : "";
    if (shown !== this.caretShown) out += shown ? "\x1b[?25h" : "\x1b[?25l";
    this.caret = caret;
    this.caretShown = shown;
    return out;
  }
}

function commonPrefix(
  before: readonly Span[],
  next: readonly Span[],
): { readonly skipped: { readonly spans: number; readonly chars: number }; readonly column: number } {
  let column = 0;
  let index = 0;
  for (const item of next) {
    const old = before[index];
    if (old?.style !== item.style || old.text !== item.text || isUncertain(item.text)) break;
    column += textWidth(item.text);
    index += 1;
  }
  const chars = commonChars(before[index], next[index]);
  return { skipped: { spans: index, chars }, column: column + chars };
}

/** Characters at the start that are alike, counted only where a character is a cell. */
function commonChars(old: Span | undefined, item: Span | undefined): number {
  if (old === undefined || old.style !== item?.style || !isAscii(old.text) || !isAscii(item.text)) return 0;
  let chars = 0;
  while (chars < old.text.length && old.text.charCodeAt(chars) === item.text.charCodeAt(chars)) chars += 1;
  return chars;
}

/** By how many rows the scrolled part moved up (negative: down), when most of it only moved. */
function findShift(before: readonly Row[], rows: readonly Row[], region: Region): number | undefined {
  const height = region.end - region.start;
  const still = countSame(before, rows, region, 0);
  if (height < 4 || still > height / 2) return undefined;
  let best = { by: 0, same: still };
  for (let by = 1; by < height - 1 && best.same < height - by - 1; by += 1) {
    for (const signed of [by, -by]) {
      const same = countSame(before, rows, region, signed);
      if (same > best.same + 1) best = { by: signed, same };
    }
  }
  return best.by !== 0 && best.same >= height / 3 ? best.by : undefined;
}

/** Rows of the screen, `end` exclusive. */
interface Region {
  readonly start: number;
  readonly end: number;
}

function countSame(before: readonly Row[], rows: readonly Row[], region: Region, by: number): number {
  let same = 0;
  for (let index = region.start; index < region.end; index += 1) {
    const from = index + by;
    const old = from >= region.start && from < region.end ? before[from] : undefined;
    const next = rows[index];
    if (old !== undefined && next !== undefined && next.spans.length > 0 && sameSpans(old, next)) same += 1;
  }
  return same;
}

function shifted(before: readonly Row[], region: Region, by: number): readonly Row[] {
  return before.map((old, index) => {
    if (index < region.start || index >= region.end) return old;
    const from = index + by;
    return from >= region.start && from < region.end ? (before[from] ?? old) : { spans: [] };
  });
}
