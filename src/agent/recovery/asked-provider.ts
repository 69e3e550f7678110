import { isJsonObject } from "../../base/index.js";
import { type EffectIntentEntry, type Entry, PROVIDER_OPERATION } from "../../schema/index.js";
import type { LiveState, LiveWork, SessionReader } from "../../session/index.js";
import type { AskedProvider } from "../facts.js";

const INTENTS = new Set<Entry["type"]>(["effect-intent"]);

/**
 * Who was asked last in the turn that is open: an answer says the provider, only the request says the plugin too. Reads the
 * intents since the turn was admitted, and only when one is open.
 */
export async function askedProvider(reader: SessionReader, live: LiveState): Promise<AskedProvider | undefined> {
  const since = await beginningOf(reader, live);
  if (since === undefined) return undefined;
  let asked: AskedProvider | undefined;
  for await (const entry of reader.scan(INTENTS, { since })) {
    if (entry.type !== "effect-intent" || entry.inherited === true || entry.work === undefined || !isAsking(live.works.get(entry.work)))
      continue;
    asked = providerOf(entry) ?? asked;
  }
  return asked;
}

/** Open, and no sub-agent's: that is not gone on with. */
const isAsking = (work: LiveWork | undefined): boolean => work !== undefined && work.parent === undefined;

/** When the oldest of what is open and does not wait was admitted. */
async function beginningOf(reader: SessionReader, { submissions }: LiveState): Promise<number | undefined> {
  const open = [...submissions.values()].find(({ isQueued }) => !isQueued);
  return open === undefined ? undefined : (await reader.get(open.entry))?.time;
}

/** The provider an intent was for; undefined for any other effect. */
export function providerOf({ operation, plugin, input }: EffectIntentEntry): AskedProvider | undefined {
  if (operation !== PROVIDER_OPERATION || !isJsonObject(input)) return undefined;
  const { provider } = input;
  return typeof provider === "string" ? { provider, plugin } : undefined;
}
