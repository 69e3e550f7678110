/**
 * effect/search: finding files, lines and folder contents in a thread of its own.
 * Promises: deterministic order, bounded answers that say what they left out, git's ignore rules, a deadline even for one
 * endless match. Must never know: grants, the ledger. Read first: task.ts, client.ts; walk.ts inside the thread.
 */
export { createSearch, type Search, type SearchDeps } from "./client.js";
export { createSearchFacilities } from "./facility.js";
