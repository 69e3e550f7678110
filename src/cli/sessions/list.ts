import type { Inspection } from "../../runtime/index.js";
import type { ExitStatus, SessionSummary } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import type { ListInvocation } from "../invocation.js";
import { clipColumns, jsonLine, visibleLine } from "../output/visible.js";

/** Columns are sized to this many sessions; later ones are streamed in the same columns, so memory does not grow with them. */
const SIZED_ROWS = 200;

/** Sessions newest first, as JSON or as a table. `folder` keeps those recorded there. */
export async function listSessions(
  context: CommandContext,
  inspection: Pick<Inspection, "list">,
  request: Pick<ListInvocation, "json"> & { readonly folder: string | undefined },
): Promise<ExitStatus> {
  const { out } = context;
  const table = request.json ? undefined : createTable(context);
  for await (const summary of inspection.list()) {
    if (request.folder !== undefined && summary.cwd !== request.folder) continue;
    if (table === undefined) out.write(jsonLine(summary));
    else table.add(summary);
    await out.ready();
    if (out.state() !== "open") return 0;
  }
  const count = table?.finish();
  if (count === 0 && context.errors.isTerminal) context.errors.line("no sessions");
  return 0;
}

type Row = readonly [id: string, updated: string, turns: string, folder: string, title: string];

const HEADER: Row = ["ID", "UPDATED", "TURNS", "FOLDER", "TITLE"];

interface Table {
  add(summary: SessionSummary): void;
  /** Number of sessions shown. */
  finish(): number;
}

function createTable({ host, out, paint }: CommandContext): Table {
  const home = host.env["HOME"];
  const width = host.stdout.isTerminal ? host.stdout.columns : undefined;
  let sizing: Row[] = [];
  let widths: readonly number[] | undefined;
  let count = 0;
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
      count += 1;
      const row = rowOf(summary, home);
      if (widths !== undefined) write(row, false);
      else if (sizing.push(row) >= SIZED_ROWS) size();
    },
    finish() {
      size();
      return count;
    },
  };
}

function rowOf(summary: SessionSummary, home: string | undefined): Row {
  const state = summary.state === "sound" ? "" : `(${summary.state}) `;
  return [
    summary.id.slice(-8),
    localMinute(summary.updatedAt),
    summary.turns === undefined ? "-" : String(summary.turns),
    summary.cwd === undefined ? "-" : visibleLine(shortened(summary.cwd, home)),
    clipColumns(visibleLine(`${state}${summary.name ?? summary.firstPrompt ?? ""}`), 80),
  ];
}

const shortened = (path: string, home: string | undefined): string =>
  home !== undefined && home !== "" && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;

/** `2026-11-30 09:05` in the person's own time zone. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
