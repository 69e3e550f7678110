import type { ExitStatus } from "../../../schema/index.js";
import { put } from "../../output/answers.js";
import { clipColumns, jsonLine, visibleLine } from "../../output/visible.js";
import type { ListPlugins } from "../invocation.js";
import { type Discovery, type PluginRecord, reasonLines, recordOf, stateOf, versionOf } from "../records.js";
import type { Administration } from "../administration.js";

/** Told of each plugin they concern. */
const SHOWN_BELOW: ReadonlySet<string> = new Set(["plugin.project-untrusted", "plugin.project-changed", "plugin.used-for-run"]);

/** Every plugin as JSON or as a table; below one that is not in use, why and what to do. */
export async function listPlugins({ context, prepared, admin }: Administration, { json }: ListPlugins): Promise<ExitStatus> {
  const found = await admin.discover();
  for (const problem of found.diagnostics) if (!isShownBelow(found, problem)) context.errors.diagnostic(problem);
  const { plugins } = prepared.settings;
  if (!plugins.value) context.errors.line("smith: no plugin is used at all: plugins.enabled is #false");
  const records = found.records.toSorted(
    (one, other) => ORIGINS.indexOf(one.origin) - ORIGINS.indexOf(other.origin) || compare(one, other),
  );
  if (json) {
    for (const record of records) if (!(await put(context, jsonLine(recordOf(record))))) break;
    return 0;
  }
  const { paint, host } = context;
  const width = host.stdout.isTerminal ? host.stdout.columns : undefined;
  const rows = records.map((record) => ({ cells: cellsOf(record), below: reasonLines(record) }));
  const widths = HEADER.map((title, index) => Math.max(title.length, ...rows.map(({ cells }) => (cells[index] ?? "").length)));
  const lineOf = (cells: readonly string[]): string => {
    const line = cells.map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join("  ");
    return width === undefined ? line.trimEnd() : clipColumns(line.trimEnd(), width);
  };
  const text = rows.map(({ cells, below }) => [lineOf(cells), ...below.map((line) => `  ${paint("yellow", line)}`)].join("\n"));
  await put(context, [paint("dim", lineOf(HEADER)), ...text].map((line) => `${line}\n`).join(""));
  return 0;
}

const HEADER = ["ID", "VERSION", "ORIGIN", "STATE", "TOOLS"] as const;

/** What is one's own first. */
const ORIGINS: readonly PluginRecord["origin"][] = ["run", "project", "user", "bundled"];

const compare = (one: PluginRecord, other: PluginRecord): number => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

const cellsOf = (record: PluginRecord): readonly string[] => [
  visibleLine(record.id),
  versionOf(record),
  record.origin,
  stateOf(record),
  record.compiled === undefined || record.compiled.tools.length === 0 ? "-" : record.compiled.tools.map(({ name }) => name).join(", "),
];

const isShownBelow = ({ records }: Discovery, { code, what }: { readonly code: string; readonly what: string }): boolean =>
  SHOWN_BELOW.has(code) || records.some(({ problems }) => problems.some((problem) => problem.what === what));
