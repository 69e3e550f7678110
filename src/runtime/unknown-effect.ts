import { isJsonObject, type JsonObject } from "../base/index.js";
import type { EffectFacts } from "../agent/index.js";
import { summarizeArguments } from "../tool/index.js";
import type { UnknownEffect } from "./types.js";

/** An effect of unknown outcome as frontends are told of it. */
export function unknownEffectOf({ intent, done }: EffectFacts): UnknownEffect {
  const { effect, operation, plugin, input, time } = intent;
  const summary = isJsonObject(input) ? summarizeArguments(undefined, wordsOf(input)) : "";
  return { effect, operation, plugin, input, summary, startedAt: time, ended: done !== undefined };
}

/** The texts of an effect's input: limits and flags tell a person nothing about what it was. */
const wordsOf = (input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([name, value]) => name !== "cwd" && typeof value === "string"));
