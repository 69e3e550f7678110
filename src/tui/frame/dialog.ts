import { type Approval, type Asked, textAt, type Ui } from "../store/index.js";
import { ellipsize, reveal, type Row, sanitizeLine, type Span, span, spansWidth, textWidth, wrapSpans } from "../text/index.js";
import type { Piece } from "./chrome-view.js";
import { questionRows } from "./details.js";

/** Text that is written where the editor is. */
export interface WrittenText {
  readonly text: string;
  readonly cursor: number;
  /** Shown while there is no text. */
  readonly placeholder: string;
}

/** What a person is asked, in the place of the editor: texts as rows for slots, keys as pieces. */
export interface Dialog {
  readonly title: string;
  readonly detail: readonly Row[];
  /** Options, and the row of the one that Enter takes. */
  readonly list: readonly Row[];
  readonly focus: number;
  readonly input: WrittenText | undefined;
  readonly keys: readonly (readonly Piece[])[];
}

type Pair = readonly [key: string, what: string];

/** The dialog at the front; `width` is that of its text. */
export function dialogOf(ui: Ui, width: number): Dialog | undefined {
  const [approval] = ui.approvals;
  if (approval !== undefined) return approvalDialog(ui, approval, width);
  return ui.asked === undefined ? undefined : askedDialog(ui.asked, width);
}

function approvalDialog(ui: Ui, approval: Approval, width: number): Dialog {
  const of = ui.approvals.length > 1 ? ` (1 of ${String(ui.approvals.length)})` : "";
  const name = sanitizeLine(approval.name);
  const why = approval.why === undefined ? [] : wrapSpans([span(sanitizeLine(approval.why), "muted")], { width });
  const rule = approval.rule === undefined ? undefined : reveal(approval.rule).replaceAll("\n", "␊");
  const keys = verdictKeys(rule, width);
  // A rule that would take the room of what it is about is read where that is read.
  const isLong = rule !== undefined && keys.length > MAX_KEY_ROWS;
  const detail = [...questionRows(approval, width), ...why];
  return {
    title: ellipsize(`${name} wants to run${of}`, width),
    detail: isLong ? [...detail, ...wrapSpans([span("the rule: ", "muted"), span(rule, "strong")], { width })] : detail,
    list: [],
    focus: 0,
    input: ui.reason === undefined ? undefined : { ...textAt(ui, "reason"), placeholder: "why not, or what to do instead" },
    keys:
      ui.reason !== undefined
        ? keyRow(width, ["Enter", "no"], ["Esc", "back"])
        : isLong
          ? verdictKeys("what the rule above says", width)
          : keys,
  };
}

const MAX_KEY_ROWS = 6;

/** A verdict that outlasts the call says exactly what it allows. */
function verdictKeys(rule: string | undefined, width: number): readonly (readonly Piece[])[] {
  const no: Pair = ["n", "no, or say why"];
  if (rule === undefined) return keyRow(width, ["y", "once"], ["s", "this same call again, in this session"], no);
  const always = [span("p", "key"), span(" always in this project: ")];
  const indent = [span("  ")];
  // On rows of its own where it does not fit: every blank of it is seen.
  const rows =
    spansWidth(always) + textWidth(rule) <= width
      ? [[...always, span(rule, "strong")]]
      : [always, ...wrapSpans([span(rule, "strong")], { width, first: indent, rest: indent, anywhere: true }).map(({ spans }) => spans)];
  return [...keyRow(width, ["y", "once"], no), ...rows, ...keyRow(width, ["s", "the same, in this session only"])];
}

const GAP = "   ";

/** Keys with what they do, on as many rows as they need; none is cut in two. */
function keyRow(width: number, ...pairs: readonly Pair[]): readonly (readonly Piece[])[] {
  const rows: Piece[][] = [];
  let used = 0;
  for (const [key, what] of pairs) {
    const needed = key.length + 1 + what.length;
    const last = rows.at(-1);
    const fits = last !== undefined && used + GAP.length + needed <= width;
    const pieces: Piece[] = [
      { text: key, style: "key" },
      { text: ` ${what}`, style: "text" },
    ];
    if (fits) last.push({ text: GAP, style: "text" }, ...pieces);
    else rows.push(pieces);
    used = fits ? used + GAP.length + needed : needed;
  }
  return rows;
}

function askedDialog(asked: Asked, width: number): Dialog {
  const { question, plugin } = asked;
  const detail = question.text.split("\n").flatMap((line) => wrapSpans([span(line)], { width }));
  const title = ellipsize(`${plugin} asks`, width);
  const base = { title, detail, list: [], focus: 0, input: undefined };
  switch (question.type) {
    case "ask": {
      const lines: readonly Pair[] = question.multiline === true ? [["Alt+Enter", "new line"]] : [];
      return {
        ...base,
        input: { ...asked.answer, placeholder: question.placeholder ?? "" },
        keys: keyRow(width, ["Enter", "answer"], ...lines, ["Esc", "no answer"]),
      };
    }
    case "choose": {
      const rows = question.options.map((option, index) => optionRow(asked, { ...option, index }, width));
      const how: readonly Pair[] =
        question.many === true
          ? [
              ["Space", "take"],
              ["Enter", "done"],
            ]
          : [["Enter", "take"]];
      return { ...base, list: rows, focus: asked.at, keys: keyRow(width, ["↑ ↓", "choose"], ...how, ["Esc", "no answer"]) };
    }
    case "confirm": {
      const label = (text: string | undefined, fallback: string): string =>
        ellipsize(text === undefined || text === "" ? fallback : text, width - 4);
      return { ...base, keys: keyRow(width, ["y", label(question.yes, "yes")], ["n", label(question.no, "no")], ["Esc", "no answer"]) };
    }
  }
}

interface ShownOption {
  readonly label: string;
  readonly hint?: string;
  readonly index: number;
}

/** One row for each option: mark, digit where there is one, label, hint. */
function optionRow({ question, at, taken }: Asked, { label, hint, index }: ShownOption, width: number): Row {
  const isAt = index === at;
  const isMany = question.type === "choose" && question.many === true;
  const spans: Span[] = [span(isAt ? "› " : "  ", "accent")];
  if (isMany) spans.push(span(taken.has(index) ? "☑ " : "☐ ", "bullet"));
  spans.push(span(index < 9 ? `${String(index + 1)} ` : "  ", "key"));
  const room = Math.max(1, width - (isMany ? 6 : 4));
  const shown = ellipsize(label, room);
  spans.push(span(shown, isAt ? "selection" : "text"));
  const left = room - [...shown].length - 2;
  if (hint !== undefined && hint !== "" && left >= 8) spans.push(span(`  ${ellipsize(hint, left)}`, "muted"));
  return { spans };
}
