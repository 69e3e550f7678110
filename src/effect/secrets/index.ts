/**
 * effect/secrets: putting granted secrets in place of their references at the last moment, and taking them out of what comes back.
 * Promises: a value is in no record, no reply and no message; a reference that is not granted or not set is refused before anything
 * runs. Must never know: what a secret is for. Read first: vault.ts, references.ts.
 */
export { secretMisplaced } from "./failures.js";
export { createKeepFacility } from "./keep.js";
export { createRedactor, joined, type Redactor } from "./redactor.js";
export { checkReferences, fillReferences, type Filled, holdsReference, type SecretPort, type SecretSources } from "./references.js";
export { firstKnown, restoreProblem, restoreText, secretProblem } from "./restore.js";
export { type FoundSecret, NO_VAULT, type SecretVault } from "./vault.js";
