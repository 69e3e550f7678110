import type { DiagnosticSource } from "../schema/index.js";
import { OPTIONS, SETTING_NAMES, type SettingName } from "./options.js";
import type { Layer, Resolved, ResolvedSettings, Settings } from "./types.js";

/** One value for one setting, with the layer it counts in and the surface it came from. */
export type Assignment = {
  readonly [Name in SettingName]: {
    readonly setting: Name;
    readonly value: Settings[Name];
    readonly layer: Layer;
    readonly source: DiagnosticSource;
  };
}[SettingName];

/** Weakest first. Specification, "Configuration". */
export const LAYERS: readonly Layer[] = ["default", "built-in-plugin", "plugin", "user", "project", "env", "flag"];

const rank = (layer: Layer): number => LAYERS.indexOf(layer);

/** Strongest layer wins; within one layer the later assignment. Settings nobody assigned keep the default of the table. Pure. */
export function resolve(assignments: readonly Assignment[]): ResolvedSettings {
  const resolved: Partial<Record<SettingName, Resolved<unknown>>> = {};
  for (const name of SETTING_NAMES) resolved[name] = { value: OPTIONS[name].default, layer: "default" };
  for (const { setting, value, layer, source } of assignments) {
    const current = resolved[setting];
    if (current === undefined || rank(layer) >= rank(current.layer)) resolved[setting] = { value, layer, source };
  }
  // Every name of the table was filled in above, and an Assignment pairs each name with its own value type.
  return resolved as ResolvedSettings;
}
