import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { noSuchPlugin } from "./diagnostics.js";
import type { Discovery, PluginRecord } from "./records.js";

/** The plugin of an id: of several the one in use, else the last, which would be. */
export function findPlugin({ records }: Pick<Discovery, "records">, id: string): Result<PluginRecord, Diagnostic> {
  const named = records.filter((record) => record.id === id);
  const found =
    named.find(({ inactive }) => inactive === undefined) ?? named.findLast(({ inactive }) => inactive !== "overridden") ?? named.at(-1);
  return found === undefined ? err(noSuchPlugin(id, [...new Set(records.map((record) => record.id))])) : ok(found);
}
