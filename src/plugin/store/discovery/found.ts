import type { Diagnostic } from "../../../schema/index.js";
import { isSupportedSdk } from "../../generation/index.js";
import type { ActivePlugin } from "../../types.js";
import type { PackageAtHand } from "../approval.js";
import type { InactiveReason, PluginRecord } from "../types.js";

/** One place where a plugin is. */
export interface Found {
  readonly record: PluginRecord;
  /** Absent: it is not used, and the record says why. */
  readonly plugin?: ActivePlugin;
  /** For the person who starts smith; what only matters to somebody who looks at the plugin is in the record's problems. */
  readonly diagnostics: readonly Diagnostic[];
}

type Facts = Omit<PluginRecord, "inactive" | "problems">;

/** One that may be used. */
export function usable(loaded: PackageAtHand, facts: Facts, diagnostics: readonly Diagnostic[] = []): Found {
  const { compiled, modules, dir } = loaded;
  const record = { ...facts, compiled, dir, problems: [] };
  if (!isSupportedSdk(compiled.sdk)) return { record: { ...record, inactive: "sdk-mismatch" }, diagnostics: [] };
  return { record, plugin: { compiled, origin: facts.origin, modules, dir }, diagnostics };
}

export const unusable = (facts: Facts, inactive: InactiveReason, diagnostics: readonly Diagnostic[] = []): Found => ({
  record: { ...facts, inactive, problems: diagnostics },
  diagnostics,
});

/** A package with something wrong. It costs itself and nothing else, so its problems are warnings here. */
export function broken(facts: Facts, problems: readonly Diagnostic[]): Found {
  const isOfOtherSdk = problems.length > 0 && problems.every(({ code }) => code === "manifest.newer-sdk");
  return {
    record: { ...facts, inactive: isOfOtherSdk ? "sdk-mismatch" : "broken", problems },
    diagnostics: problems.map((problem) => ({ ...problem, severity: "warning" })),
  };
}

/** Weaker first; of each id the last that may be used is. */
export function merge(found: readonly Found[], disabled: ReadonlySet<string>): readonly Found[] {
  const named = found.map((one) => (disabled.has(one.record.id) && one.plugin !== undefined ? switchedOff(one) : one));
  const last = new Map<string, Found>();
  for (const one of named) if (one.plugin !== undefined) last.set(one.record.id, one);
  return named.map((one) => (one.plugin === undefined || last.get(one.record.id) === one ? one : withReason(one, "overridden")));
}

const withReason = ({ record }: Found, inactive: InactiveReason): Found => ({ record: { ...record, inactive }, diagnostics: [] });

const switchedOff = (one: Found): Found => withReason(one, "disabled");
