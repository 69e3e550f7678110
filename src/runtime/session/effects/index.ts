/**
 * runtime/session/effects: which session an effect belongs to, and the ledger and facilities of one session.
 * Promises: an effect is recorded in the session whose work asked for it, or refused. Must never know: any tool by name.
 * Read first: effect-router.ts, session-effects.ts.
 */
export { createEffectRouter, type EffectRouter, type Notice, type Voice } from "./effect-router.js";
export { createSessionEffects, routedDispatcher, type SessionEffects } from "./session-effects.js";
