import type { MutationState } from "../../schema/index.js";
import { clipText, ellipsize, type Row, type Span, span, spansWidth, textWidth, wrapSpans } from "../text/index.js";
import type { StyleName } from "../theme/index.js";
import { diffCounts, diffRows } from "./diff.js";
import { duration, elapsed, spinner } from "./format.js";
import type { CodeColors } from "./highlight.js";
import { type View, viewRows } from "./view/index.js";

/** A tool call as the transcript shows it; all texts are sanitized. */
export interface ToolCard {
  readonly name: string;
  readonly argsSummary: string;
  readonly state: "running" | "done";
  /** A person is asked whether it may run. */
  readonly isAsked?: boolean;
  /** Of the monotonic clock. */
  readonly startedAt: number;
  /** Newest output while it runs. */
  readonly progress: string;
  readonly result: string;
  readonly resultSummary: string;
  readonly isError: boolean;
  readonly mutation: MutationState;
  readonly durationMs: number;
  readonly diff: string | undefined;
  /** How its plugin wants the result to be shown. */
  readonly view?: View | undefined;
}

export interface CardView {
  readonly width: number;
  readonly expanded: boolean;
  /** Tenths of seconds, for the spinner. */
  readonly tick: number;
  /** Of the monotonic clock. */
  readonly now: number;
  readonly colors?: CodeColors | undefined;
}

const INDENT = 3;
const BODY_INDENT = 7;
const FOLDED_DIFF = 12;
const FOLDED_LINES = 3;
const FOLDED_VIEW = 8;
const FOLDED_ERROR = 6;
/** Rows of one unfolded result; more is cut and said so. */
const MAX_ROWS = 2000;
const MAX_LINE = 4000;
const UNKNOWN = "outcome unknown";

/** The card's first row names tool and argument, whatever is folded; then the diff, the newest output or the error. */
export function toolCardRows(card: ToolCard, view: CardView): readonly Row[] {
  return [headRow(card, view), ...bodyRows(card, view)];
}

function icon(card: ToolCard, tick: number): Span {
  if (card.state === "running") return card.isAsked === true ? span("? ", "warning") : span(`${spinner(tick)} `, "accent");
  if (card.mutation === "unknown") return span("⚠ ", "warning");
  return card.isError ? span("✗ ", "error") : span("✓ ", "success");
}

/** Nothing is told twice: the rows below begin with the first line of an error, and the outcome has a place of its own. */
const headSummary = ({ isError, result, resultSummary, mutation }: ToolCard): string =>
  (isError && result.startsWith(resultSummary.replace(/…$/, ""))) || (mutation === "unknown" && resultSummary === UNKNOWN)
    ? ""
    : resultSummary;

/** What became of the world. A bare success has nothing to say. */
function outcome({ mutation, isError }: ToolCard): readonly Span[] {
  if (mutation === "unknown") return [span(UNKNOWN, "warning")];
  if (mutation === "applied") return [span("applied", "muted")];
  return isError ? [span("not applied", "muted")] : [];
}

/** What is known of the call, the most dispensable last. */
function facts(card: ToolCard, now: number): readonly Span[] {
  if (card.state === "running")
    return [card.isAsked === true ? span("waiting for you", "warning") : span(`running ${elapsed(now - card.startedAt)}`, "muted")];
  const counts = card.diff === undefined ? undefined : diffCounts(card.diff);
  const summary = counts === undefined ? headSummary(card) : `+${String(counts.added)} −${String(counts.removed)}`;
  const told = summary === "" ? [] : [span(summary, card.isError ? "error" : "muted")];
  // A summary that ends in a time tells that of the work alone; the call's own includes what came before it.
  const took = card.durationMs > 0 && !/\d (?:ms|s)$/.test(summary) ? [span(duration(card.durationMs), "faint")] : [];
  return card.mutation === "unknown" ? [...outcome(card), ...told, ...took] : [...told, ...outcome(card), ...took];
}

const joined = (parts: readonly Span[]): readonly Span[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [span(" · ", "faint"), part]));

/** What the call was about goes before what came of it: facts give way until the argument has half of the row. */
function fittingFacts(parts: readonly Span[], room: number, wanted: number): readonly Span[] {
  const least = Math.min(wanted, Math.floor(room / 2));
  let kept = parts;
  while (kept.length > 1 && spansWidth(joined(kept)) + least > room) kept = kept.slice(0, -1);
  return clipSpans(joined(kept), room - Math.min(least, Math.floor(room / 3)));
}

