import { clipText, ellipsize, type Row, type Span, span, spansWidth, textWidth, wrapSpans } from "../../text/index.js";
import { diffRows } from "../diff.js";
import type { CodeColors } from "../highlight.js";
import { gridRows } from "../table.js";
import type { View } from "./view.js";

export interface ViewContext {
  /** Cells of a row, those before it included. */
  readonly width: number;
  readonly colors: CodeColors | undefined;
}

/** What stands before the first row of a node and before its others. */
interface Prefix {
  readonly first: readonly Span[];
  readonly rest: readonly Span[];
}

/** A render description as rows. What does not fit beside its bullets is shown without them. */
export const viewRows = (view: View, indent: readonly Span[], context: ViewContext): readonly Row[] =>
  nodeRows(view, { first: indent, rest: indent }, context);

function nodeRows(view: View, prefix: Prefix, context: ViewContext): readonly Row[] {
  switch (view.type) {
    case "text":
      return view.lines.flatMap((line, index) =>
        wrapSpans(line, { width: context.width, first: index === 0 ? prefix.first : prefix.rest, rest: prefix.rest }),
      );
    case "code":
      return codeLines(view, prefix, context);
    case "diff":
      return behind(prefix, diffRows(view.text, context.width - spansWidth(prefix.rest), 0));
    case "table":
      return tableRows(view, prefix, context);
    case "list":
      return listRows(view, prefix, context);
    case "progress":
      return [progressRow(view, prefix, context)];
    case "group":
      return groupRows(view, prefix, context);
  }
}

const behind = ({ first, rest }: Prefix, rows: readonly Row[]): readonly Row[] =>
  rows.map((line, index) => ({ spans: [...(index === 0 ? first : rest), ...line.spans] }));

function codeLines({ text, language }: Extract<View, { readonly type: "code" }>, prefix: Prefix, context: ViewContext): readonly Row[] {
  const code = text.replace(/\n$/, "");
  const lines = context.colors?.lines(language, code) ?? code.split("\n").map((line) => [span(line)]);
  const goesOn = [...prefix.rest, span("↳ ", "code-gutter")];
  return lines.flatMap((line, index) => {
    const first = [...(index === 0 ? prefix.first : prefix.rest), span("  ")];
    return wrapSpans(line, { width: context.width, first, rest: goesOn, anywhere: true });
  });
}

/** Where there are no cells for columns, each row of the table is told as lines. */
function tableRows({ columns, rows }: Extract<View, { readonly type: "table" }>, prefix: Prefix, context: ViewContext): readonly Row[] {
  const count = Math.max(columns.length, ...rows.map((cells) => cells.length));
  if (count === 0) return [];
  const filled = (cells: readonly string[], style: "strong" | "text"): readonly (readonly Span[])[] =>
    Array.from({ length: count }, (_, index) => [span(cells[index] ?? "", style)]);
  const width = context.width - spansWidth(prefix.rest);
  const made = gridRows({ header: filled(columns, "strong"), rows: rows.map((cells) => filled(cells, "text")), align: [] }, width, 0);
  if (made !== undefined) return behind(prefix, made);
  const told = rows.flatMap((cells) => cells.map((cell, index) => `${columns[index] ?? ""}: ${cell}`));
  return told.flatMap((text, index) =>
    wrapSpans([span(text)], { width: context.width, first: index === 0 ? prefix.first : prefix.rest, rest: prefix.rest }),
  );
}

function listRows({ items, ordered }: Extract<View, { readonly type: "list" }>, prefix: Prefix, context: ViewContext): readonly Row[] {
  const digits = String(items.length).length;
  return items.flatMap((item, index) => {
    const mark = ordered ? `${String(index + 1).padStart(digits)}. ` : "• ";
    const outer = index === 0 ? prefix.first : prefix.rest;
    return nodeRows(item, within({ first: outer, rest: prefix.rest }, mark, context), context);
  });
}

/** Deep nesting would leave no cells for text: it is flattened. */
function within({ first, rest }: Prefix, mark: string, { width }: ViewContext): Prefix {
  const inner: Prefix = { first: [...first, span(mark, "bullet")], rest: [...rest, span(" ".repeat(mark.length))] };
  return spansWidth(inner.rest) <= width / 2 ? inner : { first: [...first.slice(0, 1), span(mark, "bullet")], rest: rest.slice(0, 1) };
}

function groupRows({ title, children }: Extract<View, { readonly type: "group" }>, prefix: Prefix, context: ViewContext): readonly Row[] {
  const head = title === "" ? [] : wrapSpans([span(title, "strong")], { width: context.width, ...prefix });
  const inner = title === "" ? prefix : within({ first: prefix.rest, rest: prefix.rest }, "  ", context);
  return [
    ...head,
    ...children.flatMap((child, index) => nodeRows(child, index === 0 ? inner : { first: inner.rest, rest: inner.rest }, context)),
  ];
}

const BAR = 20;

/** `label ████░░░░ 40 %`, or how much is done where nobody knows of how much. */
function progressRow({ label, done, total }: Extract<View, { readonly type: "progress" }>, { first }: Prefix, { width }: ViewContext): Row {
  const isKnown = total !== undefined && total > 0 && Number.isFinite(done / total);
  const share = isKnown ? Math.min(1, Math.max(0, done / total)) : 0;
  const told = isKnown ? `${String(Math.floor(share * 100))} %` : String(done);
  const room = Math.max(1, width - spansWidth(first));
  const name = label === "" ? "" : `${ellipsize(label, Math.max(1, room - told.length - 1))} `;
  const cells = Math.min(BAR, room - textWidth(name) - told.length - 1);
  if (!isKnown || cells < MIN_BAR) return { spans: [...first, span(clipText(`${name}${told}`, room))] };
  const full = Math.floor(share * cells);
  return {
    spans: [...first, span(name), span("█".repeat(full), "accent"), span("░".repeat(cells - full), "faint"), span(` ${told}`, "muted")],
  };
}

const MIN_BAR = 4;
