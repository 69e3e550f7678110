import { shortId } from "../../base/index.js";
import type { Inspection, ListOptions } from "../../runtime/index.js";
import type { ExitStatus, SessionSummary } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { shortPath } from "../output/path.js";
import { localMinute } from "../output/time.js";
import { clipColumns, jsonLine, visibleLine } from "../output/visible.js";
import { put } from "../output/answers.js";
import type { ListInvocation, Moment } from "./invocation.js";

/** Columns are sized to this many sessions; later ones are streamed in the same columns, so memory does not grow with them. */
const SIZED_ROWS = 200;

/** Sessions newest first, as JSON or as a table. `folder` keeps those recorded there. */
export async function listSessions(
  context: CommandContext,
  inspection: Pick<Inspection, "list">,
  request: Omit<ListInvocation, "type" | "here" | "cwd"> & { readonly folder: string | undefined },
): Promise<ExitStatus> {
  const table = request.json ? undefined : createTable(context);
  let count = 0;
  for await (const summary of inspection.list(filterOf(request, context.host.clock.now()))) {
    if (table === undefined) context.out.write(jsonLine(summary));
    else table.add(summary);
    count += 1;
    if (count === request.limit) break;
    if (!(await put(context, ""))) return 0;
  }
  table?.finish();
  if (count === 0 && context.errors.isTerminal) context.errors.line(isFiltered(request) ? "no such sessions" : "no sessions");
  return 0;
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

type Row = readonly [id: string, updated: string, turns: string, folder: string, title: string];

const HEADER: Row = ["ID", "UPDATED", "TURNS", "FOLDER", "TITLE"];

interface Table {
  add(summary: SessionSummary): void;
  finish(): void;
}

function createTable({ host, out, paint }: CommandContext): Table {
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
    const rows = [HEADER, ...sizing];
    widths = HEADER.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
    write(HEADER, true);
    for (const row of sizing) write(row, false);
    sizing = [];
  };
  return {
    add(summary) {
      const row = rowOf(summary, home, folderColumns);
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
