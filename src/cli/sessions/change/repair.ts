import { plural, shortId } from "../../../base/index.js";
import type { Inspection, Maintenance, RepairReport } from "../../../runtime/index.js";
import type { ExitStatus } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { jsonLine, visibleLine } from "../../output/visible.js";
import { interruptible, refuse } from "../../output/answers.js";
import { spanWords } from "../diagnostics.js";
import type { RepairInvocation } from "../invocation.js";

/** Puts a sound file in the place of a damaged one, and says what was lost and where the old one is. */
export async function repairSession(
  context: CommandContext,
  { inspection, maintenance }: { readonly inspection: Pick<Inspection, "resolve">; readonly maintenance: Pick<Maintenance, "repair"> },
  request: RepairInvocation,
): Promise<ExitStatus> {
  const session = await inspection.resolve(request.id);
  if (!session.ok) return refuse(context, session.error);
  return await interruptible(context, async (signal) => {
    const report = await maintenance.repair(session.value, { signal });
    if (!report.ok) return report.error;
    const id = session.value;
    if (request.json) context.out.write(jsonLine({ session: id, repaired: report.value.backup !== undefined, ...report.value }));
    else for (const line of linesOf(report.value)) context.out.write(`${shortId(id)}: ${line}\n`);
    return 0;
  });
}

function linesOf({ backup, commits, lost, marked = [], dropped }: RepairReport): readonly string[] {
  if (backup === undefined) return [`sound, nothing to repair: ${plural(commits, "change")}`];
  const losses = lossesOf({ lost, marked, ...(dropped === undefined ? {} : { dropped }) });
  return [
    `repaired: ${plural(commits, "change")} kept, ${losses.length === 0 ? "nothing lost" : `lost: ${losses.join("; ")}`}`,
    ...marked.map((entry) => `entry lost, its place on the branch is kept: ${shortId(entry)}`),
    ...(dropped?.entries ?? []).map((entry) => `entry left out, its content is damaged: ${shortId(entry)}`),
    `the damaged file is kept as ${visibleLine(backup)}`,
  ];
}

function lossesOf({ lost, marked = [], dropped }: Pick<RepairReport, "lost" | "marked" | "dropped">): readonly string[] {
  const { entries, frames } = { entries: dropped?.entries.length ?? 0, frames: dropped?.frames ?? 0 };
  return [
    ...lost.map(spanWords),
    ...(marked.length === 0
      ? []
      : [marked.length === 1 ? "1 entry of the conversation" : `${String(marked.length)} entries of the conversation`]),
    ...(entries === 0 ? [] : [entries === 1 ? "1 entry of a kept change" : `${String(entries)} entries of kept changes`]),
    ...(frames === 0 ? [] : [`${plural(frames, "frame")} of a later version`]),
  ];
}
