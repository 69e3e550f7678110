/**
 * runtime/secrets: which secrets this process knows, and their references in place of them in all that it sends, records and tells.
 * Promises: what was hidden once stays hidden; keys of providers are given back to nobody. Must never know: any provider or tool by name.
 * Read first: secrets.ts, round.ts.
 */
export { discreet, openSecrets, type SecretPlaceDeps } from "./open.js";
export { concealEvents, concealRequest } from "./round.js";
export { createSecrets, type DeclaredSecrets, declaredSecrets, type Secrets } from "./secrets.js";
export type { KnownSecret, SecretAdmin, SecretList } from "./types.js";
