/**
 * effect/grants: what refusals for want of a grant say.
 * Promises: a refusal names the plugin, what it wanted, the grant it has, and how a manifest asks for what is missing.
 * Must never know: how any operation decides. Read first: denied.ts.
 */
export { grantDenied, type MissingGrant } from "./denied.js";
