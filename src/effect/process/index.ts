/**
 * effect/process: running command lines, bounded in output and time, ended with everything they started.
 * Promises: nothing waits for a terminal, a call ends when its process does, memory does not grow with output.
 * Must never know: which commands are wise. Read first: run.ts, family.ts.
 */
export { createProcessFacility } from "./facility.js";
export { createProcessRunner, type ProcessRunner } from "./run.js";
