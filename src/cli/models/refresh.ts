import { err, ok, plural, type Result } from "../../base/index.js";
import type { ConnectionState, RefreshReport } from "../../runtime/index.js";
import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import { hint, interruptible, put, refuse } from "../output/answers.js";
import { jsonLine, visibleLine } from "../output/visible.js";
import type { ModelDesk } from "./desk.js";
import { noneAnswered, noSuchServer, notSetUp } from "./diagnostics.js";
import type { RefreshModelsInvocation } from "./invocation.js";

/** A server that was named and cannot be asked. */
interface Unready {
  readonly name: string;
  readonly diagnostic: Diagnostic;
}

interface Meant {
  /** Connections; none: all that are set up. */
  readonly only: readonly string[];
  readonly unready: readonly Unready[];
}

/** Asks servers for their models. All they say counts from then on, or, after a stop, nothing of it. */
export async function refreshModels(desk: ModelDesk, { names, json }: RefreshModelsInvocation): Promise<ExitStatus> {
  const { context, admin } = desk;
  const states = admin.connections();
  const meant = meantBy(names, states);
  if (!meant.ok) return refuse(context, meant.error);
  const { only, unready } = meant.value;
  const reports: RefreshReport[] = [];
  const onReport = (report: RefreshReport): void => {
    reports.push(report);
    hint(context, `smith: ${report.connection} ${answerWords(report, states)}`);
  };
  return await interruptible(context, async (signal) => {
    hint(context, "smith: asking servers for their models; Ctrl-C stops it and changes nothing");
    const isNothing = names.length > 0 && only.length === 0;
    const kept = isNothing ? ok("published" as const) : await admin.refresh({ only, signal, onReport });
    if (!kept.ok) return kept.error;
    // A signal is what the caller ends with.
    if (kept.value === "aborted") return 130;
    const told = sorted(reports, states);
    const silent = names.length > 0 ? [] : told.filter((report) => isSilent(report, states));
    const rows = told.filter((report) => !silent.includes(report));
    await (json ? writeRecords(desk, told, { unready, kept: kept.value }) : writeWords(desk, rows, { unready, silent }));
    if (kept.value === "stale") context.errors.line("smith: nothing was kept: another refresh that began later has come first");
    if (rows.some(({ type }) => type !== "failed")) return 0;
    // What failed was told above.
    return rows.length + unready.length > 0 ? 1 : noneAnswered(silent.map(({ connection }) => connection));
  });
}

function answerWords(report: RefreshReport, states: readonly ConnectionState[]): string {
  if (report.type !== "failed") return `answered: ${plural(report.count, "model")}`;
  return isSilent(report, states) ? "is not running here" : "failed";
}

/** In the order of connections, not of answers. */
function sorted(reports: readonly RefreshReport[], states: readonly ConnectionState[]): readonly RefreshReport[] {
  const place = ({ provider, connection }: RefreshReport): number =>
    states.findIndex((state) => state.provider === provider && state.connection === connection);
  return [...reports].sort((left, right) => place(left) - place(right));
}

function meantBy(names: readonly string[], states: readonly ConnectionState[]): Result<Meant, Diagnostic> {
  const only: string[] = [];
  const unready: Unready[] = [];
  for (const name of names) {
    const lower = name.toLowerCase();
    const own = states.filter(({ connection }) => connection.toLowerCase() === lower);
    const ofProvider = states.filter(({ provider }) => provider.toLowerCase() === lower);
    const named = ofProvider.length > 0 ? ofProvider : own;
    const [first] = named;
    if (first === undefined)
      return err(noSuchServer(name, [...new Set(states.flatMap(({ provider, connection }) => [provider, connection]))]));
    const ready = named.filter(({ isReachable, endpoint }) => isReachable && endpoint !== undefined && endpoint.baseUrl !== "");
    only.push(...ready.map(({ connection }) => connection));
    if (ready.length === 0) unready.push({ name, diagnostic: first.problem ?? notSetUp(name, first.lookedAt) });
  }
  return ok({ only: [...new Set(only)], unready });
}

/** A server of this machine that nobody set up, and that is not there. */
function isSilent(report: RefreshReport, states: readonly ConnectionState[]): boolean {
  if (report.type !== "failed" || report.kept > 0) return false;
  return states.some(({ provider, connection, isSetUp }) => provider === report.provider && connection === report.connection && !isSetUp);
}

interface Beside {
  readonly unready: readonly Unready[];
  readonly silent: readonly RefreshReport[];
}

/** What changed, what did not, and why what failed did. */
async function writeWords({ context }: ModelDesk, rows: readonly RefreshReport[], { unready, silent }: Beside): Promise<void> {
  const lines = rows.map((report) => `${report.connection}: ${resultWords(report)}`);
  const notThere = silent.map(({ connection }) => connection);
  const all = [
    ...lines,
    ...unready.map(({ name }) => `${name}: not asked`),
    ...(notThere.length === 0 ? [] : [`not running on this machine: ${notThere.join(", ")}`]),
  ];
  await put(context, all.map((line) => `${visibleLine(line)}\n`).join(""));
  context.out.push();
  for (const report of rows) if (report.type === "failed") context.errors.diagnostic(report.diagnostic);
  for (const { diagnostic } of unready) context.errors.diagnostic(diagnostic);
}

function resultWords(report: RefreshReport): string {
  switch (report.type) {
    case "changed": {
      const parts = [
        ...(report.added === 0 ? [] : [`${String(report.added)} new`]),
        ...(report.removed === 0 ? [] : [`${String(report.removed)} gone`]),
      ];
      return `changed, ${plural(report.count, "model")} (${parts.length === 0 ? "other facts" : parts.join(", ")})`;
    }
    case "unchanged":
      return `unchanged, ${plural(report.count, "model")}`;
    case "failed":
      return report.kept === 0 ? "failed" : `failed, its previous list of ${plural(report.kept, "model")} still counts`;
  }
}

interface Outcome {
  readonly unready: readonly Unready[];
  readonly kept: "published" | "stale" | "aborted";
}

async function writeRecords({ context }: ModelDesk, reports: readonly RefreshReport[], { unready, kept }: Outcome): Promise<void> {
  const count = (type: RefreshReport["type"]): number => reports.filter((report) => report.type === type).length;
  const records = [
    ...reports,
    ...unready.map(({ name, diagnostic }) => ({ type: "not-asked", name, diagnostic })),
    {
      type: "summary",
      outcome: kept,
      changed: count("changed"),
      unchanged: count("unchanged"),
      failed: count("failed") + unready.length,
    },
  ];
  for (const record of records) if (!(await put(context, jsonLine(record)))) break;
}
