import type { ModelRow } from "../models/index.js";
import { chosenModel, isCurrent, type ModelsPage, shownModels, type Ui } from "../store/index.js";
import { ellipsize, EMPTY_ROW, type Row, sanitizeLine, type Span, span, textWidth } from "../text/index.js";
import type { Page } from "./page.js";

const FIND = "find  ";
const WIDE = 60;

/** The models there are, around the chosen one, under what is looked for. */
export function modelsPageOf(ui: Ui, page: ModelsPage, width: number): Page {
  const rows = shownModels(ui, page);
  const chosen = chosenModel(ui, page);
  const room = Math.max(1, width - FIND.length - 1);
  const typed = tailOf(page.filter.text.slice(0, page.filter.cursor), room);
  const after = ellipsize(page.filter.text.slice(page.filter.cursor), Math.max(0, room - textWidth(typed)));
  const find: Row = { spans: [span(FIND, "muted"), span(`${sanitizeLine(typed)}${sanitizeLine(after)}`)] };
  const body = ui.models === undefined ? [note("looking …")] : rows.length === 0 ? [note(emptyText(page, ui))] : [];
  return {
    title: titleOf(ui),
    head: [find, rows.length > 0 && width >= WIDE ? columnsRow(width) : EMPTY_ROW],
    caret: FIND.length + textWidth(sanitizeLine(typed)),
    rows: [...body, ...rows.map((row) => modelLine(ui, row, { isChosen: row === chosen, width }))],
    footer: ["Enter use in this session", "Tab use and keep as default", "Esc closes"],
    focus: chosen === undefined ? undefined : rows.indexOf(chosen),
    isText: false,
  };
}

/** Which one answers now, and what made it that one. */
function titleOf({ status }: Ui): string {
  if (status === undefined) return "models";
  const { model, modelSource, selection } = status;
  const name = sanitizeLine(model.model === "" ? model.provider : `${model.provider}/${model.model}`);
  return `models · now ${selection === undefined ? "" : `${sanitizeLine(selection)} → `}${name}, by ${sanitizeLine(modelSource)}`;
}

const note = (text: string): Row => ({ spans: [span(text, "muted")] });

const emptyText = ({ filter }: ModelsPage, { models }: Ui): string =>
  models?.rows.length === 0
    ? "no model can be asked: smith auth login NAME stores a key"
    : `nothing fits ${sanitizeLine(filter.text.trim())}; /model takes any name your provider has`;

/** The end of a text, as much as there is room for. */
function tailOf(text: string, room: number): string {
  let tail = text;
  while (textWidth(sanitizeLine(tail)) > room) tail = tail.slice(1);
  return tail;
}

interface LineView {
  readonly isChosen: boolean;
  readonly width: number;
}

/** Cells of the three facts at the end of a row. */
const FACTS = [6, 13, 20] as const;
const FACT_NAMES = ["window", "$/M in/out", "thinking levels"] as const;

const nameRoom = (width: number): number => (width < WIDE ? width - 2 : width - 2 - FACTS.reduce((sum, cells) => sum + cells + 1, 0));

function columnsRow(width: number): Row {
  const facts = FACT_NAMES.map((name, index) => ` ${name.padEnd(FACTS[index] ?? 0)}`).join("");
  return { spans: [span(" ".repeat(2 + nameRoom(width))), span(facts.trimEnd(), "faint")] };
}

/** `› name  in use  default`, and what is known of it where there is room. */
function modelLine(ui: Ui, row: ModelRow, { isChosen, width }: LineView): Row {
  const room = nameRoom(width);
  const flags = [isCurrent(ui, row) ? "in use" : "", ui.models?.preset === row.selection ? "default" : ""].filter((flag) => flag !== "");
  const flagText = flags.length === 0 ? "" : ` ${flags.join(", ")}`;
  const name = ellipsize(row.name, Math.max(6, room - textWidth(flagText)));
  const spans: Span[] = [span(isChosen ? "› " : "  ", "accent"), span(name, isChosen ? "selection" : "text")];
  if (flagText !== "") spans.push(span(flagText, "accent"));
  if (width < WIDE) return { spans };
  spans.push(span(" ".repeat(Math.max(0, room - textWidth(name) - textWidth(flagText)))));
  if (row.ref === undefined) return { spans: [...spans, span(` ${ellipsize(row.facts.join(" "), width - room - 3)}`, "muted")] };
  const facts = row.facts.map((fact, index) => ` ${ellipsize(fact, FACTS[index] ?? 0).padEnd(FACTS[index] ?? 0)}`).join("");
  return { spans: [...spans, span(facts.trimEnd(), "muted")] };
}
