import { join } from "node:path";
import type { Diagnostic } from "../../../schema/index.js";
import type { PendingPlugin, PluginsRecord, StoredPlugin } from "./stored-plugin.js";
import { createRecordFile, readRecord, type RecordFile, type RecordFileDeps, type RecordShape } from "./record-file.js";

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
