/**
 * writer: creation, locking, recovery and the group commit loop of one session file.
 * Promises: one writer per file; acknowledged means durable; only unacknowledged bytes are ever cut off.
 * Must never know: other sessions, what commits mean. Read first: locked-file.ts, acquire.ts, appender.ts,
 * session-writer.ts.
 */
export { createFile } from "./create.js";
export { openLocked } from "./locked-file.js";
export { Writer } from "./session-writer.js";
