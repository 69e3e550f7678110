import type { Inspection } from "../../runtime/index.js";
import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import type { GetInvocation } from "../invocation.js";
import { jsonLine } from "../output/visible.js";
import { renderEntry } from "./entry-text.js";

/** The entries of one session in the order they were written; what cannot be read is told and makes the status 1. */
export async function getSession(
  { out, errors, paint }: CommandContext,
  inspection: Pick<Inspection, "entries" | "resolve">,
  request: GetInvocation,
): Promise<ExitStatus> {
  const session = await inspection.resolve(request.id);
  if (!session.ok) {
    errors.diagnostic(session.error);
    return session.error.exit ?? 1;
  }
  const { first, last } = request.entries ?? { first: 1, last: Infinity };
  let status: ExitStatus = 0;
  let number = 0;
  for await (const entry of inspection.entries(session.value)) {
    if (!entry.ok) {
      status = 1;
      errors.diagnostic(entry.error);
      continue;
    }
    number += 1;
    if (number > last) break;
    if (number < first) continue;
    out.write(request.json ? jsonLine(entry.value) : renderEntry(entry.value, number, paint));
    await out.ready();
    if (out.state() !== "open") break;
  }
  return status;
}
