import { join } from "node:path";
import type { Grants } from "../../../effect/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { InstalledPlugin } from "../types.js";
import { createRecordFile, readRecord, type RecordFile, type RecordFileDeps, type RecordShape } from "./record-file.js";

/** With what was granted, so that what is wider later can be told. Absent where it was written in a form that is not known any more. */
export interface StoredPlugin extends InstalledPlugin {
  readonly grants?: Grants;
}

/**
 * A plugin on its way into place: its folder is moved after this is written and before it becomes an entry. Whichever tree is then
 * found in the folder, the old or the new one, is one that was approved.
 */
export interface PendingPlugin extends StoredPlugin {
  /** Name of the folder the former version is moved to, where there is one. */
  readonly aside?: string;
}

export interface PluginsRecord {
  readonly format: 1;
  readonly plugins: Readonly<Record<string, StoredPlugin>>;
  readonly pending: Readonly<Record<string, PendingPlugin>>;
  /** Ids that are not used, of plugins that are not installed here. */
  readonly disabled: readonly string[];
}

const EMPTY: PluginsRecord = { format: 1, plugins: {}, pending: {}, disabled: [] };

const SHAPE: RecordShape<PluginsRecord> = {
  schema: async () => (await import("./plugins-schema.js")).recordSchema,
  empty: EMPTY,
};
const pathIn = (dataDir: string): string => join(dataDir, "plugins.json");

/** `<dataDir>/plugins.json`. */
export const createPluginsRecord = (dataDir: string, deps: RecordFileDeps): RecordFile<PluginsRecord> =>
  createRecordFile(pathIn(dataDir), SHAPE, deps);

/** The record for readers only. A broken one counts as empty, with its problem: nothing is then approved. */
export async function readPluginsRecord(
  dataDir: string,
): Promise<{ readonly value: PluginsRecord; readonly problems: readonly Diagnostic[] }> {
  const read = await readRecord(pathIn(dataDir), SHAPE);
  return read.ok ? { value: read.value, problems: [] } : { value: EMPTY, problems: [read.error] };
}

/** The approval of a tree that is found in the plugin's folder: of the entry, or of one on its way there. */
export function approvalOf(record: PluginsRecord, plugin: string, treeHash: string): StoredPlugin | undefined {
  const pending = own(record.pending, plugin);
  if (pending?.treeHash === treeHash) return withoutAside(pending);
  const stored = own(record.plugins, plugin);
  return stored?.treeHash === treeHash ? stored : undefined;
}

export const withoutAside = ({ aside: _aside, ...stored }: PendingPlugin): StoredPlugin => stored;

/** Ids are words such as `constructor.x`; none is a property every object has, and this does not rely on it. */
export const own = <T>(entries: Readonly<Record<string, T>>, plugin: string): T | undefined =>
  Object.hasOwn(entries, plugin) ? entries[plugin] : undefined;

/** The same entries without one. */
export const without = <T>(entries: Readonly<Record<string, T>>, plugin: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => name !== plugin));
