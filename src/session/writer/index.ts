/**
 * writer: creation, locking, recovery and the group commit loop of one session file.
 * Promises: one writer per file; acknowledged means durable; only unacknowledged bytes are ever cut off.
 * Must never know: other sessions, what commits mean. Read first: acquire.ts, appender.ts, session-writer.ts.
 */
export { acquire, createFile, openLocked, readHeader } from "./acquire.js";
export { Writer } from "./session-writer.js";
