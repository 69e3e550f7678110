/**
 * check: what an author asks before anybody else uses a plugin: is the package whole, does it load, do its tests pass, what may it do.
 * Promises: runs its code in the sandbox only, with no operation of the host; always comes to an end. Must never know: sessions,
 * installed plugins. Read first: check.ts, sandbox.ts.
 */
export { checkPackage, type CheckOptions } from "./check.js";
export type { CheckReport, CheckStep } from "./types.js";
