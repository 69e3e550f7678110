/**
 * effect/fs/compute: what a change makes of the bytes of a file, and its diff; large ones in a thread of their own.
 * Promises: pure, the same on either side of the thread. Must never know: where files are, who asks. Read first: task.ts.
 */
export { type Computer, createComputer } from "./thread.js";
export type { ChangeTask, Computed } from "./task.js";
