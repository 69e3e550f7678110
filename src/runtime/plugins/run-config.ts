import type { JsonValue } from "../../base/index.js";
import type { NamedValues } from "../../schema/index.js";

/** Values of plugins' options in this run: what is configured, and over it what a plugin set for its own until the process ends. */
export interface RunConfig {
  of(plugin: string): NamedValues;
  /** What is configured was read again. */
  load(configured: ReadonlyMap<string, NamedValues>): void;
  set(plugin: string, option: string, value: JsonValue): void;
}

export function createRunConfig(): RunConfig {
  let configured: ReadonlyMap<string, NamedValues> = new Map();
  const set = new Map<string, NamedValues>();
  return {
    of: (plugin) => ({ ...configured.get(plugin), ...set.get(plugin) }),
    load(values) {
      configured = values;
    },
    set(plugin, option, value) {
      set.set(plugin, { ...set.get(plugin), [option]: value });
    },
  };
}
