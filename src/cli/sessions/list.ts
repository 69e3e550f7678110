import { plural, shortId } from "../../base/index.js";
import type { Inspection, ListOptions } from "../../runtime/index.js";
import { addSpend, type ExitStatus, NO_SPEND, type SessionSummary, type Spend } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { shortPath } from "../output/path.js";
import { localMinute } from "../output/time.js";
import { clipColumns, jsonLine, visibleLine } from "../output/visible.js";
import { put } from "../output/answers.js";
import { costWords, tokenWords } from "./cost-text.js";
import type { ListInvocation, Moment } from "./invocation.js";

/** Columns are sized to this many sessions; later ones are streamed in the same columns, so memory does not grow with them. */
const SIZED_ROWS = 200;

/** Sessions newest first, as JSON or as a table. `folder` keeps those recorded there. */
export async function listSessions(
  context: CommandContext,
  inspection: Pick<Inspection, "list" | "spend">,
  request: Omit<ListInvocation, "type" | "here" | "cwd"> & { readonly folder: string | undefined },
): Promise<ExitStatus> {
  const rows: Table = request.json ? jsonRows(context) : createTable(context, request.cost);
  const sum = request.cost ? new Sum() : undefined;
  let count = 0;
  for await (const summary of inspection.list(filterOf(request, context.host.clock.now()))) {
    const spend = await sum?.add(inspection, summary);
    rows.add(summary, spend);
    count += 1;
    if (count === request.limit) break;
    if (!(await put(context, ""))) return 0;
  }
  rows.finish();
  if (count > 0) sum?.write(context, count, request.json);
  else if (context.errors.isTerminal) context.errors.line(isFiltered(request) ? "no such sessions" : "no sessions");
  return 0;
}

/** What the listed sessions used together. */
class Sum {
  #spend: Spend = NO_SPEND;
  #unread = 0;

  /** What one of them used; undefined when it cannot be read. */
  async add(inspection: Pick<Inspection, "spend">, { id, state }: SessionSummary): Promise<Spend | undefined> {
    const spend = state === "unreadable" ? undefined : await inspection.spend(id);
    if (spend?.ok !== true) {
      this.#unread += 1;
      return undefined;
    }
    this.#spend = addSpend(this.#spend, spend.value);
    return spend.value;
  }

  /** The last record of a list, or the line below the table. */
  write({ out }: CommandContext, sessions: number, json: boolean): void {
    out.write(json ? jsonLine(this.#record(sessions)) : `${this.#words()}\n`);
  }

  #record(sessions: number): object {
    return { type: "total", sessions, ...this.#spend, ...(this.#unread === 0 ? {} : { unread: this.#unread }) };
  }

  #words(): string {
    const unread = this.#unread === 0 ? "" : `, without ${plural(this.#unread, "session")} that cannot be read`;
    return `total ${costWords(this.#spend)}; tokens ${tokenWords(this.#spend.usage)}${unread}`;
  }
}

type Filter = Parameters<typeof listSessions>[2];

const isFiltered = ({ folder, since, until, model, name, state }: Filter): boolean =>
  [folder, since, until, model, name, state].some((filter) => filter !== undefined);

const timeOf = (moment: Moment, now: number): number => (moment.type === "at" ? moment.ms : now - moment.ms);

function filterOf({ folder, since, until, model, name, state }: Filter, now: number): ListOptions {
  return {
    detail: "summary",
    ...(folder === undefined ? {} : { cwd: folder }),
    ...(since === undefined ? {} : { since: timeOf(since, now) }),
    ...(until === undefined ? {} : { until: timeOf(until, now) }),
    ...(model === undefined ? {} : { model }),
    ...(name === undefined ? {} : { name }),
    ...(state === undefined ? {} : { state }),
  };
}

const TITLE_COLUMNS = 80;
/** Columns before the folder. */
const BEFORE_FOLDER = 36;

/** The title comes last. */
type Row = readonly string[];

const HEADER: Row = ["ID", "UPDATED", "TURNS", "FOLDER", "TITLE"];
const COST_HEADER: Row = ["ID", "UPDATED", "TURNS", "COST", "TOKENS", "FOLDER", "TITLE"];

const jsonRows = ({ out }: CommandContext): Table => ({
  add: (summary, spend) => {
    out.write(jsonLine({ ...summary, ...spend }));
  },
  finish: () => undefined,
});

interface Table {
  add(summary: SessionSummary, spend: Spend | undefined): void;
  finish(): void;
}

function createTable({ host, out, paint }: CommandContext, withCost: boolean): Table {
  const header = withCost ? COST_HEADER : HEADER;
  const home = host.env["HOME"];
  // A terminal that does not know how wide it is says 0.
  const width = host.stdout.isTerminal && host.stdout.columns !== 0 ? host.stdout.columns : undefined;
  // What a title is recognized by is its beginning, a folder by its end: both get their part of a narrow terminal.
  const folderColumns = width === undefined ? Infinity : Math.max(12, Math.floor((width - BEFORE_FOLDER) * 0.45));
  let sizing: Row[] = [];
  let widths: readonly number[] | undefined;
  const write = (row: Row, isHeader: boolean): void => {
    const cells = row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths?.[index] ?? 0)));
    const line = cells.join("  ").trimEnd();
    const fitted = width === undefined ? line : clipColumns(line, width);
    out.write(`${isHeader ? paint("dim", fitted) : fitted}\n`);
  };
  const size = (): void => {
    if (sizing.length === 0) return;
    const rows = [header, ...sizing];
    widths = header.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
    write(header, true);
    for (const row of sizing) write(row, false);
    sizing = [];
  };
  return {
    add(summary, spend) {
      const [id = "", updated = "", turns = "", ...rest] = rowOf(summary, home, folderColumns);
      const used = spend === undefined ? ["-", "-"] : [costWords(spend), tokenWords(spend.usage)];
      const row = [id, updated, turns, ...(withCost ? used : []), ...rest];
      if (widths !== undefined) write(row, false);
      else if (sizing.push(row) >= SIZED_ROWS) size();
    },
    finish: size,
  };
}

function rowOf(summary: SessionSummary, home: string | undefined, folderColumns: number): Row {
  const { damage = "" } = summary;
  const title = summary.state === "unreadable" ? damage : (summary.name ?? summary.firstPrompt ?? "");
  return [
    summary.short ?? shortId(summary.id),
    localMinute(summary.updatedAt),
    summary.turns === undefined ? "-" : String(summary.turns),
    summary.cwd === undefined ? "-" : endOf(visibleLine(shortPath(summary.cwd, home)), folderColumns),
    [...marksOf(summary), clipColumns(visibleLine(title), TITLE_COLUMNS)].join(" ").trim(),
  ];
}

/** Before the title, which may be cut. */
const marksOf = ({ id, state, origin }: SessionSummary): readonly string[] => [
  ...(state === "sound" ? [] : [`(${state})`]),
  ...(origin === undefined ? [] : [origin === id ? "(imported)" : `(from ${shortId(origin)})`]),
];

const endOf = (text: string, columns: number): string => (text.length <= columns ? text : `…${text.slice(1 - columns)}`);
