/**
 * effect/values: durable values that outlive sessions, of a user and of a project, in files of their own for each plugin.
 * Promises: whole or not at all, for the owner alone, bounded; two processes never undo each other's change.
 * Must never know: sessions, what a value means, which keys a plugin may use. Read first: value-files.ts.
 */
export {
  createValueFiles,
  MAX_VALUE_FILE_BYTES,
  type StoredValue,
  type ValueFileDeps,
  type ValueFiles,
  type ValuePlace,
} from "./value-files.js";
