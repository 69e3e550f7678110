import { isJsonObject, type JsonValue } from "../../base/index.js";
import type { EffectFacts } from "../../agent/index.js";
import type { UnknownEffect } from "../types.js";

const MAX_SUMMARY = 120;

/** An effect of unknown outcome as frontends are told of it. */
export function unknownEffectOf({ intent, done }: EffectFacts): UnknownEffect {
  const { effect, operation, plugin, input, time } = intent;
  return { effect, operation, plugin, input, summary: summaryOf(input), startedAt: time, ended: done !== undefined };
}

/** One line of the texts of an effect's input: limits and flags tell a person nothing about what it was. */
function summaryOf(input: JsonValue): string {
  const entries = isJsonObject(input) ? Object.entries(input) : [];
  const texts = entries.flatMap(([name, value]) => (name !== "cwd" && typeof value === "string" ? [value] : []));
  const line = texts.join(" ").replace(/\s+/gu, " ").trim();
  return line.length <= MAX_SUMMARY ? line : `${line.slice(0, MAX_SUMMARY - 1)}…`;
}
