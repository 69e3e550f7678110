import { shortId } from "../../../base/index.js";
import type { Inspection, Maintenance, NewSession } from "../../../runtime/index.js";
import type { ExitStatus } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { jsonLine } from "../../output/visible.js";
import { hint, interruptible, refuse } from "../../output/answers.js";
import type { ForkInvocation } from "../invocation.js";
import { resolvePlace } from "../places.js";

/** Copies a branch into a new session and gives its id. */
export async function forkSession(
  context: CommandContext,
  { inspection, maintenance }: { readonly inspection: Inspection; readonly maintenance: Pick<Maintenance, "fork"> },
  request: ForkInvocation,
): Promise<ExitStatus> {
  const place = await resolvePlace(inspection, request.source);
  if (!place.ok) return refuse(context, place.error);
  const { session, entry } = place.value;
  return await interruptible(context, async (signal) => {
    const made = await maintenance.fork(session, {
      signal,
      ...(entry === undefined ? {} : { at: entry }),
      ...(request.name === undefined ? {} : { name: request.name }),
    });
    if (!made.ok) return made.error;
    tellNew(context, made.value, request.json ? { source: session, ...(entry === undefined ? {} : { at: entry }) } : undefined);
    return 0;
  });
}

/** The id of a session that was made, and for a person how to open it. `json`: what its record says beside. */
export function tellNew(context: CommandContext, made: NewSession, json: object | undefined): void {
  const { id, path, entries } = made;
  context.out.write(json === undefined ? `${id}\n` : jsonLine({ session: id, path, entries, ...json }));
  context.out.push();
  hint(context, `smith: ${entries === 1 ? "1 entry" : `${String(entries)} entries`}; open it with: smith -r ${shortId(id)}`);
}
