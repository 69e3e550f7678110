/**
 * effect/fs/patch: patches over several files, as unified diffs or as the envelope of `*** Begin Patch`.
 * Promises: all files or none; a hunk goes where its lines are found exactly, never where they nearly are; what fails names file, hunk
 * and line. Must never know: who asks. Read first: file-patch.ts, patch-files.ts.
 */
export { createPatchFacility, type PatchDeps } from "./facility.js";
