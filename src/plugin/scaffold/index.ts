/**
 * plugin/scaffold: a new plugin that works as it stands, with a test, of each kind.
 * Promises: writes into a new or empty folder only, all of it under names it gives itself. Must never know: what is installed.
 * Read first: scaffold.ts, package-files.ts.
 */
export { type NewPackage, scaffoldPackage } from "./scaffold.js";
export type { ScaffoldKind } from "./types.js";
