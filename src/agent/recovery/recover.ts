import type { CallId, EffectId, SessionId } from "../../base/index.js";
import {
  type EffectIntentEntry,
  type Entry,
  mayChange,
  type MutationState,
  type SubmissionEntry,
  type ToolCallEntry,
} from "../../schema/index.js";
import type { LiveEffect, LiveState, LiveSubmission, SessionReader } from "../../session/index.js";
import { type InheritedEvidence, type OpenWork, PROVIDER_OPERATION, type QueuedItem, type Recovered } from "../facts.js";
import { CallWindow } from "./open-calls.js";

/** What is open in a session file, from its live state: no history is read but the contents of what is open. */
export async function recover(reader: SessionReader): Promise<Recovered> {
  const live = await reader.live();
  const pendingEffects: EffectIntentEntry[] = [];
  for (const effect of live.effects.values()) pendingEffects.push(await intentOf(reader, effect));
  const queue: QueuedItem[] = [];
  const unsettled: OpenWork[] = [];
  for (const submission of live.submissions.values()) {
    const item = submission.isQueued ? await queuedItem(reader, submission) : undefined;
    if (item === undefined) unsettled.push(openWork(live, submission));
    else queue.push(item);
  }
  return {
    pendingEffects,
    outcomes: live.ended,
    unsettled: [...unsettled, ...unasked(live)],
    queue,
    inherited: live.origins.length === 0 ? new Map() : await inheritedEvidence(reader, live.origins.at(-1)?.session),
    ...(live.name === undefined ? {} : { name: live.name }),
  };
}

/** An intent that cannot be read any more is still an effect that began. */
async function intentOf(reader: SessionReader, effect: LiveEffect): Promise<EffectIntentEntry> {
  const entry = await reader.get(effect.entry);
  if (entry?.type === "effect-intent") return entry;
  const { cause, operation, work } = effect;
  const known = { effect: effect.effect, cause, operation, ...(work === undefined ? {} : { work }) };
  return { type: "effect-intent", id: effect.entry, time: 0, plugin: "", generation: 0, input: null, ...known };
}

/** Nothing when its content cannot be read or it never waited: such input is not delivered. */
async function queuedItem(reader: SessionReader, { entry: id }: LiveSubmission): Promise<QueuedItem | undefined> {
  const entry = await reader.get(id);
  return entry?.type === "submission" ? waitingItem(entry) : undefined;
}

const waitingItem = ({ submission, work, delivery, text }: SubmissionEntry): QueuedItem | undefined =>
  delivery === "turn" ? undefined : { submission, work, delivery, text };

function openWork(live: LiveState, { submission, work }: LiveSubmission): OpenWork {
  const known = live.works.get(work);
  return {
    work,
    submission,
    state: known?.state ?? "created",
    ...(known?.parent === undefined ? {} : { parent: known.parent }),
    ...(known?.checkpoint === undefined ? {} : { checkpoint: known.checkpoint }),
  };
}

/** Works that no submission asked for: they end with those that own them. */
function unasked(live: LiveState): readonly OpenWork[] {
  const asked = new Set([...live.submissions.values()].map(({ work }) => work));
  return [...live.works.values()].filter(({ work }) => !asked.has(work));
}

/**
 * A fork inside a batch leaves calls of its source without results. What its records say of them is looked up once, and
 * only when the selected leaf lies in such a batch.
 */
async function inheritedEvidence(reader: SessionReader, session: SessionId | undefined): Promise<Recovered["inherited"]> {
  const window = new CallWindow();
  for await (const entry of reader.branch()) if (!window.addOlder(entry)) break;
  const calls = new Set(window.open().flatMap((call) => (call.inherited === true ? [call.call] : [])));
  return calls.size === 0 ? new Map() : await evidenceOf(reader, calls, session);
}

async function evidenceOf(
  reader: SessionReader,
  calls: ReadonlySet<ToolCallEntry["call"]>,
  session: SessionId | undefined,
): Promise<Recovered["inherited"]> {
  const causes = new Map<EffectId, CallId>();
  const states = new Map<EffectId, MutationState>();
  for await (const entry of reader.scan(EFFECT_TYPES)) {
    if (entry.type === "effect-intent" && mayChange(entry.operation)) {
      const cause = [...calls].find((call) => call === entry.cause);
      if (cause === undefined) continue;
      causes.set(entry.effect, cause);
      states.set(entry.effect, "unknown");
    } else if ((entry.type === "effect-done" || entry.type === "reconciled") && states.has(entry.effect)) {
      states.set(entry.effect, entry.outcome);
    }
  }
  const found = new Map<string, InheritedEvidence>();
  for (const call of calls) {
    const own = [...states].filter(([effect]) => causes.get(effect) === call).map(([, state]) => state);
    found.set(call, { mutation: worstOf(own), ...(session === undefined ? {} : { session }) });
  }
  return found;
}

const EFFECT_TYPES = new Set<Entry["type"]>(["effect-intent", "effect-done", "reconciled"]);

/** Union of outcomes: unknown over applied over not-applied. */
export const worstOf = (states: readonly MutationState[]): MutationState =>
  states.includes("unknown") ? "unknown" : states.includes("applied") ? "applied" : "not-applied";

/** Pending effects a person should be told of: those that may have changed something, the model's own response left out. */
export const reportable = (recovered: Recovered): readonly EffectIntentEntry[] => recovered.pendingEffects.filter(isReportable);

/** Whether a person has to know when the outcome of this effect is unknown. */
export const isReportable = ({ operation }: EffectIntentEntry): boolean => operation !== PROVIDER_OPERATION && mayChange(operation);
