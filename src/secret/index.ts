/**
 * secret: values that must not leave this machine, references in their place, the files they are kept in.
 * Promises: replacing is one pass and exact: what a reference stands for is known to the last character; no value is in a diagnostic.
 * Must never know: sessions, requests, who may have one back. Read first: proxy.ts, forms.ts.
 */
export { parseDotenv } from "./dotenv.js";
export { readSecretFiles, type SecretFile } from "./files.js";
export { createSecretProxy, type SecretProxy, type SecretStream } from "./proxy.js";
export { type Reference } from "./reference.js";
export type { NewSecret, Resolved, Secret, SecretKind, SecretOwner } from "./types.js";
export { createSecretStore, type SecretStore, type StoredSecrets } from "./store.js";
export { ordinary } from "./value.js";
