import { type SessionId, shortId } from "../../../base/index.js";
import type { Inspection, Maintenance, UnknownEffect } from "../../../runtime/index.js";
import type { ExitStatus } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { localMinute } from "../../output/time.js";
import { clipColumns, jsonLine, visibleLine } from "../../output/visible.js";
import { hint, put, refuse } from "../../output/answers.js";
import type { ReconcileInvocation } from "../invocation.js";

type Reading = Pick<Inspection, "list" | "resolve" | "unknownEffects">;

/** Records a person's word on an effect, or lists the effects that wait for one. */
export async function reconcileEffect(
  context: CommandContext,
  { inspection, maintenance }: { readonly inspection: Reading; readonly maintenance: Pick<Maintenance, "reconcile"> },
  request: ReconcileInvocation,
): Promise<ExitStatus> {
  const session = await inspection.resolve(request.id);
  if (!session.ok) return refuse(context, session.error);
  if (request.word === undefined) return await listUnknown(context, inspection, { session: session.value, json: request.json });
  const { effect, outcome, note } = request.word;
  const done = await maintenance.reconcile(session.value, effect, { outcome, ...(note === undefined ? {} : { note }) });
  if (!done.ok) {
    const status = refuse(context, done.error);
    // What was asked for is so.
    return done.error.code === "agent.effect-said" ? 0 : status;
  }
  const record = { session: session.value, ...done.value, outcome, ...(note === undefined ? {} : { note }) };
  context.out.write(request.json ? jsonLine(record) : `${shortId(done.value.effect)} ${visibleLine(done.value.operation)}: ${outcome}\n`);
  return 0;
}

interface Wanted {
  readonly session: SessionId;
  readonly json: boolean;
}

async function listUnknown(context: CommandContext, inspection: Reading, { session, json }: Wanted): Promise<ExitStatus> {
  const effects: UnknownEffect[] = [];
  let isDamaged = false;
  for await (const effect of inspection.unknownEffects(session)) {
    if (effect.ok) effects.push(effect.value);
    else context.errors.diagnostic(effect.error);
    isDamaged ||= !effect.ok;
  }
  const isBusy = effects.some(({ ended }) => !ended) && (await isWritten(inspection, session));
  for (const effect of effects) {
    const running = isBusy && !effect.ended;
    if (!(await put(context, json ? jsonLine(recordOf(effect, running)) : lineOf(effect, running)))) return 0;
  }
  if (effects.length === 0) hint(context, "no effect of this session has an unknown outcome");
  else hint(context, `smith: say what became of one: smith sessions reconcile ${shortId(session)} EFFECT --as applied|not-applied`);
  return isDamaged ? 1 : 0;
}

async function isWritten(inspection: Reading, session: SessionId): Promise<boolean> {
  for await (const { id } of inspection.list({ state: "busy" })) if (id === session) return true;
  return false;
}

const recordOf = ({ effect, operation, plugin, startedAt, input }: UnknownEffect, running: boolean): object => ({
  effect,
  operation,
  plugin,
  startedAt,
  input,
  running,
});

function lineOf({ effect, operation, startedAt, summary }: UnknownEffect, running: boolean): string {
  const words = clipColumns(visibleLine(summary), 100);
  const what = `${visibleLine(operation)}${running ? " (may still be running)" : ""}`;
  return `${`${shortId(effect)}  ${localMinute(startedAt)}  ${what}  ${words}`.trimEnd()}\n`;
}
