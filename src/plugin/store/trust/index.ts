/**
 * store/trust: whether what a project wants to do by itself was agreed to.
 * Promises: nothing of a project runs; a change of any file with a say asks again; bounded reading, no link followed.
 * Must never know: what uses the answer. Read first: behaviour.ts, trust-store.ts.
 */
export { type ProjectTrust, resolveProjectTrust } from "./project-trust.js";
export { createTrustStore, type TrustStoreDeps } from "./trust-store.js";
