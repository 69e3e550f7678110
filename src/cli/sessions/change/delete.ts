import { type SessionId, shortId } from "../../../base/index.js";
import type { Inspection, Maintenance } from "../../../runtime/index.js";
import type { ExitStatus, SessionSummary } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { canAsk, createAsker } from "../../output/asker.js";
import { localMinute } from "../../output/time.js";
import { clipColumns, visibleLine } from "../../output/visible.js";
import { refuse } from "../../output/answers.js";
import { cannotAsk } from "../diagnostics.js";
import type { DeleteInvocation } from "../invocation.js";
import { resolveAll } from "../places.js";

/** Removes sessions, all that can be; asks first unless told not to. */
export async function deleteSessions(
  context: CommandContext,
  {
    inspection,
    maintenance,
  }: { readonly inspection: Pick<Inspection, "list" | "resolve">; readonly maintenance: Pick<Maintenance, "remove"> },
  request: DeleteInvocation,
): Promise<ExitStatus> {
  const { errors, out } = context;
  if (!request.yes && !canAsk(context)) return refuse(context, cannotAsk());
  const ids = await resolveAll(inspection, request.ids);
  if (!ids.ok) return refuse(context, ids.error);
  if (!request.yes && !(await agrees(context, await titlesOf(inspection, ids.value)))) {
    errors.line("smith: nothing was deleted");
    return 1;
  }
  let status: ExitStatus = 0;
  for (const id of ids.value) {
    const removed = await maintenance.remove(id);
    if (removed.ok) out.write(`deleted ${id}\n`);
    else {
      const own = refuse(context, removed.error);
      status = status === 0 ? own : status;
    }
  }
  return status;
}

/** What a person knows the sessions by. */
async function titlesOf(inspection: Pick<Inspection, "list">, ids: readonly SessionId[]): Promise<readonly string[]> {
  const wanted = new Set(ids);
  const titles = new Map<SessionId, string>();
  for await (const summary of inspection.list({ detail: "summary" })) {
    if (wanted.has(summary.id)) titles.set(summary.id, titleOf(summary));
    if (titles.size === wanted.size) break;
  }
  return ids.map((id) => titles.get(id) ?? shortId(id));
}

const titleOf = ({ id, short, updatedAt, name, firstPrompt }: SessionSummary): string =>
  `${short ?? shortId(id)}  ${clipColumns(visibleLine(`${localMinute(updatedAt)}  ${name ?? firstPrompt ?? ""}`), 80)}`.trimEnd();

/** One question for all of them. */
async function agrees(context: CommandContext, titles: readonly string[]): Promise<boolean> {
  for (const title of titles) context.errors.line(`  ${title}`);
  const [these, them] = titles.length === 1 ? ["this session", "it"] : [`these ${String(titles.length)} sessions`, "them"];
  const asker = createAsker(context);
  try {
    return await asker.agrees(`Delete ${these} for good? Type y or yes to delete, anything else keeps ${them}:`);
  } finally {
    asker.close();
  }
}
