/**
 * runtime/session/file: the file behind an open session: the one this process writes, and one it only observes.
 * Promises: what is told of a live file is acknowledged; a file that failed or was replaced is opened again at its place.
 * Must never know: turns, frontends. Read first: live-file.ts, observed-file.ts.
 */
export { openSession, type SessionFile, type SessionTarget } from "./live-file.js";
export { ObservedFile, type ReplacedFile } from "./observed-file.js";
export { type Revision } from "./revisions.js";
