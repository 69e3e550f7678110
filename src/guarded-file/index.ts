/**
 * guarded-file: a small file that holds what nobody else may see.
 * Promises: it is its owner's alone, whole or as it was, and no change of another process is lost. Must never know: what is in it.
 * Read first: guarded-file.ts.
 */
export {
  createGuardedFile,
  type FileLock,
  type GuardedChange,
  type GuardedFile,
  type GuardedFileDeps,
  type GuardedText,
} from "./guarded-file.js";
export { codeOf } from "./place.js";
