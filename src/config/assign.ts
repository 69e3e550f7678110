import type { JsonValue } from "../base/index.js";
import type { Diagnostic, DiagnosticSource } from "../schema/index.js";
import { badValue, foreignPairKey, malformedPair, unknownPairKey } from "./diagnostics.js";
import { isPluginOption, type OptionTable, type TableOption } from "./option-table.js";
import { type AnyOption, anyOption, type SettingName } from "./options.js";
import type { Assignment, OptionAssignment } from "./resolve.js";
import type { Layer } from "./types.js";

/** What one source yields: what can be used, and what is wrong with the rest. */
export interface Reading {
  readonly assignments: readonly Assignment[];
  readonly options: readonly OptionAssignment[];
  readonly diagnostics: readonly Diagnostic[];
}

export const NO_READING: Reading = { assignments: [], options: [], diagnostics: [] };

/** What becomes of keys in groups that belong to no option: an error, a warning, or nothing at all. */
export type ForeignKeys = "error" | "warning" | "ignore";

/** What a source is read against. */
export interface ReadingRules {
  readonly table: OptionTable;
  readonly foreign: ForeignKeys;
}

/** Joins readings in order. */
export const joinReadings = (readings: readonly Reading[]): Reading => ({
  assignments: readings.flatMap((reading) => reading.assignments),
  options: readings.flatMap((reading) => reading.options),
  diagnostics: readings.flatMap((reading) => reading.diagnostics),
});

export const wrong = (problem: Diagnostic): Reading => ({ ...NO_READING, diagnostics: [problem] });

/** One flag as it stood on the command line. */
export interface FlagValue {
  readonly setting: SettingName;
  /** With its dashes, as declared. */
  readonly name: string;
  readonly text: string;
}

/** Where a value counts and where it stood. */
export interface Origin {
  readonly layer: Layer;
  readonly source: DiagnosticSource;
}

/** A reading of one value, which the option's own kind read. */
export const assign = (option: TableOption, value: unknown, { layer, source }: Origin): Reading =>
  isPluginOption(option)
    ? // Its kind yields JSON.
      { ...NO_READING, options: [{ key: option.key, value: value as JsonValue, layer, source }] }
    : { ...NO_READING, assignments: [assignment(option, value, { layer, source })] };

/** An assignment of a value that was read by the kind of the same option, which is what makes the pairing sound. */
const assignment = (option: AnyOption, value: unknown, { layer, source }: Origin): Assignment =>
  ({ setting: option.name, value, layer, source }) as Assignment;

function readText(option: TableOption, text: string, origin: Origin): Reading {
  const value = option.kind.parseText(text);
  return value === undefined ? wrong(badValue(option, JSON.stringify(text), origin.source)) : assign(option, value, origin);
}

/** A blank variable counts as not set. */
export function readEnvironment({ table }: ReadingRules, env: { readonly [name: string]: string | undefined }): Reading {
  return joinReadings(
    table.options.map((option) => {
      const text = env[option.env];
      return text === undefined || text.trim() === ""
        ? NO_READING
        : readText(option, text, { layer: "env", source: { type: "env", name: option.env } });
    }),
  );
}

export const readFlags = (flags: readonly FlagValue[]): Reading =>
  joinReadings(
    flags.map(({ setting, name, text }) => readText(anyOption(setting), text, { layer: "flag", source: { type: "flag", name } })),
  );

/** The values of repeated `--config key=value`. */
export function readPairs({ table, foreign }: ReadingRules, pairs: readonly string[]): Reading {
  return joinReadings(
    pairs.map((pair) => {
      const split = pair.indexOf("=");
      if (split < 1) return wrong(malformedPair(pair));
      const key = pair.slice(0, split).trim();
      const option = table.find(key);
      if (option !== undefined)
        return readText(option, pair.slice(split + 1), { layer: "flag", source: { type: "flag", name: "--config" } });
      const group = key.slice(0, Math.max(0, key.lastIndexOf(".")));
      if (group === "" || table.isGroup(group) || foreign === "error") return wrong(unknownPairKey(key, table.suggest(key)));
      return foreign === "ignore" ? NO_READING : wrong(foreignPairKey(key, table.suggest(key)));
    }),
  );
}
