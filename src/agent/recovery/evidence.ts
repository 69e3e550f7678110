import type { EffectId, SessionId } from "../../base/index.js";
import { type EffectIntentEntry, type Entry, mayChange, type ToolCallEntry } from "../../schema/index.js";
import type { LiveState, SessionReader } from "../../session/index.js";
import type { EffectEnd, InheritedEvidence } from "../facts.js";
import { CallWindow } from "./open-calls.js";
import { wordFor } from "./word.js";

/** What the records of effects say of one open call. `begun` counts effects without an end and without a word on them. */
export interface CallEvidence {
  readonly call: ToolCallEntry;
  readonly ended: readonly EffectEnd[];
  readonly begun: number;
}

const EFFECT_TYPES = new Set<Entry["type"]>(["effect-intent", "effect-done", "reconciled"]);

/**
 * Of the calls that are open where the selected branch ends: an interrupted batch, or one that a fork left behind. A person's
 * word stands for an outcome nobody saw. Reads the records of effects since the first of these calls, and only when there is one.
 */
export async function openCallEvidence(reader: SessionReader): Promise<readonly CallEvidence[]> {
  const window = new CallWindow();
  for await (const entry of reader.branch()) if (!window.addOlder(entry)) break;
  const calls = window.open();
  const [first] = calls;
  if (first === undefined) return [];
  const effects = new Map<EffectId, { readonly intent: EffectIntentEntry; end: EffectEnd | undefined }>();
  for await (const entry of reader.scan(EFFECT_TYPES, { since: first.time })) {
    if (entry.type === "effect-intent" && mayChange(entry.operation)) effects.set(entry.effect, { intent: entry, end: undefined });
    if (entry.type !== "effect-done" && entry.type !== "reconciled") continue;
    const { effect, outcome } = entry;
    const known = effects.get(effect);
    if (known === undefined) continue;
    known.end = entry.type === "effect-done" ? { effect, outcome } : { effect, outcome, said: wordFor(known.intent, entry) };
  }
  return calls.map((call) => {
    const ends = [...effects.values()].flatMap(({ intent, end }) => (intent.cause === call.call ? [end] : []));
    const ended = ends.filter((end) => end !== undefined);
    return { call, ended, begun: ends.length - ended.length };
  });
}

/** Effects of another session that have no end here are unknown here, whatever became of them there. */
export function inheritedOf({ ended, begun }: CallEvidence, { origins }: LiveState, own: SessionId): InheritedEvidence {
  const has = (wanted: EffectEnd["outcome"]): boolean => ended.some(({ outcome }) => outcome === wanted);
  const mutation = begun > 0 || has("unknown") ? "unknown" : has("applied") ? "applied" : "not-applied";
  const session = origins.at(-1)?.session;
  // What was imported under its own id did not come from another session.
  return { mutation, ...(session === undefined || session === own ? {} : { session }) };
}
