/**
 * store/record: small JSON files of what a person approved.
 * Promises: whole or not at all, one process at a time, never replaced when broken, read by their owner only.
 * Must never know: packages, projects. Read first: record-file.ts, plugins-record.ts.
 */
export { approvalOf, createPluginsRecord, own, readPluginsRecord, without, withoutAside } from "./plugins-record.js";
export {
  createRecordFile,
  type FileLock,
  type LockedRecord,
  readRecord,
  type RecordFile,
  type RecordFileDeps,
  type RecordShape,
} from "./record-file.js";
export type { PendingPlugin, PluginsRecord, StoredPlugin } from "./stored-plugin.js";
