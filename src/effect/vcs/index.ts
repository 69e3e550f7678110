/**
 * effect/vcs: state and changes of a git repository, through the system's git.
 * Promises: nothing that a repository brings along is run: no hooks, filters, monitors, helpers or external diffs; nothing is
 * written; output and time are bounded. Must never know: what a plugin makes of it. Read first: git.ts, facility.ts.
 */
export { createVcsFacilities } from "./facility.js";
