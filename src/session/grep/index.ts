/**
 * grep: lines of recorded text that match a pattern, over many sessions.
 * Promises: every match is from verified bytes; streams as it finds; never holds a whole session.
 * Must never know: branches, the live state. Read first: grep.ts.
 */
export { grepSessions } from "./grep.js";
