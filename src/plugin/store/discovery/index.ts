/**
 * store/discovery: which plugins there are and which of them may be used.
 * Promises: runs no plugin code, writes nothing, reads of an untrusted project only names; one broken plugin costs itself.
 * Must never know: installing, settings. Read first: discover.ts, found.ts.
 */
export { discoverPlugins, type DiscoveryDeps } from "./discover.js";
