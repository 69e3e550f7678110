/**
 * profile: what differs between servers, as data.
 * Promises: one row for each kind of server; an unknown server gets the row that assumes nothing.
 * Must never know: how a request is built or an answer read. Read first: types.ts, then table.ts.
 */
export { PROFILE_NAMES, PROFILE_OF, profileName, profileOf, providerProfile, type ProfileName } from "./table.js";
export { thinkingFields } from "./thinking.js";
export type { Profile, Replay } from "./types.js";
