import { closest } from "../base/index.js";
import type { Diagnostic, DiagnosticSource } from "../schema/index.js";
import { badValue, malformedPair, unknownPairKey } from "./diagnostics.js";
import { type AnyOption, anyOption, optionByKey, OPTIONS, SETTING_NAMES, type SettingName } from "./options.js";
import type { Assignment } from "./resolve.js";
import type { Layer } from "./types.js";

/** What one source yields: what can be used, and what is wrong with the rest. */
export interface Reading {
  readonly assignments: readonly Assignment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Joins readings in order. */
export const joinReadings = (readings: readonly Reading[]): Reading => ({
  assignments: readings.flatMap((reading) => reading.assignments),
  diagnostics: readings.flatMap((reading) => reading.diagnostics),
});

/** One flag as it stood on the command line. */
export interface FlagValue {
  readonly setting: SettingName;
  /** With its dashes, as declared. */
  readonly name: string;
  readonly text: string;
}

/** An assignment of a value that was read by the kind of the same option, which is what makes the pairing sound. */
export const assignment = (option: AnyOption, value: unknown, layer: Layer, source: DiagnosticSource): Assignment =>
  ({ setting: option.name, value, layer, source }) as Assignment;

function readText(option: AnyOption, text: string, layer: Layer, source: DiagnosticSource): Reading {
  const value = option.kind.parseText(text);
  return value === undefined
    ? { assignments: [], diagnostics: [badValue(option, JSON.stringify(text), source)] }
    : { assignments: [assignment(option, value, layer, source)], diagnostics: [] };
}

/** A blank variable counts as not set. */
export function readEnvironment(env: { readonly [name: string]: string | undefined }): Reading {
  return joinReadings(
    SETTING_NAMES.map((name) => {
      const option = anyOption(name);
      const text = env[option.env];
      return text === undefined || text.trim() === ""
        ? { assignments: [], diagnostics: [] }
        : readText(option, text, "env", { type: "env", name: option.env });
    }),
  );
}

export const readFlags = (flags: readonly FlagValue[]): Reading =>
  joinReadings(flags.map((flag) => readText(anyOption(flag.setting), flag.text, "flag", { type: "flag", name: flag.name })));

/** The values of repeated `--config key=value`. */
export function readPairs(pairs: readonly string[]): Reading {
  return joinReadings(
    pairs.map((pair) => {
      const split = pair.indexOf("=");
      if (split < 1) return { assignments: [], diagnostics: [malformedPair(pair)] };
      const key = pair.slice(0, split).trim();
      const option = optionByKey(key);
      if (option === undefined) return { assignments: [], diagnostics: [unknownPairKey(key, suggestKey(key))] };
      return readText(option, pair.slice(split + 1), "flag", { type: "flag", name: "--config" });
    }),
  );
}

/** The key a person most likely meant: a near one, or the one that ends in what they wrote. */
export function suggestKey(key: string): string | undefined {
  const keys = SETTING_NAMES.map((name) => OPTIONS[name].key);
  const leaf = key.slice(key.lastIndexOf(".") + 1);
  const leaves = keys.map((candidate) => candidate.slice(candidate.lastIndexOf(".") + 1));
  const near = closest(leaf, leaves);
  return closest(key, keys) ?? keys.find((_, index) => near !== undefined && leaves[index] === near);
}
