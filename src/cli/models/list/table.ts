import type { Paint } from "../../output/colour.js";
import { shortPath } from "../../output/path.js";
import { sourceOf } from "../../output/source.js";
import { clipColumns, visibleLine } from "../../output/visible.js";
import { abilityWords, dayOf, levelWords, priceWords, sayerWords, tokenWords } from "../fact-words.js";
import type { Listing, ModelRow, NameRow } from "./listing.js";

export interface TableView {
  /** There are rows that are not set up. */
  readonly all: boolean;
  /** Absent: as wide as it wants to be. */
  readonly width: number | undefined;
  readonly home: string | undefined;
  readonly paint: Paint;
}

interface Column {
  readonly title: string;
  readonly cell: (row: ModelRow) => string;
}

/** What is longer stands out of its column, so that one long name does not push all others aside. */
const NAME_COLUMNS = 44;

const mark = ({ isUsed }: { readonly isUsed: boolean }): string => (isUsed ? " *" : "");

const SELECTION: Column = { title: "SELECTION", cell: (row) => `${row.selection}${mark(row)}` };
const CONTEXT: Column = { title: "CONTEXT", cell: ({ entry }) => tokenWords(entry.facts.contextTokens) };
const OUTPUT: Column = { title: "OUTPUT", cell: ({ entry }) => tokenWords(entry.facts.outputTokens) };
const PRICE: Column = { title: "$/M IN / OUT", cell: ({ entry }) => priceWords(entry.facts.price) };
const TAKES: Column = { title: "TAKES", cell: ({ entry }) => abilityWords(entry.facts) };
const LEVELS: Column = { title: "THINKING", cell: ({ entry }) => levelWords(entry.facts, "all") };
const RANGE: Column = { title: "THINKING", cell: ({ entry }) => levelWords(entry.facts, "range") };
const FROM: Column = { title: "FROM", cell: fromWords };
const SET_UP: Column = { title: "SET UP", cell: ({ isSetUp }) => (isSetUp ? "yes" : "no") };

function fromWords({ entry, isLocal }: ModelRow): string {
  if (isLocal && entry.known === "unknown") return "built in";
  return [sayerWords(entry.known), dayOf(entry) ?? ""].join(" ").trim();
}

/** From all there is to what fits a narrow terminal. */
function formsOf(all: boolean): readonly (readonly Column[])[] {
  const ready = all ? [SET_UP] : [];
  return [
    [SELECTION, ...ready, CONTEXT, OUTPUT, PRICE, TAKES, LEVELS, FROM],
    [SELECTION, ...ready, CONTEXT, OUTPUT, PRICE, TAKES, RANGE, FROM],
    [SELECTION, ...ready, CONTEXT, OUTPUT, PRICE, TAKES, RANGE],
    [SELECTION, ...ready, CONTEXT, PRICE, TAKES, RANGE],
    [SELECTION, ...ready, CONTEXT, PRICE, RANGE],
  ];
}

/** Lines of the table, its header first; none when it has no rows. */
export function tableOf({ names, models }: Listing, view: TableView): readonly string[] {
  if (names.length + models.length === 0) return [];
  const { width = Infinity, paint } = view;
  const forms = formsOf(view.all).map((columns) => layOut(columns, names, models));
  const form = forms.find((each) => each.columns <= width) ?? forms.at(-1);
  if (form === undefined) return [];
  const clip = (line: string): string => (width === Infinity ? line : clipColumns(line, width));
  const line = (cells: readonly string[]): string => clip(form.line(cells));
  return [
    paint("dim", line(form.titles)),
    ...names.map((row) => line([`${row.name}${mark(row)}`, meaningOf(row, view.home)].map(visibleLine))),
    ...models.map((row, index) => {
      const text = line(form.rows[index] ?? []);
      return row.isUsed ? paint("bold", text) : row.isSetUp ? text : paint("dim", text);
    }),
  ];
}

interface LaidOut {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns of a usual line. */
  readonly columns: number;
  readonly line: (cells: readonly string[]) => string;
}

function layOut(columns: readonly Column[], names: readonly NameRow[], models: readonly ModelRow[]): LaidOut {
  const titles = columns.map(({ title }) => title);
  const rows = models.map((row) => columns.map(({ cell }) => visibleLine(cell(row))));
  const first = Math.max(...names.map((row) => row.name.length + mark(row).length), 0);
  const widths = titles.map((title, index) => {
    const widest = Math.max(title.length, index === 0 ? first : 0, ...rows.map((cells) => (cells[index] ?? "").length));
    return index === 0 ? Math.min(widest, NAME_COLUMNS) : widest;
  });
  const sum = widths.reduce((total, width) => total + width + 2, -2);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join("  ")
      .trimEnd();
  return { titles, rows, columns: sum, line };
}

function meaningOf({ type, members, source }: NameRow, home: string | undefined): string {
  const place = shortPath(sourceOf({ layer: "user", source }), home);
  return `${type} of ${members.join(", then ")} (${place})`;
}
