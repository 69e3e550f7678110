import { type DeclaredOption, resolveSettings } from "../../../config/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { Prepared } from "../../context.js";
import { sourceOf } from "../../output/source.js";
import type { Discovery, PluginRecord } from "../records.js";

/** An option of a plugin as it is set here. */
export interface OptionValue {
  readonly name: string;
  readonly type: DeclaredOption["type"];
  readonly help: string;
  /** Absent: there is none. `***` for a secret one. */
  readonly value?: unknown;
  readonly from: string;
  /** The plugin the key belongs to, when that is another one. */
  readonly takenBy?: string;
}

/** The options of a plugin with their values in this folder and run, and what is wrong with those. */
export async function optionsOf(
  { sources }: Pick<Prepared, "sources">,
  { active }: Discovery,
  { id, compiled }: PluginRecord,
): Promise<{ readonly options: readonly OptionValue[]; readonly problems: readonly Diagnostic[] }> {
  const own = compiled?.options ?? [];
  if (own.length === 0) return { options: [], problems: [] };
  const { declaredOptions } = await import("../../../runtime/plugin-admin.js");
  const isActive = active.some((plugin) => plugin.compiled === compiled);
  // One that is not in use is shown as it would be, were it the only one.
  const declared = isActive ? declaredOptions(active).options : own;
  const read = resolveSettings(sources ?? NOTHING, { declared, foreign: "ignore" });
  const before = new Set(resolveSettings(sources ?? NOTHING, { foreign: "ignore" }).diagnostics.map(({ what }) => what));
  const options = own.map((option): OptionValue => {
    const facts = { name: option.name, type: option.type, help: option.help };
    const found = read.options.find(({ name }) => name === option.name);
    if (found !== undefined && found.plugin !== id) return { ...facts, from: "", takenBy: found.plugin };
    const value = found?.value ?? option.default;
    const shown = option.secret && value !== undefined ? "***" : value;
    return { ...facts, ...(shown === undefined ? {} : { value: shown }), from: found === undefined ? "default" : sourceOf(found) };
  });
  return { options, problems: read.diagnostics.filter(({ what }) => !before.has(what)) };
}

const NOTHING = { env: {}, flags: [], pairs: [], files: [], diagnostics: [] };
