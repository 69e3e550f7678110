/**
 * effect/secrets: putting granted secrets in place of their references at the last moment, and taking them out of what comes back.
 * Promises: a value is in no record, no reply and no message; a reference that is not granted or not set is refused before anything
 * runs. Must never know: what a secret is for. Read first: references.ts.
 */
export { checkReferences, fillReferences, type Filled, holdsReference, type SecretPort } from "./references.js";
export { createRedactor, type Redactor } from "./redactor.js";
