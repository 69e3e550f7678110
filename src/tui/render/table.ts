import type { Tokens } from "marked";

import { fitSpans, type Row, rowText, type Span, span, spansWidth, wrapSpans } from "../text/index.js";
import { inlineLines } from "./inline.js";

const GAP = 2;
const MIN_COLUMN = 4;

const cellSpans = (cell: Tokens.TableCell, header: boolean): readonly Span[] => inlineLines(cell.tokens, header ? "strong" : "text").flat();

/** Column widths that fit: natural ones when there is room, else the wide ones give way first. Undefined when even the least does not fit. */
function columnWidths(cells: readonly (readonly (readonly Span[])[])[], columns: number, width: number): readonly number[] | undefined {
  const natural = Array.from({ length: columns }, (_, column) => Math.max(1, ...cells.map((line) => spansWidth(line[column] ?? []))));
  const room = width - GAP * (columns - 1);
  if (room < columns * MIN_COLUMN) return natural.reduce((sum, each) => sum + each, 0) <= room ? natural : undefined;
  const widths = [...natural];
  for (let excess = widths.reduce((sum, each) => sum + each, 0) - room; excess > 0; excess -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function align(spans: readonly Span[], width: number, how: "left" | "right" | "center" | null): readonly Span[] {
  const free = width - spansWidth(spans);
  if (free <= 0 || how === null || how === "left") return fitSpans(spans, width);
  const before = how === "right" ? free : Math.floor(free / 2);
  return fitSpans([span(" ".repeat(before)), ...spans], width);
}

/** Cells of a table, the header's apart. */
export interface Grid {
  readonly header: readonly (readonly Span[])[];
  readonly rows: readonly (readonly (readonly Span[])[])[];
  readonly align: readonly ("left" | "right" | "center" | null)[];
}

/** A GFM table as rows, `undefined` when the width is too small for columns. `at` counts characters as {@link Row.at} wants. */
export const tableRows = (table: Tokens.Table, width: number, at: number): readonly Row[] | undefined =>
  gridRows(
    {
      header: table.header.map((cell) => cellSpans(cell, true)),
      rows: table.rows.map((line) => line.map((cell) => cellSpans(cell, false))),
      align: table.align,
    },
    width,
    at,
  );

/** As {@link tableRows}, of cells that are spans already. */
export function gridRows({ header, rows, align: aligned }: Grid, width: number, at: number): readonly Row[] | undefined {
  const cells = [header, ...rows];
  const widths = columnWidths(cells, header.length, width);
  if (widths === undefined) return undefined;
  const out: Row[] = [];
  let offset = at;
  for (const [index, line] of cells.entries()) {
    const wrapped = widths.map((columnWidth, column) => wrapSpans(line[column] ?? [], { width: columnWidth }));
    const height = Math.max(...wrapped.map((made) => made.length));
    for (let y = 0; y < height; y += 1) {
      const spans = widths.flatMap((columnWidth, column) => [
        ...(column === 0 ? [] : [span(" ".repeat(GAP))]),
        ...align(wrapped[column]?.[y]?.spans ?? [], columnWidth, aligned[column] ?? null),
      ]);
      out.push({ spans, at: offset });
    }
    offset += line.reduce((sum, cell) => sum + rowText({ spans: cell }).length, 0) + 1;
    if (index === 0) out.push({ spans: [span(widths.map((each) => "─".repeat(each)).join("─".repeat(GAP)), "rule")], at: offset });
  }
  return out;
}
