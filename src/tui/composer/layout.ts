import { graphemes, isAscii, textWidth } from "../text/index.js";

/** One row of the editor: what is drawn and which part of the draft it is. */
export interface DraftRow {
  readonly text: string;
  readonly from: number;
  /** Exclusive; the line break or the blank a row was broken at is not part of it. */
  readonly to: number;
}

export interface DraftLayout {
  readonly rows: readonly DraftRow[];
  readonly caretRow: number;
  readonly caretColumn: number;
}

const TAB = "    ";
const shown = (text: string): string => (text.includes("\t") ? text.replaceAll("\t", TAB) : text);

/** The draft soft-wrapped to rows of at most `width` cells, and the cell of the caret. */
export function layoutDraft(text: string, cursor: number, width: number): DraftLayout {
  const rows: DraftRow[] = [];
  let from = 0;
  for (const line of text.split("\n")) {
    wrapLine(line, from, Math.max(2, width), rows);
    from += line.length + 1;
  }
  const caretRow = rowOf(rows, cursor);
  const on = rows[caretRow];
  return { rows, caretRow, caretColumn: on === undefined ? 0 : textWidth(shown(text.slice(on.from, Math.max(on.from, cursor)))) };
}

/** The last row that begins at or before the position. */
function rowOf(rows: readonly DraftRow[], cursor: number): number {
  let found = 0;
  for (const [index, each] of rows.entries()) if (each.from <= cursor) found = index;
  return found;
}

function wrapLine(line: string, from: number, width: number, rows: DraftRow[]): void {
  if (isAscii(line) && line.length <= width) {
    rows.push({ text: line, from, to: from + line.length });
    return;
  }
  let start = 0;
  let used = 0;
  let at = 0;
  let lastBreak = -1;
  const push = (end: number): void => {
    rows.push({ text: shown(line.slice(start, end)), from: from + start, to: from + end });
  };
  for (const cluster of graphemes(line)) {
    const cells = textWidth(shown(cluster));
    // Twice when what a break at a blank leaves is still too wide.
    while (used + cells > width && at > start) {
      const end = lastBreak > start && cluster !== " " ? lastBreak : at;
      push(end);
      start = end;
      used = textWidth(shown(line.slice(start, at)));
      lastBreak = -1;
    }
    used += cells;
    at += cluster.length;
    if (cluster === " " || cluster === "\t") lastBreak = at;
  }
  push(line.length);
}

/** The position in the draft closest to a cell of a row. */
export function positionAt(layout: DraftLayout, text: string, row: number, column: number): number {
  const target = layout.rows[row];
  if (target === undefined) return text.length;
  let used = 0;
  let at = target.from;
  for (const cluster of graphemes(text.slice(target.from, target.to))) {
    const cells = textWidth(shown(cluster));
    if (used + cells > column) break;
    used += cells;
    at += cluster.length;
  }
  // The end of a soft-wrapped row is the beginning of the next one: stay on this row.
  const softEnd = row + 1 < layout.rows.length && layout.rows[row + 1]?.from === target.to;
  return softEnd && at === target.to && at > target.from ? at - 1 : at;
}
