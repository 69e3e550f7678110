import { isJsonObject, type JsonValue, type WorkId } from "../../base/index.js";
import { type EffectFacts, unknownEffects } from "../../agent/index.js";
import type { SessionReader } from "../../session/index.js";
import type { UnknownEffect } from "../types.js";

const MAX_SUMMARY = 120;

/** An effect of unknown outcome as frontends are told of it. */
export function unknownEffectOf({ intent, done }: EffectFacts): UnknownEffect {
  const { effect, operation, plugin, input, time } = intent;
  return { effect, operation, plugin, input, summary: summaryOf(input), startedAt: time, ended: done !== undefined };
}

/** Those of a session that is written: what its running turn and the agents of that have begun is not unknown, its end is still to come. */
export async function unknownNow(
  reader: Pick<SessionReader, "scan">,
  [running, isAtWork]: readonly [running: WorkId | undefined, isAtWork: ((work: WorkId | undefined) => boolean) | undefined],
): Promise<readonly UnknownEffect[]> {
  const isToCome = ({ done, intent: { work } }: EffectFacts): boolean =>
    done === undefined && (work === running || isAtWork?.(work) === true);
  return (await unknownEffects(reader)).filter((facts) => !isToCome(facts)).map(unknownEffectOf);
}

/** One line of the texts of an effect's input: limits and flags tell a person nothing about what it was. */
function summaryOf(input: JsonValue): string {
  const entries = isJsonObject(input) ? Object.entries(input) : [];
  const texts = entries.flatMap(([name, value]) => (name !== "cwd" && typeof value === "string" ? [value] : []));
  const line = texts.join(" ").replace(/\s+/gu, " ").trim();
  return line.length <= MAX_SUMMARY ? line : `${line.slice(0, MAX_SUMMARY - 1)}…`;
}