function headRow(card: ToolCard, view: CardView): Row {
  const name = clipText(card.name, Math.min(40, Math.max(1, view.width - INDENT - 3)));
  const left: Span[] = [span(" ".repeat(INDENT)), icon(card, view.tick), span(name, "tool-name")];
  const free = view.width - spansWidth(left) - 3;
  const right = fittingFacts(facts(card, view.now), free, textWidth(card.argsSummary) + 1);
  const room = free - spansWidth(right);
  if (room > 3 && card.argsSummary !== "") left.push(span(` ${ellipsize(card.argsSummary, room)}`, "text"));
  const gap = view.width - spansWidth(left) - spansWidth(right) - 1;
  return { spans: [...left, span(" ".repeat(Math.max(1, gap))), ...right] };
}

function clipSpans(spans: readonly Span[], width: number): readonly Span[] {
  const out: Span[] = [];
  let left = width;
  for (const item of spans) {
    if (left <= 0) break;
    const text = ellipsize(item.text, left);
    out.push({ ...item, text });
    left -= textWidth(text);
  }
  return out;
}

function bodyRows(card: ToolCard, view: CardView): readonly Row[] {
  if (card.state === "running") return tail(card.progress, view, "tool-output");
  const shown = [...(card.view === undefined ? [] : foldedView(card.view, view)), ...foldedDiff(card.diff ?? "", view)];
  // What went wrong is told whatever is shown beside it.
  if (shown.length > 0) return card.isError ? [...head(card.result, view, "error", FOLDED_ERROR), ...shown] : shown;
  if (view.expanded) return head(card.result, view, card.isError ? "error" : "tool-output", MAX_ROWS);
  if (card.isError) return head(card.result, view, "error", FOLDED_ERROR);
  return card.mutation === "not-applied" ? [] : tail(card.result, view, "tool-output");
}

function foldedView(shown: View, view: CardView): readonly Row[] {
  const indent = [span(" ".repeat(Math.min(BODY_INDENT, Math.floor(view.width / 6))))];
  const rows = viewRows(shown, indent, { width: view.width - 1, colors: view.colors });
  const limit = view.expanded ? MAX_ROWS : FOLDED_VIEW;
  // One row is not hidden behind a row that says so.
  return rows.length <= limit + 1 ? rows : [...rows.slice(0, limit), more(rows.length - limit, "more lines", view)];
}

function foldedDiff(diff: string, view: CardView): readonly Row[] {
  if (diff === "") return [];
  const rows = diffRows(diff, view.width - 1, BODY_INDENT);
  const shown = view.expanded ? MAX_ROWS : FOLDED_DIFF;
  return rows.length <= shown ? rows : [...rows.slice(0, shown - 1), more(rows.length - shown + 1, "more lines", view)];
}

const more = (count: number, what: string, view: CardView): Row => ({
  spans: [span(" ".repeat(BODY_INDENT)), span(`… ${String(count)} ${what}${view.expanded ? "" : " · ctrl+o"}`, "hint")],
});

const linesOf = (text: string): readonly string[] => {
  const lines = text.replace(/\n+$/, "").split("\n");
  return lines.length === 1 && lines[0] === "" ? [] : lines;
};

function outputRows(line: string, view: CardView, style: StyleName): readonly Row[] {
  const indent = [span(" ".repeat(Math.min(BODY_INDENT, Math.floor(view.width / 3))))];
  if (!view.expanded) return [{ spans: [...indent, span(ellipsize(line.slice(0, MAX_LINE), view.width - spansWidth(indent) - 1), style)] }];
  return wrapSpans([span(line.slice(0, MAX_LINE), style)], { width: view.width - 1, first: indent, rest: indent, anywhere: true });
}

function tail(text: string, view: CardView, style: StyleName): readonly Row[] {
  const lines = linesOf(text);
  const shown = view.expanded ? MAX_ROWS : FOLDED_LINES;
  const rows = lines.slice(-shown).flatMap((line) => outputRows(line, view, style));
  return lines.length > shown ? [...rows, more(lines.length - shown, "earlier lines", view)] : rows;
}

function head(text: string, view: CardView, style: StyleName, limit: number): readonly Row[] {
  const lines = linesOf(text);
  const rows = lines.slice(0, limit).flatMap((line) => outputRows(line, view, style));
  return lines.length > limit ? [...rows, more(lines.length - limit, "more lines", view)] : rows;
}
