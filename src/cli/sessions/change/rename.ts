import { shortId } from "../../../base/index.js";
import type { Inspection, Maintenance } from "../../../runtime/index.js";
import type { ExitStatus } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { visibleLine } from "../../output/visible.js";
import { refuse } from "../../output/answers.js";
import type { RenameInvocation } from "../invocation.js";

export async function renameSession(
  context: CommandContext,
  { inspection, maintenance }: { readonly inspection: Pick<Inspection, "resolve">; readonly maintenance: Pick<Maintenance, "rename"> },
  request: RenameInvocation,
): Promise<ExitStatus> {
  const session = await inspection.resolve(request.id);
  if (!session.ok) return refuse(context, session.error);
  const renamed = await maintenance.rename(session.value, request.name);
  if (!renamed.ok) return refuse(context, renamed.error);
  context.out.write(`${shortId(session.value)} ${visibleLine(request.name)}\n`);
  return 0;
}
