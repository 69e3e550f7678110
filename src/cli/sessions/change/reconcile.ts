import { isJsonObject, type JsonValue, type SessionId, shortId } from "../../../base/index.js";
import type { Inspection, Maintenance } from "../../../runtime/index.js";
import {
  type Diagnostic,
  type EffectIntentEntry,
  type Entry,
  type EntryType,
  type ExitStatus,
  isReportable,
} from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { localMinute } from "../../output/time.js";
import { clipColumns, jsonLine, visibleLine } from "../../output/visible.js";
import { hint, put, refuse } from "../answers.js";
import type { ReconcileInvocation } from "../invocation.js";

type Reading = Pick<Inspection, "entries" | "list" | "resolve">;

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
  const { effects, problems } = await unknownEffects(inspection, session);
  for (const problem of problems) context.errors.diagnostic(problem);
  const isBusy = effects.some(({ ended }) => !ended) && (await isWritten(inspection, session));
  for (const { intent, ended } of effects) {
    const running = isBusy && !ended;
    if (!(await put(context, json ? jsonLine(recordOf(intent, running)) : lineOf(intent, running)))) return 0;
  }
  if (effects.length === 0) hint(context, "no effect of this session has an unknown outcome");
  else hint(context, `smith: say what became of one: smith sessions reconcile ${shortId(session)} EFFECT --as applied|not-applied`);
  return problems.length > 0 ? 1 : 0;
}

interface Unknown {
  readonly intent: EffectIntentEntry;
  /** Whether its end was recorded, as unknown. */
  readonly ended: boolean;
}

const EFFECTS: ReadonlySet<EntryType> = new Set<EntryType>(["effect-intent", "effect-done", "reconciled"]);

async function unknownEffects(
  inspection: Reading,
  session: SessionId,
): Promise<{ readonly effects: readonly Unknown[]; readonly problems: readonly Diagnostic[] }> {
  const open = new Map<string, Unknown>();
  const problems: Diagnostic[] = [];
  for await (const entry of inspection.entries(session, { types: EFFECTS })) {
    if (entry.ok) follow(open, entry.value);
    else problems.push(entry.error);
  }
  return { effects: [...open.values()], problems };
}

/** Effects that came with a fork or an import are not this session's to reconcile; what changes nothing needs no word. */
function follow(open: Map<string, Unknown>, entry: Entry): void {
  if (entry.type === "effect-intent" && entry.inherited !== true && isReportable(entry))
    open.set(entry.effect, { intent: entry, ended: false });
  else if (entry.type === "reconciled") open.delete(entry.effect);
  else if (entry.type === "effect-done") {
    const known = open.get(entry.effect);
    if (entry.outcome !== "unknown") open.delete(entry.effect);
    else if (known !== undefined) open.set(entry.effect, { ...known, ended: true });
  }
}

async function isWritten(inspection: Reading, session: SessionId): Promise<boolean> {
  for await (const { id } of inspection.list({ state: "busy" })) if (id === session) return true;
  return false;
}

const recordOf = ({ effect, operation, plugin, time, input }: EffectIntentEntry, running: boolean): object => ({
  effect,
  operation,
  plugin,
  startedAt: time,
  input,
  running,
});

function lineOf({ effect, operation, time, input }: EffectIntentEntry, running: boolean): string {
  const words = clipColumns(visibleLine(summaryOf(input)), 100);
  return (
    `${shortId(effect)}  ${localMinute(time)}  ${visibleLine(operation)}${running ? " (may still be running)" : ""}  ${words}`.trimEnd() +
    "\n"
  );
}

/** The texts of an effect's input: limits and flags tell a person nothing about what it was. */
const summaryOf = (input: JsonValue): string =>
  isJsonObject(input)
    ? Object.entries(input)
        .flatMap(([name, value]) => (name !== "cwd" && typeof value === "string" ? [value] : []))
        .join(" ")
    : "";
