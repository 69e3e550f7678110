import { ellipsize, type Row, type Span, span } from "../text/index.js";

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;
/** A line longer than this is cut before anything measures it: files with one line of a megabyte exist. */
const MAX_LINE = 2000;

/** A unified diff as rows with line numbers and a sign that can be read without colour. `first` names the file when there are several. */
export function diffRows(diff: string, width: number, indent: number): readonly Row[] {
  const lines = diff.split("\n");
  const several = lines.filter((line) => line.startsWith("+++ ")).length > 1;
  const shape = { digits: gutterDigits(lines), width: width - indent };
  const out: Row[] = [];
  let at: Place | undefined;
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      if (at !== undefined) out.push(diffRow(indent, [span("⋯", "diff-hunk")]));
      at = { before: Number(hunk[1]), after: Number(hunk[2]) };
    } else if (line.startsWith("+++ ") || line.startsWith("--- ")) {
      at = undefined;
      if (several && line.startsWith("+++ ")) out.push(diffRow(indent, [span(ellipsize(fileOf(line), shape.width), "diff-file")]));
    } else if (at !== undefined && /^[-+ ]/.test(line)) {
      out.push(diffRow(indent, changedLine(line, line.startsWith("-") ? at.before : at.after, shape)));
      at = nextPlace(at, line);
    }
  }
  return out;
}

/** Line numbers of the next line in both files. */
interface Place {
  readonly before: number;
  readonly after: number;
}

const nextPlace = ({ before, after }: Place, line: string): Place => ({
  before: line.startsWith("+") ? before : before + 1,
  after: line.startsWith("-") ? after : after + 1,
});

/** `+++ b/src/cart.ts` without mark and conventional prefix. */
const fileOf = (line: string): string => line.slice(4).replace(/^b\//, "").split("\t")[0] ?? "";

const diffRow = (indent: number, spans: readonly Span[]): Row => ({ spans: [span(" ".repeat(indent)), ...spans] });

function changedLine(line: string, number: number, shape: { readonly digits: number; readonly width: number }): readonly Span[] {
  const style = line.startsWith("+") ? "diff-add" : line.startsWith("-") ? "diff-remove" : "tool-output";
  const gutter = `${String(number).padStart(shape.digits)} `;
  const text = ellipsize(line.slice(0, MAX_LINE), Math.max(1, shape.width - gutter.length));
  return [span(gutter, "code-gutter"), span(text, style)];
}

function gutterDigits(lines: readonly string[]): number {
  let highest = 1;
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) highest = Math.max(highest, Number(hunk[1]) + lines.length, Number(hunk[2]) + lines.length);
  }
  return String(highest).length;
}

/** `+6 −4` of a unified diff. */
export function diffCounts(diff: string): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of diff.split("\n")) {
    if (line.startsWith("+") && !line.startsWith("+++ ")) added += 1;
    else if (line.startsWith("-") && !line.startsWith("--- ")) removed += 1;
  }
  return { added, removed };
}

/** Files a unified diff writes, without the conventional prefix. */
export const diffFiles = (diff: string): readonly string[] =>
  diff
    .split("\n")
    .filter((line) => line.startsWith("+++ ") && !line.startsWith("+++ /dev/null"))
    .map(fileOf);
