/**
 * request: one provider request fixed and recorded before it is sent, and rebuilt from its records.
 * Promises: what is sent is what the digest covers and what is rebuilt; only new messages are hashed.
 * Must never know: providers, wire formats, credentials. Read first: round.ts, reconstruct.ts.
 */
export { endAttempt, prepareAttempt, type PreparedAttempt } from "./attempt.js";
export { chainDigest, extendChain, type Sha256 } from "./digest.js";
export { findRequest, type NumberedRequest, reconstructRequest, type ReconstructedRequest } from "./reconstruct.js";
export { prepareRound, type PreparedRound, type RoundFacts } from "./round.js";
