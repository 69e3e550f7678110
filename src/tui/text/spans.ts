import { clipText, isAscii, textWidth } from "./width.js";
import type { StyleName } from "../theme/tokens.js";

/** A run of text in one style. The text is sanitized and holds no line break. */
export interface Span {
  readonly text: string;
  readonly style: StyleName;
}

/** One row of the screen. `block` and `at` name the place in its item (block index, characters before it), which is the same at every width. */
export interface Row {
  readonly spans: readonly Span[];
  readonly block?: number;
  readonly at?: number;
}

export const span = (text: string, style: StyleName = "text"): Span => ({ text, style });

export const row = (...spans: readonly Span[]): Row => ({ spans });

export const EMPTY_ROW: Row = { spans: [] };

export const spansWidth = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + textWidth(text), 0);

export const rowText = (line: Row): string => line.spans.map(({ text }) => text).join("");

/** The cells `from` (inclusive) to `to` (exclusive). A wide character cut by either edge becomes spaces. */
export function sliceSpans(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const out: Span[] = [];
  let at = 0;
  for (const { text, style } of spans) {
    if (at >= to) break;
    const width = textWidth(text);
    const end = at + width;
    if (end > from) {
      const part = from <= at && end <= to ? text : sliceText(text, Math.max(0, from - at), to - at);
      if (part !== "") out.push({ text: part, style });
    }
    at = end;
  }
  return out;
}

function sliceText(text: string, from: number, to: number): string {
  if (isAscii(text)) return text.slice(from, to);
  const head = clipText(text, from);
  const headWidth = textWidth(head);
  const rest = text.slice(head.length);
  if (headWidth === from) return padCut(clipText(rest, to - from), textWidth(rest), to - from);
  const straddling = clipText(rest, 2);
  const pad = headWidth + textWidth(straddling) - from;
  const tail = rest.slice(straddling.length);
  return " ".repeat(Math.min(pad, to - from)) + padCut(clipText(tail, to - from - pad), textWidth(tail), to - from - pad);
}

/** Fills the cell a wide character would have half of. */
const padCut = (clipped: string, available: number, wanted: number): string =>
  available > wanted && textWidth(clipped) < wanted ? clipped + " ".repeat(wanted - textWidth(clipped)) : clipped;

/** The row cut, or filled with spaces, to exactly `columns` cells. */
export function fitSpans(spans: readonly Span[], columns: number, fill: StyleName = "text"): readonly Span[] {
  const width = spansWidth(spans);
  if (width === columns) return spans;
  if (width > columns) return sliceSpans(spans, 0, columns);
  return [...spans, { text: " ".repeat(columns - width), style: fill }];
}

/** `base` with the cells from `column` on covered by `over`. */
export function overlaySpans(base: readonly Span[], over: readonly Span[], column: number): readonly Span[] {
  const end = column + spansWidth(over);
  const left = fitSpans(sliceSpans(base, 0, column), column);
  return [...left, ...over, ...sliceSpans(base, end, Number.MAX_SAFE_INTEGER)];
}
