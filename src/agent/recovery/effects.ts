import { type EffectId, err, ok, type Result, type SessionId } from "../../base/index.js";
import {
  type Diagnostic,
  type EffectDoneEntry,
  type EffectIntentEntry,
  type Entry,
  isReportable,
  type ReconciledEntry,
} from "../../schema/index.js";
import type { SessionReader } from "../../session/index.js";
import { ambiguousEffect, unknownEffect } from "../diagnostics.js";
import type { EffectFacts } from "../facts.js";

const INTENTS = new Set<Entry["type"]>(["effect-intent", "origin"]);
const ENDS = new Set<Entry["type"]>(["effect-done", "reconciled"]);
const ALL = new Set<Entry["type"]>([...INTENTS, ...ENDS]);

/** Shortest suffix that may name an effect. */
const MIN_SUFFIX = 4;

/** The effect whose id this is or ends with, as at least 4 hex digits. Reads the records of effects only. */
export async function findEffect(reader: SessionReader, name: string): Promise<Result<EffectFacts, Diagnostic>> {
  const wanted = name.trim().toLowerCase();
  if (!isEffectName(wanted)) return err(unknownEffect(reader.id, name));
  const found: { readonly intent: EffectIntentEntry; origin?: SessionId }[] = [];
  for await (const entry of reader.scan(INTENTS)) {
    if (entry.type === "effect-intent" && entry.effect.endsWith(wanted)) found.push({ intent: entry });
    // What was imported under its own id has no other session to be reconciled in.
    if (entry.type === "origin" && entry.session !== reader.id)
      for (const one of found) if (one.intent.inherited === true && one.origin === undefined) one.origin = entry.session;
  }
  const [one] = found;
  if (one === undefined) return err(unknownEffect(reader.id, name));
  if (found.length > 1)
    return err(
      ambiguousEffect(
        name,
        found.map(({ intent }) => intent.effect),
      ),
    );
  return ok({ ...one, ...(await endOf(reader, one.intent)) });
}

const isEffectName = (name: string): boolean => name.length >= MIN_SUFFIX && /^[0-9a-f-]+$/u.test(name);

async function endOf(reader: SessionReader, { effect, time }: EffectIntentEntry): Promise<Pick<EffectFacts, "done" | "word">> {
  let done: EffectDoneEntry | undefined;
  let word: ReconciledEntry | undefined;
  for await (const entry of reader.scan(ENDS, { since: time })) {
    if (entry.type === "effect-done" && entry.effect === effect) done = entry;
    if (entry.type === "reconciled" && entry.effect === effect) word = entry;
  }
  return { ...(done === undefined ? {} : { done }), ...(word === undefined ? {} : { word }) };
}

/**
 * Own effects whose outcome nobody knows, oldest first: begun without a recorded end, or ended as unknown, and no word was
 * said on them. Only those that may have changed something; the model's own responses are left out.
 */
export async function unknownEffects(reader: Pick<SessionReader, "scan">): Promise<readonly EffectFacts[]> {
  const open = new Map<EffectId, EffectFacts>();
  for await (const entry of reader.scan(ALL)) {
    if (entry.inherited === true) continue;
    if (entry.type === "effect-intent" && isReportable(entry)) open.set(entry.effect, { intent: entry });
    else if (entry.type === "reconciled") open.delete(entry.effect);
    else if (entry.type === "effect-done") {
      const facts = open.get(entry.effect);
      if (facts !== undefined && entry.outcome === "unknown") open.set(entry.effect, { ...facts, done: entry });
      else open.delete(entry.effect);
    }
  }
  return [...open.values()];
}
