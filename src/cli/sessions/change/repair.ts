import { plural, shortId } from "../../../base/index.js";
import type { Inspection, Maintenance, RepairReport } from "../../../runtime/index.js";
import type { ExitStatus } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { jsonLine, visibleLine } from "../../output/visible.js";
import { interruptible, refuse } from "../answers.js";
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

function linesOf({ backup, commits, lost }: RepairReport): readonly string[] {
  if (backup === undefined) return [`sound, nothing to repair: ${plural(commits, "change")}`];
  return [
    `repaired: ${plural(commits, "change")} kept, ${lost.length === 0 ? "nothing" : plural(lostChanges(lost), "change")} lost`,
    ...lost.map(({ firstSeq, lastSeq }) =>
      firstSeq === lastSeq ? `lost: change ${String(firstSeq)}` : `lost: changes ${String(firstSeq)} to ${String(lastSeq)}`,
    ),
    `the damaged file is kept as ${visibleLine(backup)}`,
  ];
}

const lostChanges = (lost: RepairReport["lost"]): number => lost.reduce((sum, { firstSeq, lastSeq }) => sum + lastSeq - firstSeq + 1, 0);
