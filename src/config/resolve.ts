import type { JsonValue } from "../base/index.js";
import type { DiagnosticSource } from "../schema/index.js";
import { isPluginOption, type OptionTable } from "./option-table.js";
import { OPTIONS, SETTING_NAMES, type SettingName } from "./options.js";
import type { Layer, Resolved, ResolvedOption, ResolvedSettings, Settings } from "./types.js";

/** One value for one setting, with the layer it counts in and the surface it came from. */
export type Assignment = {
  readonly [Name in SettingName]: {
    readonly setting: Name;
    readonly value: Settings[Name];
    readonly layer: Layer;
    readonly source: DiagnosticSource;
  };
}[SettingName];

/** A value for an option of a plugin. */
export interface OptionAssignment {
  readonly key: string;
  readonly value: JsonValue;
  readonly layer: Layer;
  readonly source: DiagnosticSource;
}

/** Weakest first. Specification, "Configuration". */
export const LAYERS: readonly Layer[] = ["default", "built-in-plugin", "plugin", "user", "project", "env", "flag"];

interface Layered {
  readonly value: unknown;
  readonly layer: Layer;
  readonly source?: DiagnosticSource;
}

const inOrder = <T extends Layered>(assignments: readonly T[]): readonly T[] =>
  assignments.toSorted((left, right) => LAYERS.indexOf(left.layer) - LAYERS.indexOf(right.layer));

/** The stronger of two; a project's list that accumulates is added to the user's. */
function stronger(current: Layered, { value, layer, source }: Layered, accumulates: boolean): Layered {
  const more = source === undefined ? {} : { source };
  const adds = accumulates && layer === "project" && current.layer === "user" && Array.isArray(current.value) && Array.isArray(value);
  if (!adds) return { value, layer, ...more };
  const texts: readonly unknown[] = [...(current.value as readonly unknown[]), ...(value as readonly unknown[])];
  return { value: [...new Set(texts)], layer, ...more };
}

/** Strongest layer wins; within one layer the later assignment. Settings nobody assigned keep the default of the table. Pure. */
export function resolve(assignments: readonly Assignment[]): ResolvedSettings {
  const resolved: Partial<Record<SettingName, Layered>> = {};
  for (const name of SETTING_NAMES) resolved[name] = { value: OPTIONS[name].default, layer: "default" };
  for (const assigned of inOrder(assignments)) {
    const current = resolved[assigned.setting];
    if (current !== undefined) resolved[assigned.setting] = stronger(current, assigned, OPTIONS[assigned.setting].accumulates === true);
  }
  // Every name of the table was filled in above, and an Assignment pairs each name with its own value type.
  return resolved as ResolvedSettings;
}

/** Ids of bundled plugins begin with this; no other plugin's may. */
const BUNDLED = /^smith\./u;

/** The same for the options of plugins. Their lists always accumulate: a project's rules do not take away a user's. */
export function resolveOptions(table: OptionTable, assignments: readonly OptionAssignment[]): readonly ResolvedOption[] {
  const declared = table.options.filter(isPluginOption).map((option) => option.declared);
  const resolved = new Map<string, Layered>(
    declared.map((option) => [option.name, { value: option.default, layer: BUNDLED.test(option.plugin) ? "built-in-plugin" : "plugin" }]),
  );
  for (const assigned of inOrder(assignments)) {
    const current = resolved.get(assigned.key);
    if (current !== undefined) resolved.set(assigned.key, stronger(current, assigned, true));
  }
  return declared.map(({ name, plugin }) => {
    // Defaults and what the kinds read are JSON.
    const { value, layer, source } = (resolved.get(name) ?? { value: undefined, layer: "plugin" }) as Resolved<JsonValue | undefined>;
    return { plugin, name, value, layer, ...(source === undefined ? {} : { source }) };
  });
}

/** What a plugin is given of its options: those that have a value, by name. */
export const valuesOf = (options: readonly ResolvedOption[], plugin: string): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(
    options.flatMap((option) => (option.plugin === plugin && option.value !== undefined ? [[option.name, option.value]] : [])),
  );
