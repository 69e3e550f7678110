/** A fourth door, for looking after a person's secrets: no plugin, provider or session is loaded. */
export { createSecretAdmin } from "./secrets/admin.js";
export type { KnownSecret, SecretAdmin, SecretList } from "./secrets/types.js";
