import { type EffectIntentEntry, isReportable, type SubmissionEntry } from "../../schema/index.js";
import type { LiveEffect, LiveState, LiveSubmission, SessionReader } from "../../session/index.js";
import type { OpenWork, QueuedItem, Recovered } from "../facts.js";
import { askedProvider } from "./asked-provider.js";
import { inheritedOf, openCallEvidence } from "./evidence.js";

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
  const isMaybeInBatch = live.works.size > 0 || live.origins.length > 0;
  const evidence = isMaybeInBatch ? await openCallEvidence(reader) : [];
  const provider = await askedProvider(reader, live);
  return {
    pendingEffects,
    outcomes: new Map(evidence.flatMap(({ call, ended }) => (call.inherited === true ? [] : [[call.call, ended] as const]))),
    unsettled: [...unsettled, ...unasked(live)],
    queue,
    inherited: new Map(
      evidence.flatMap((one) => (one.call.inherited === true ? [[one.call.call, inheritedOf(one, live, reader.id)] as const] : [])),
    ),
    ...(provider === undefined ? {} : { provider }),
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

const waitingItem = ({ submission, work, delivery, text, images, plugin }: SubmissionEntry): QueuedItem | undefined =>
  delivery === "turn"
    ? undefined
    : { submission, work, delivery, text, ...(images === undefined ? {} : { images }), ...(plugin === undefined ? {} : { plugin }) };

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

/** Pending effects a person should be told of: those that may have changed something, the model's own response left out. */
export const reportable = (recovered: Recovered): readonly EffectIntentEntry[] => recovered.pendingEffects.filter(isReportable);
