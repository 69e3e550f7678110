/**
 * grep: lines of recorded text that match a pattern, over many sessions.
 * Promises: every match is from verified bytes; streams as it finds; never holds more than one long payload; a pattern that
 * would run for ever is stopped. Must never know: the live state, who writes. Read first: grep.ts, file-search.ts, lines.ts.
 */
export { type GrepFinding } from "./file-search.js";
export { grepSessions, type GrepRequest } from "./grep.js";
